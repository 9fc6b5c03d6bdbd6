package outbox_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/metrics"
	"github.com/bellhop/bellhop/internal/outbox"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/snowflake"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// service is an outbox with one queue over a store in a folder.
type service struct {
	*outbox.Outbox

	db    store.Store
	queue *outbox.Queue
	clock *clock.Movable
	stop  func()

	mu   sync.Mutex
	sent []string // payloads that were sent, with the number of the attempt
	fail func(d outbox.Delivery) error
}

// timedIDs makes ids that contain the time of a clock.
type timedIDs struct {
	mu    sync.Mutex
	clock clock.Clock
	n     uint64
}

func (g *timedIDs) Next() uint64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.n++
	return uint64(g.clock.Now().UnixMilli()-snowflake.Epoch)<<22 | g.n
}

var discard = slog.New(slog.DiscardHandler)

// open opens the store in a folder and runs an outbox on it until stop is called.
func open(t *testing.T, folder string, most int, longest time.Duration, fail func(outbox.Delivery) error) *service {
	t.Helper()
	db, err := sqlite.OpenVolatile(t.Context(), filepath.Join(folder, "bellhop.db"), clock.System{}, discard)
	if err != nil {
		t.Fatal(err)
	}
	s := &service{db: db, clock: clock.NewMovable(clock.System{}), fail: fail}
	s.Outbox = outbox.New(outbox.Config{
		Store: db, Clock: s.clock, IDs: &timedIDs{clock: s.clock}, Log: discard, Metrics: metrics.New("test"), MaxWaiting: most,
	})
	s.queue = s.Queue(outbox.Settings{Name: "test", Send: s.send, Timeout: time.Minute, Concurrency: 8, Pause: outbox.Growing(time.Second, longest)})
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		if err := s.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	if err := s.WaitUntilRunning(ctx); err != nil {
		t.Fatal(err)
	}
	s.stop = sync.OnceFunc(func() {
		cancel()
		running.Wait()
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(s.stop)
	return s
}

func (s *service) send(_ context.Context, d outbox.Delivery) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent = append(s.sent, fmt.Sprintf("%s %d", d.Payload, d.Attempt))
	if s.fail != nil {
		return s.fail(d)
	}
	return nil
}

func (s *service) log() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.sent)
}

