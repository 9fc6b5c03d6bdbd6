package ratelimit_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/snowflake"
	"pgregory.net/rapid"
)

// start is the start of the tests' clocks. It is not a whole millisecond, like real times.
var start = time.Date(2026, 3, 1, 12, 0, 0, 123_456_789, time.UTC)

// appKey returns the key of the n-th application.
func appKey(n int) ratelimit.Key {
	c := ratelimit.Caller{Application: snowflake.Application(n + 1)}
	return c.Identity()
}

// userKey returns the key of the n-th user.
func userKey(n int) ratelimit.Key {
	c := ratelimit.Caller{User: snowflake.User(n + 1)}
	return c.Identity()
}

// takeOne makes a single claim.
func takeOne(l ratelimit.Limiter, now time.Time, c ratelimit.Claim) ratelimit.Result {
	_, r := l.Take(context.Background(), now, ratelimit.Claim{}, c)
	return r
}

// model is a slow and simple limiter: a list of allowed requests.
type model map[ratelimit.Key]*modelWindow

type modelWindow struct {
	opened time.Time
	length time.Duration
	let    []time.Time
}

func (m model) Take(_ context.Context, now time.Time, global, route ratelimit.Claim) (g, r ratelimit.Result) {
	g, r = m.look(now, global), m.look(now, route)
	if g.Allowed && r.Allowed {
		g, r = m.count(now, global, g), m.count(now, route, r)
	}
	return g, r
}

func (m model) open(now time.Time, k ratelimit.Key) *modelWindow {
	w := m[k]
	if w == nil || !now.Before(w.opened.Add(w.length)) {
		return nil
	}
	return w
}

func (m model) look(now time.Time, c ratelimit.Claim) ratelimit.Result {
	if c.Limit == 0 {
		return ratelimit.Result{Allowed: true}
	}
	w := m.open(now, c.Key)
	if w == nil {
		return ratelimit.Result{Allowed: true, Limit: c.Limit, Remaining: c.Limit}
	}
	remaining := max(0, c.Limit-len(w.let))
	return ratelimit.Result{
		Allowed: remaining > 0, Limit: c.Limit, Remaining: remaining, ResetAfter: w.opened.Add(w.length).Sub(now),
	}
}

func (m model) count(now time.Time, c ratelimit.Claim, r ratelimit.Result) ratelimit.Result {
	if c.Limit == 0 {
		return r
	}
	w := m.open(now, c.Key)
	if w == nil {
		w = &modelWindow{opened: now, length: c.Window}
		m[c.Key] = w
	}
	w.let = append(w.let, now)
	r.Remaining = c.Limit - len(w.let)
	r.ResetAfter = w.opened.Add(w.length).Sub(now)
	return r
}

func TestMemoryAgreesWithModel(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		keys int // of each kind
		room int // keys that the limiter holds
	}{
		{"few keys that come again and again", 3, 6},
		{"as many keys as there is room for", 40, 80},
		{"keys over several locks", 400, 8192},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				limiter, slow, now := ratelimit.NewMemory(tt.room, start), model{}, start
				windows := rapid.SampledFrom([]time.Duration{time.Second, 2 * time.Second, 7 * time.Second, 2 * time.Hour})
				steps := rapid.SampledFrom([]time.Duration{
					0, 0, 0, 1, time.Millisecond, 300 * time.Millisecond, time.Second - 1, time.Second, 3 * time.Second, time.Hour,
				})
				keys := rapid.IntRange(0, tt.keys-1)
				limits := rapid.IntRange(0, 4) // 0 means the zero Claim
				claim := func(key func(int) ratelimit.Key) (c ratelimit.Claim) {
					if limit := limits.Draw(t, "limit"); limit > 0 {
						c = ratelimit.Claim{Key: key(keys.Draw(t, "key")), Limit: limit, Window: windows.Draw(t, "window")}
					}
					return c
				}
				for range rapid.IntRange(1, 300).Draw(t, "requests") {
					now = now.Add(steps.Draw(t, "step"))
					global, route := claim(appKey), claim(userKey)
					g, r := limiter.Take(context.Background(), now, global, route)
					wantG, wantR := slow.Take(context.Background(), now, global, route)
					if g != wantG || r != wantR {
						t.Fatalf("at %v Take(%v, %v) = %+v, %+v, want %+v, %+v",
							now.Sub(start), global, route, g, r, wantG, wantR)
					}
				}
				if u := limiter.Usage(); u.Evicted != 0 {
					t.Fatalf("evicted %d live keys with room for all", u.Evicted)
				}
			})
		})
	}
}

