package server

import (
	"context"
	"log/slog"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/postgres"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/internal/testkit/engines"
)

// skewedClock is the system's clock, wrong by a fixed time.
type skewedClock struct {
	clock.System

	ahead time.Duration
}

func (c skewedClock) Now() time.Time { return time.Now().Add(c.ahead) }

// TestLeaseSkewed takes node numbers on nodes whose clocks are wrong by more than a lease lasts. Each gets its own, and all
// can extend their leases, and all have the time of the server afterwards.
func TestLeaseSkewed(t *testing.T) {
	t.Parallel()
	engines.Need(t, "postgres")
	engine, err := engines.StartPostgres(t.Context(), engines.Quick...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := engine.Stop(); err != nil {
			t.Error(err)
		}
	})
	url, err := engine.Database(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	db, err := postgres.Open(t.Context(), url+"&statement_timeout=10000", clock.System{}, log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	holders := map[uint16]time.Duration{}
	var leases []*lease
	for _, ahead := range []time.Duration{-31 * time.Second, 0, 31 * time.Second, time.Hour} {
		wall := skewedClock{ahead: ahead}
		synced := clock.NewSynced(wall)
		l := &lease{store: db, clock: synced, wall: wall, synced: synced, holder: ahead.String(), log: log}
		if err := l.take(t.Context()); err != nil {
			t.Fatal(err)
		}
		if of, taken := holders[l.number]; taken {
			t.Errorf("the node that is %v ahead takes number %d of a living node, which is %v ahead", ahead, l.number, of)
		}
		holders[l.number] = ahead
		leases = append(leases, l)
	}
	for _, l := range leases {
		if err := l.extend(t.Context(), 0); err != nil {
			t.Errorf("extend() of the node that is %s ahead = %v", l.holder, err)
		}
		// The clock is off by at most half of the time of a query.
		if off := time.Until(l.clock.Now().Round(0)); off.Abs() > 5*time.Second {
			t.Errorf("the clock of the node that is %s ahead is still off by %v", l.holder, off)
		}
		if made := l.ids.Used(); time.Until(l.ceiling).Abs() > leaseLead+5*time.Second {
			t.Errorf("the node that is %s ahead may make ids until %v; the last one is of %v", l.holder, l.ceiling, made)
		}
	}
	if _, n := leases[0].nodes(); n != len(leases) {
		t.Errorf("%d nodes, want %d", n, len(leases))
	}
}

// TestLeaseReused gives the number of a process that ended, or was killed, to a process whose clock is an hour behind. Its ids
// follow those of the first.
func TestLeaseReused(t *testing.T) {
	t.Parallel()
	for _, killed := range []bool{false, true} {
		log := slog.New(slog.DiscardHandler)
		db, err := sqlite.OpenVolatile(t.Context(), filepath.Join(t.TempDir(), DatabaseFile), clock.System{}, log)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		})
		take := func(holder string, now, wall time.Duration) *lease {
			l := &lease{store: db, clock: skewedClock{ahead: now}, wall: skewedClock{ahead: wall}, holder: holder, log: log}
			if err := l.take(t.Context()); err != nil {
				t.Fatal(err)
			}
			return l
		}
		first := take("first", time.Hour, 0)
		before := first.ids.Next()
		if !killed {
			if err := first.release(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		second := take("second", 0, 2*leaseLife)
		if second.number != first.number {
			t.Fatalf("the second process has number %d, want %d, whose lease has ended", second.number, first.number)
		}
		if after := second.ids.Next(); after <= before {
			t.Errorf("killed: %v: id %d of the second process, want it after %d", killed, after, before)
		}
	}
}

// silentStore does not answer.
type silentStore struct {
	store.Store

	tries chan time.Time
}

func (s silentStore) Read(context.Context, func(store.Reader) error) error {
	s.tries <- time.Now()
	return store.ErrUnavailable
}

// A lease that could not be extended is tried again soon: until then the ids of the node get older.
func TestLeaseRetries(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		db := silentStore{tries: make(chan time.Time)}
		l := &lease{store: db, clock: clock.System{}, wall: clock.System{}, log: slog.New(slog.DiscardHandler)}
		ended := make(chan error, 1)
		began := time.Now()
		go func() { ended <- l.Run(ctx) }()
		for _, want := range []time.Duration{leaseBeat, leaseBeat + leaseRetry, leaseBeat + 2*leaseRetry} {
			if got := (<-db.tries).Sub(began); got != want {
				t.Errorf("extended after %v, want %v", got, want)
			}
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
