package postgres_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/postgres"
)

// claim claims work and compares what was granted.
func claim(t *testing.T, db *postgres.DB, ids, want []uint64) {
	t.Helper()
	granted, err := db.Claim(t.Context(), store.LobbyWork, ids)
	slices.Sort(granted)
	if err != nil || !slices.Equal(granted, want) {
		t.Errorf("Claim(%v) = %v, %v, want %v", ids, granted, err, want)
	}
}

func TestClaims(t *testing.T) {
	t.Parallel()
	url := database(t)
	a, b, c := open(t, url), open(t, url), connect(t, url)
	claim(t, a, []uint64{1, 2, 1 << 63}, []uint64{1, 2, 1 << 63})
	claim(t, a, []uint64{2, 3}, []uint64{2, 3}) // the same process extends its claim
	claim(t, b, []uint64{1, 2, 3, 4, 1 << 63}, []uint64{4})
	if granted, err := b.Claim(t.Context(), store.InteractionWork, []uint64{1}); err != nil || len(granted) != 1 {
		t.Errorf("another kind of work: %v, %v", granted, err)
	}
	if err := b.Release(t.Context(), store.LobbyWork, []uint64{1, 4}); err != nil {
		t.Fatal(err)
	}
	claim(t, b, []uint64{1}, nil) // the release of another process does not count
	if err := a.Release(t.Context(), store.LobbyWork, []uint64{1}); err != nil {
		t.Fatal(err)
	}
	claim(t, b, []uint64{1, 2}, []uint64{1})

	// The process dies: its claims end by the clock of the server.
	var left float64
	query := "SELECT EXTRACT(EPOCH FROM to_timestamp(until / 1e6) - clock_timestamp())::float8 FROM claims WHERE work = $1 AND id = 2"
	if err := c.QueryRow(t.Context(), query, int64(store.LobbyWork)).Scan(&left); err != nil || left > store.ClaimTime.Seconds() {
		t.Errorf("a claim lasts for %v s, %v; want at most %v", left, err, store.ClaimTime)
	}
	execute(t, c, fmt.Sprint("UPDATE claims SET until = until - ", store.ClaimTime.Microseconds(), " WHERE id <> 1 AND work = ", store.LobbyWork))
	claim(t, b, []uint64{2}, []uint64{2}) // removes the other claims that have ended
	if err := b.Release(t.Context(), store.LobbyWork, []uint64{1, 2}); err != nil {
		t.Fatal(err)
	}
	var rows int
	if err := c.QueryRow(t.Context(), "SELECT COUNT(*) FROM claims WHERE work = $1", int64(store.LobbyWork)).Scan(&rows); err != nil || rows != 0 {
		t.Errorf("%d claims are left, %v; want none: old claims are removed too", rows, err)
	}
}

// dueList is a list of due records, and how often each was handled.
type dueList struct {
	mu      sync.Mutex
	due     []store.DueRecord[uint64]
	handled map[uint64]int
}

// sweep returns a sweep of one node over the list.
func (l *dueList) sweep(db store.Store) *store.Sweep[uint64] {
	return &store.Sweep[uint64]{
		Store: db, Work: store.LobbyWork, Now: time.Now, Log: slog.New(slog.DiscardHandler), Concurrency: 64,
		List: func(_ store.Reader, limit int) ([]store.DueRecord[uint64], error) {
			l.mu.Lock()
			defer l.mu.Unlock()
			return slices.Clone(l.due[:min(limit, len(l.due))]), nil
		},
		Handle: func(_ context.Context, id uint64) error {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.handled[id]++
			l.due = slices.DeleteFunc(l.due, func(d store.DueRecord[uint64]) bool { return d.ID == id })
			return nil
		},
	}
}

// TestSweepNodes sweeps the same records on ten nodes. Each record is handled by one node, and a node that dies while it
// handles records does not keep the others from them for longer than a claim lasts.
func TestSweepNodes(t *testing.T) {
	t.Parallel()
	url := database(t)
	l := &dueList{handled: map[uint64]int{}}
	const records = 600
	for id := range uint64(records) {
		l.due = append(l.due, store.DueRecord[uint64]{ID: id + 1, Due: time.Now().Add(-time.Minute)})
	}
	dead := open(t, url)
	// It never releases its claim, which lasts longer than this test takes on a busy machine.
	claim(t, dead, []uint64{7, 8}, []uint64{7, 8})
	execute(t, connect(t, url), fmt.Sprint("UPDATE claims SET until = until + ", time.Hour.Microseconds()))
	nodes := make([]*postgres.DB, 10)
	for i := range nodes {
		nodes[i] = open(t, url)
	}
	var wg sync.WaitGroup
	for _, db := range nodes {
		wg.Go(func() {
			if _, err := l.sweep(db).Run(t.Context()); err != nil {
				t.Errorf("Run() = %v", err)
			}
		})
	}
	wg.Wait()
	if len(l.due) != 2 || l.due[0].ID != 7 || l.due[1].ID != 8 {
		t.Errorf("%d records are left, want those that the dead node has claimed", len(l.due))
	}
	execute(t, connect(t, url), "UPDATE claims SET until = 0")
	if _, err := l.sweep(nodes[2]).Run(t.Context()); err != nil || len(l.due) != 0 {
		t.Errorf("Run() = %v after the claims have ended, and %d records are left", err, len(l.due))
	}
	for id := range uint64(records) {
		if n := l.handled[id+1]; n != 1 {
			t.Fatalf("record %d was handled %d times, want once", id+1, n)
		}
	}
}

// TestExclusively does work on two nodes at once. One of them does it, and keeps its claim as long as it works.
func TestExclusively(t *testing.T) {
	t.Parallel()
	url := database(t)
	a, b, c := open(t, url), open(t, url), connect(t, url)
	until := func() (until int64) {
		t.Helper()
		if err := c.QueryRow(t.Context(), "SELECT COALESCE(MAX(until), 0) FROM claims").Scan(&until); err != nil {
			t.Fatal(err)
		}
		return until
	}
	err := store.Exclusively(t.Context(), a, store.LobbyWork, 1, func(ctx context.Context) error {
		first := until()
		end := time.Now().Add(20 * time.Second)
		for until() == first {
			if time.Now().After(end) {
				t.Fatal("the claim was not extended within 20 s")
			}
			clock.Pause(ctx, 20*time.Millisecond)
		}
		return store.Exclusively(ctx, b, store.LobbyWork, 1, func(context.Context) error {
			t.Error("two nodes do the same work")
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	if left := until(); left != 0 {
		t.Errorf("the claim is left after the work: until %d", left)
	}
	done := false
	if err := store.Exclusively(t.Context(), b, store.LobbyWork, 1, func(context.Context) error { done = true; return nil }); err != nil || !done {
		t.Errorf("Exclusively() = %v after the other node has finished, called %v", err, done)
	}
}