func TestMemoryTake(t *testing.T) {
	t.Parallel()
	claim := ratelimit.Claim{Key: appKey(0), Limit: 2, Window: 10 * time.Second}

	t.Run("window starts with its first request", func(t *testing.T) {
		t.Parallel()
		m := ratelimit.NewMemory(10, start)
		for _, tt := range []struct {
			at   time.Duration
			want ratelimit.Result
		}{
			{3 * time.Second, ratelimit.Result{Allowed: true, Limit: 2, Remaining: 1, ResetAfter: 10 * time.Second}},
			{4 * time.Second, ratelimit.Result{Allowed: true, Limit: 2, Remaining: 0, ResetAfter: 9 * time.Second}},
			{4 * time.Second, ratelimit.Result{Limit: 2, ResetAfter: 9 * time.Second}},
			{13*time.Second - 1, ratelimit.Result{Limit: 2, ResetAfter: 1}},
			{13 * time.Second, ratelimit.Result{Allowed: true, Limit: 2, Remaining: 1, ResetAfter: 10 * time.Second}},
		} {
			if got := takeOne(m, start.Add(tt.at), claim); got != tt.want {
				t.Errorf("Take() at %v = %+v, want %+v", tt.at, got, tt.want)
			}
		}
	})

	t.Run("request with an older time counts in the window that is open", func(t *testing.T) {
		t.Parallel()
		m := ratelimit.NewMemory(10, start)
		takeOne(m, start, claim)
		want := ratelimit.Result{Allowed: true, Limit: 2, ResetAfter: 11 * time.Second}
		if got := takeOne(m, start.Add(-time.Second), claim); got != want {
			t.Errorf("Take() a second earlier = %+v, want %+v", got, want)
		}
	})

	t.Run("what one limit refuses uses nothing of the other", func(t *testing.T) {
		t.Parallel()
		m := ratelimit.NewMemory(10, start)
		all := ratelimit.Claim{Key: userKey(0), Limit: 3, Window: time.Second}
		for range 9 {
			m.Take(t.Context(), start, all, claim)
		}
		g, r := m.Take(t.Context(), start, all, claim)
		if !g.Allowed || g.Remaining != 1 || r.Allowed {
			t.Errorf("Take() with the route used up = %+v, %+v, want 1 left of everything", g, r)
		}
		other := ratelimit.Claim{Key: appKey(7), Limit: 5, Window: time.Second}
		m.Take(t.Context(), start, all, other)
		for range 9 {
			m.Take(t.Context(), start, all, other)
		}
		if got := takeOne(m, start, other); got.Remaining != 3 {
			t.Errorf("route has %d left after refusals by the limit on everything, want 3", got.Remaining)
		}
	})

	t.Run("raised limit counts at once", func(t *testing.T) {
		t.Parallel()
		m := ratelimit.NewMemory(10, start)
		for range 3 {
			takeOne(m, start, claim)
		}
		raised := claim
		raised.Limit = 5
		if got := takeOne(m, start, raised); !got.Allowed || got.Remaining != 2 {
			t.Errorf("Take() with a raised limit = %+v, want 2 left", got)
		}
		lowered := claim
		lowered.Limit = 1
		if got := takeOne(m, start, lowered); got.Allowed || got.Remaining != 0 {
			t.Errorf("Take() with a lowered limit = %+v, want refused with 0 left", got)
		}
	})

	t.Run("cleared limiter has counted nothing", func(t *testing.T) {
		t.Parallel()
		m := ratelimit.NewMemory(10, start)
		takeOne(m, start, claim)
		m.Clear()
		if got := takeOne(m, start, claim); got.Remaining != 1 {
			t.Errorf("%d left after Clear, want 1", got.Remaining)
		}
	})
}

