package store_test

import (
	"sync"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

func TestIDs(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

	t.Run("increase when the clock stops or steps back", func(t *testing.T) {
		t.Parallel()
		now := start
		g := store.NewIDs(3, func() time.Time { return now }, time.Time{})
		last := g.Next()
		for i := range 10_000 {
			if i == 5000 {
				now = now.Add(-time.Hour)
			}
			next := g.Next()
			if next <= last {
				t.Fatalf("id %d after %d", next, last)
			}
			last = next
		}
	})

	t.Run("contain time and node", func(t *testing.T) {
		t.Parallel()
		g := store.NewIDs(5, func() time.Time { return start }, time.Time{})
		id := g.Next()
		if got := snowflake.User(id).Time(); !got.Equal(start) {
			t.Errorf("Time() = %v, want %v", got, start)
		}
		if node := id >> 12 & 1023; node != 5 {
			t.Errorf("node = %d, want 5", node)
		}
	})

	t.Run("a run is consecutive", func(t *testing.T) {
		t.Parallel()
		g := store.NewIDs(5, func() time.Time { return start }, time.Time{})
		for range 100 {
			first := g.Run(131)
			if first>>22 != (first+130)>>22 || (first+130)>>12 != first>>12 {
				t.Fatalf("run from %d crosses a millisecond", first)
			}
			if next := g.Next(); next <= first+130 {
				t.Fatalf("%d after a run that ends with %d", next, first+130)
			}
		}
	})

	t.Run("start at the floor", func(t *testing.T) {
		t.Parallel()
		floor := start.Add(time.Minute)
		g := store.NewIDs(0, func() time.Time { return start }, floor)
		if got := snowflake.User(g.Next()).Time(); got.Before(floor) {
			t.Errorf("first id of %v, want none before %v", got, floor)
		}
	})

	t.Run("stay below the limit when the clock jumps", func(t *testing.T) {
		t.Parallel()
		now := start
		g := store.NewIDs(0, func() time.Time { return now }, time.Time{})
		g.Limit(start.Add(time.Second))
		now = start.Add(time.Hour)
		if got := snowflake.User(g.Next()).Time(); got.After(start.Add(time.Second)) {
			t.Errorf("id of %v, want none after the limit", got)
		}
	})

	t.Run("are larger than an observed id", func(t *testing.T) {
		t.Parallel()
		g := store.NewIDs(0, func() time.Time { return start }, time.Time{})
		ahead := store.NewIDs(1023, func() time.Time { return start.Add(time.Hour) }, time.Time{}).Next()
		g.Observe(ahead)
		if next := g.Next(); next <= ahead {
			t.Errorf("Next() = %d after Observe(%d)", next, ahead)
		}
	})

	t.Run("observing own ids does not advance the time", func(t *testing.T) {
		t.Parallel()
		g := store.NewIDs(7, func() time.Time { return start }, time.Time{})
		for range 1000 {
			g.Observe(g.Next())
		}
		if got := g.Used(); !got.Equal(start) {
			t.Errorf("Used() = %v, want %v", got, start)
		}
	})

	t.Run("are unique under concurrency", func(t *testing.T) {
		t.Parallel()
		g := store.NewIDs(0, time.Now, time.Time{})
		var mu sync.Mutex
		seen := map[uint64]bool{}
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				ids := make([]uint64, 2000)
				for i := range ids {
					ids[i] = g.Next()
				}
				mu.Lock()
				defer mu.Unlock()
				for _, id := range ids {
					if seen[id] {
						t.Errorf("id %d twice", id)
					}
					seen[id] = true
				}
			})
		}
		wg.Wait()
	})
}
