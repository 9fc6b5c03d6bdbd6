package snowflake_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/bellhop/bellhop/snowflake"
	"pgregory.net/rapid"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		give string
		want snowflake.User
		err  error
	}{
		{"0", 0, nil},
		{"175928847299117063", 175928847299117063, nil},
		{"9223372036854775807", snowflake.Max, nil},
		{"9223372036854775808", 0, snowflake.ErrRange},
		{"99999999999999999999999", 0, snowflake.ErrRange},
		{"", 0, snowflake.ErrSyntax},
		{"01", 0, snowflake.ErrSyntax},
		{"+1", 0, snowflake.ErrSyntax},
		{"-1", 0, snowflake.ErrSyntax},
		{"1 ", 0, snowflake.ErrSyntax},
		{"ping", 0, snowflake.ErrSyntax},
		{"1.0", 0, snowflake.ErrSyntax},
		{"१२", 0, snowflake.ErrSyntax},
	} {
		got, err := snowflake.Parse[snowflake.User](tt.give)
		if !errors.Is(err, tt.err) || (err == nil && uint64(got) != uint64(tt.want)) {
			t.Errorf("Parse(%q) = %v, %v, want %v, %v", tt.give, got, err, tt.want, tt.err)
		}
	}
}

func TestTextRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		id := snowflake.Guild(rapid.Uint64Range(0, snowflake.Max).Draw(t, "id"))
		text, err := id.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		var again snowflake.Guild
		if err := again.UnmarshalText(text); err != nil || again != id {
			t.Fatalf("%v came back as %v, %v", id, again, err)
		}
	})
}

func TestTime(t *testing.T) {
	t.Parallel()
	want := time.Date(2016, 4, 30, 11, 18, 25, 796e6, time.UTC)
	if got := snowflake.User(175928847299117063).Time(); !got.Equal(want) {
		t.Errorf("Time() = %v, want %v", got, want)
	}
}

func TestGenerator(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

	t.Run("grows when the clock stands still or steps back", func(t *testing.T) {
		t.Parallel()
		now := start
		g := snowflake.NewGenerator(3, func() time.Time { return now }, time.Time{})
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

	t.Run("carries its time and node", func(t *testing.T) {
		t.Parallel()
		g := snowflake.NewGenerator(5, func() time.Time { return start }, time.Time{})
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
		g := snowflake.NewGenerator(5, func() time.Time { return start }, time.Time{})
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

	t.Run("starts at its floor", func(t *testing.T) {
		t.Parallel()
		floor := start.Add(time.Minute)
		g := snowflake.NewGenerator(0, func() time.Time { return start }, floor)
		if got := snowflake.User(g.Next()).Time(); got.Before(floor) {
			t.Errorf("first id of %v, want none before %v", got, floor)
		}
	})

	t.Run("a jump of the clock stays below the limit", func(t *testing.T) {
		t.Parallel()
		now := start
		g := snowflake.NewGenerator(0, func() time.Time { return now }, time.Time{})
		g.Limit(start.Add(time.Second))
		now = start.Add(time.Hour)
		if got := snowflake.User(g.Next()).Time(); got.After(start.Add(time.Second)) {
			t.Errorf("id of %v, want none after the limit", got)
		}
	})

	t.Run("is larger than what it observed", func(t *testing.T) {
		t.Parallel()
		g := snowflake.NewGenerator(0, func() time.Time { return start }, time.Time{})
		ahead := snowflake.NewGenerator(1023, func() time.Time { return start.Add(time.Hour) }, time.Time{}).Next()
		g.Observe(ahead)
		if next := g.Next(); next <= ahead {
			t.Errorf("Next() = %d after Observe(%d)", next, ahead)
		}
	})

	t.Run("does not run ahead of the clock by observing its own ids", func(t *testing.T) {
		t.Parallel()
		g := snowflake.NewGenerator(7, func() time.Time { return start }, time.Time{})
		for range 1000 {
			g.Observe(g.Next())
		}
		if got := g.Used(); !got.Equal(start) {
			t.Errorf("Used() = %v, want %v", got, start)
		}
	})

	t.Run("never repeats under concurrency", func(t *testing.T) {
		t.Parallel()
		g := snowflake.NewGenerator(0, time.Now, time.Time{})
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