func TestMemoryIsExactUnderConcurrency(t *testing.T) {
	t.Parallel()
	const (
		callers = 64
		tries   = 500
		limit   = 1000
	)

	t.Run("one key", func(t *testing.T) {
		t.Parallel()
		m := ratelimit.NewMemory(1<<16, start)
		claim := ratelimit.Claim{Key: appKey(0), Limit: limit, Window: time.Second}
		for round := range 3 { // each in a new window
			now := start.Add(time.Duration(round) * time.Second)
			var let atomic.Int64
			var seen [limit]atomic.Bool
			hammer(callers, tries, func(int) {
				if r := takeOne(m, now, claim); r.Allowed {
					let.Add(1)
					if seen[r.Remaining].Swap(true) {
						t.Errorf("two requests got Remaining = %d", r.Remaining)
					}
				}
			})
			if let.Load() != limit {
				t.Errorf("let %d in, want %d", let.Load(), limit)
			}
		}
	})

	t.Run("limit on everything over many routes, other keys coming and going", func(t *testing.T) {
		t.Parallel()
		m := ratelimit.NewMemory(1<<16, start)
		all := ratelimit.Claim{Key: appKey(0), Limit: limit, Window: time.Hour}
		var let [8]atomic.Int64
		var next atomic.Int64
		hammer(callers, tries, func(caller int) {
			route := caller % len(let)
			c := ratelimit.Claim{Key: userKey(route), Limit: 150, Window: time.Hour}
			if g, r := m.Take(context.Background(), start, all, c); g.Allowed && r.Allowed {
				let[route].Add(1)
			}
			takeOne(m, start, ratelimit.Claim{Key: userKey(1000 + int(next.Add(1))), Limit: 1, Window: time.Second})
		})
		sum := int64(0)
		for i := range let {
			n := let[i].Load()
			sum += n
			if n > 150 {
				t.Errorf("route %d let %d in, want at most 150", i, n)
			}
			c := ratelimit.Claim{Key: userKey(i), Limit: 151, Window: time.Hour}
			if got := takeOne(m, start, c); int64(got.Remaining) != 150-n {
				t.Errorf("route %d has counted %d, but let %d in", i, 150-got.Remaining, n)
			}
		}
		if sum != limit {
			t.Errorf("let %d in over all routes, want %d", sum, limit)
		}
	})
}

// A deadlock would make the test run forever.
func TestMemoryCallersDoNotWaitForEachOther(t *testing.T) {
	t.Parallel()
	m := ratelimit.NewMemory(1<<20, start)
	const tries = 300_000
	claims := [2]ratelimit.Claim{
		{Key: appKey(0), Limit: 2 * tries, Window: time.Hour},
		{Key: appKey(1), Limit: 2 * tries, Window: time.Hour},
	}
	var let [2]int
	hammer(2, tries, func(caller int) {
		// The two goroutines ask in opposite order.
		if g, r := m.Take(context.Background(), start, claims[caller], claims[1-caller]); g.Allowed && r.Allowed {
			let[caller]++
		}
	})
	if let != [2]int{tries, tries} {
		t.Errorf("let %v in, want all %d of both", let, tries)
	}
}

// hammer calls fn from many goroutines at once and waits for all.
func hammer(callers, tries int, fn func(caller int)) {
	var wg sync.WaitGroup
	gate := make(chan struct{})
	for i := range callers {
		wg.Go(func() {
			<-gate
			for range tries {
				fn(i)
			}
		})
	}
	close(gate)
	wg.Wait()
}