// add stores deliveries about a lobby in one change.
func (s *service) add(t *testing.T, lobby snowflake.Lobby, texts ...string) {
	t.Helper()
	about := store.LobbySubject(lobby)
	if lobby == 0 {
		about = store.Subject{}
	}
	err := store.Decide(t.Context(), s.db, func(tx *store.Tx) error {
		tx.Touch(store.LobbySubject(lobby))
		for _, text := range texts {
			if err := tx.Put(s.queue.Row(about, []byte(text))); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// left waits until a number of deliveries are stored, and at least some attempts were made.
func (s *service) left(t *testing.T, want, attempts int) {
	t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for {
		var ids []store.OutgoingID
		err := s.db.Read(t.Context(), func(r store.Reader) (err error) {
			ids, err = r.Outbox.Oldest(1<<62, 1000)
			return err
		})
		switch {
		case err != nil:
			t.Fatal(err)
		case len(ids) == want && len(s.log()) >= attempts:
			return
		case time.Now().After(deadline):
			t.Fatalf("waited 30 s for %d deliveries that are left after %d attempts, there are %d after %d", want, attempts, len(ids), len(s.log()))
		}
		time.Sleep(time.Millisecond)
	}
}

// TestOrder checks that the deliveries of a subject arrive in the order of the changes, one at a time.
func TestOrder(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir(), 0, time.Minute, nil)
	var want []string
	for n := range 50 {
		s.add(t, 1, fmt.Sprint(n, "a"), fmt.Sprint(n, "b"))
		want = append(want, fmt.Sprint(n, "a 1"), fmt.Sprint(n, "b 1"))
	}
	s.left(t, 0, 100)
	if got := s.log(); !slices.Equal(got, want) {
		t.Errorf("sent %v, want %v", got, want)
	}
}

// TestRetry checks that a delivery that fails is sent again after growing pauses, that those behind it wait, and that other
// subjects and deliveries without order do not.
func TestRetry(t *testing.T) {
	t.Parallel()
	broken := true
	s := open(t, t.TempDir(), 0, 8*time.Second, func(d outbox.Delivery) error {
		if broken && string(d.Payload) == "a" {
			return errors.New("broken")
		}
		return nil
	})
	s.add(t, 1, "a", "b")
	s.add(t, 1, "c")
	s.left(t, 3, 1)
	s.add(t, 2, "x")
	s.add(t, 0, "y")
	s.left(t, 3, 3)
	for n, pause := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 8 * time.Second} {
		before := len(s.log())
		s.clock.Advance(pause / 2)
		early := len(s.log()) - before
		s.clock.Advance(pause/2 + 100*time.Millisecond)
		if got := len(s.log()) - before; early != 0 || got != 1 {
			t.Errorf("pause %d: %d attempts after half of %v and %d after it, want 0 and 1", n, early, pause, got)
		}
	}
	s.mu.Lock()
	broken = false
	s.mu.Unlock()
	s.clock.Advance(9 * time.Second)
	s.left(t, 0, 11)
	if got, want := s.log()[8:], []string{"a 7", "b 1", "c 1"}; !slices.Equal(got, want) {
		t.Errorf("sent %v at last, want %v", got, want)
	}
}

// TestRestart checks that deliveries survive a restart, in their order.
func TestRestart(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	s := open(t, folder, 0, time.Minute, func(outbox.Delivery) error { return errors.New("broken") })
	s.add(t, 1, "a")
	s.left(t, 1, 1)
	s.add(t, 1, "b", "c")
	s.stop()
	s = open(t, folder, 0, time.Minute, nil)
	s.clock.Advance(time.Minute)
	s.left(t, 0, 3)
	if got, want := s.log(), []string{"a 2", "b 1", "c 1"}; !slices.Equal(got, want) {
		t.Errorf("sent %v after the restart, want %v", got, want)
	}
}

// TestDrop checks that a delivery is dropped if its receiver refuses it for good, and after a day.
func TestDrop(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir(), 0, 12*time.Hour, func(d outbox.Delivery) error {
		switch string(d.Payload) {
		case "refused":
			return fmt.Errorf("no: %w", outbox.ErrDrop)
		case "old":
			return errors.New("broken")
		}
		return nil
	})
	s.add(t, 1, "refused", "next")
	s.left(t, 0, 2)
	s.add(t, 1, "old", "behind")
	s.left(t, 2, 3)
	s.clock.Advance(outbox.Keep - time.Hour)
	s.left(t, 2, 3)
	s.clock.Advance(2 * time.Hour)
	s.left(t, 0, 3)
}

// TestTooMany checks that the oldest deliveries are dropped if too many wait.
func TestTooMany(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir(), 3, time.Hour, func(outbox.Delivery) error { return errors.New("broken") })
	s.add(t, 1, "a", "b", "c", "d", "e")
	s.clock.Advance(11 * time.Minute) // the first clean-up may have come late enough to drop them at once
	for deadline := time.Now().Add(30 * time.Second); !slices.Contains(s.log(), "c 1"); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited 30 s for the third delivery after the first two were dropped, sent %v", s.log())
		}
	}
	s.left(t, 3, 1)
}

// TestLater checks that a delivery that was not attempted is due again, and that this counts as no attempt.
func TestLater(t *testing.T) {
	t.Parallel()
	left := 5
	s := open(t, t.TempDir(), 0, time.Minute, func(outbox.Delivery) error {
		if left--; left >= 0 {
			return fmt.Errorf("wrapped: %w", &outbox.Later{After: time.Second})
		}
		return nil
	})
	s.add(t, 0, "a")
	for n := range 5 {
		s.left(t, 1, n+1)
		s.clock.Advance(1100 * time.Millisecond)
	}
	s.left(t, 0, 6)
	if got := s.log(); got[5] != "a 1" {
		t.Errorf("sent %v, want only first attempts", got)
	}
}