func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	const room = 4096

	t.Run("flood of fresh keys does not free a key that is used up", func(t *testing.T) {
		t.Parallel()
		m := ratelimit.NewMemory(room, start)
		used := make([]ratelimit.Claim, 100)
		for i := range used {
			used[i] = ratelimit.Claim{Key: appKey(i), Limit: 5, Window: time.Hour}
			for range 5 {
				takeOne(m, start, used[i])
			}
		}
		for i := range 20 * room {
			if r := takeOne(m, start, ratelimit.Claim{Key: userKey(i), Limit: 50, Window: 2 * time.Hour}); !r.Allowed {
				t.Fatalf("fresh key %d was refused", i)
			}
		}
		for i := range used {
			if takeOne(m, start, used[i]).Allowed {
				t.Errorf("key %d got more than its limit", i)
			}
		}
		u := m.Usage()
		if u.Keys != room || u.Evicted == 0 {
			t.Errorf("Usage() = %+v, want %d keys, and evictions", u, room)
		}
	})

	t.Run("room is what was asked for", func(t *testing.T) {
		t.Parallel()
		for _, room := range []int{1, 2, 3, 17, 1000, 5000, 100_000} {
			m := ratelimit.NewMemory(room, start)
			for round := range 2 {
				for i := range room {
					got := takeOne(m, start, ratelimit.Claim{Key: userKey(i), Limit: 2, Window: time.Hour})
					if got.Remaining != 1-round {
						t.Fatalf("room %d: key %d has %d left in round %d", room, i, got.Remaining, round)
					}
				}
			}
			if u := m.Usage(); u.Evicted != 0 || u.Keys != room {
				t.Errorf("room %d: Usage() = %+v, want all keys and no evictions", room, u)
			}
		}
	})

	t.Run("expired keys make room by themselves", func(t *testing.T) {
		t.Parallel()
		m := ratelimit.NewMemory(room, start)
		live := ratelimit.Claim{Key: appKey(0), Limit: 1, Window: time.Hour}
		takeOne(m, start, live)
		now := start
		for i := range 50 * room {
			now = now.Add(time.Millisecond)
			takeOne(m, now, ratelimit.Claim{Key: userKey(i), Limit: 1, Window: time.Second})
		}
		if u := m.Usage(); u.Evicted != 0 || u.Keys > room {
			t.Errorf("Usage() = %+v, want no evictions and %d keys or fewer", u, room)
		}
		if takeOne(m, now, live).Allowed {
			t.Error("a live key was forgotten while expired ones came and went")
		}
	})

	t.Run("bound holds over several locks", func(t *testing.T) {
		t.Parallel()
		const room = 1 << 16
		m := ratelimit.NewMemory(room, start)
		for i := range 4 * room {
			takeOne(m, start, ratelimit.Claim{Key: userKey(i), Limit: 2, Window: time.Hour})
		}
		if u := m.Usage(); u.Keys < room || u.Keys > 3*room/2 || u.Keys+int(u.Evicted) != 4*room {
			t.Errorf("Usage() = %+v, want between %d and %d keys, and the others evicted", u, room, 3*room/2)
		}
	})

	t.Run("expired keys do not fill the room that was asked for", func(t *testing.T) {
		t.Parallel()
		m, now := ratelimit.NewMemory(1<<20, start), start
		for i := range 200_000 { // 1000 live at a time
			now = now.Add(time.Millisecond)
			takeOne(m, now, ratelimit.Claim{Key: userKey(i), Limit: 1, Window: time.Second})
		}
		// A shard has at most twice the keys that were live when it was last swept. The hash is random, so at worst the live
		// keys were all in one shard, and in each of the 64 in turn.
		if u := m.Usage(); u.Keys > 64*2*1000 || u.Evicted != 0 {
			t.Errorf("Usage() = %+v with 1000 live keys, want 128000 keys or fewer and no evictions", u)
		}
	})
}

// TestMemoryAllocates does not run in parallel, because allocations are counted per process.
func TestMemoryAllocates(t *testing.T) {
	m := ratelimit.NewMemory(1000, start)
	all := ratelimit.Claim{Key: appKey(0), Limit: 50, Window: time.Second}
	now, n, ctx := start, 0, t.Context()
	keys := make([]ratelimit.Key, 1000)
	for i := range keys {
		keys[i] = userKey(i)
	}
	step := func() {
		now = now.Add(30 * time.Millisecond)
		n++
		m.Take(ctx, now, all, ratelimit.Claim{Key: keys[n%1000], Limit: 5, Window: 10 * time.Second})
	}
	for range 5000 { // until the maps have grown
		step()
	}
	if got := testing.AllocsPerRun(2000, step); got != 0 {
		t.Errorf("Take() allocates %v times, want 0", got)
	}
}

func TestCounterAgreesWithMemory(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rule := ratelimit.Rule{Limit: rapid.IntRange(1, 5).Draw(t, "limit"), Window: 3 * time.Second}
		m, now := ratelimit.NewMemory(1, start), start
		var c ratelimit.Counter
		for range rapid.IntRange(1, 50).Draw(t, "requests") {
			now = now.Add(time.Duration(rapid.IntRange(0, 4000).Draw(t, "step")) * time.Millisecond)
			want := takeOne(m, now, ratelimit.Claim{Key: appKey(0), Limit: rule.Limit, Window: rule.Window})
			if got := c.Take(rule, now); got != want {
				t.Fatalf("Take() = %+v, want %+v", got, want)
			}
		}
	})
	var c ratelimit.Counter
	if got := c.Take(ratelimit.Rule{}, start); !got.Allowed {
		t.Errorf("Take() without a rule = %+v, want allowed", got)
	}
}
