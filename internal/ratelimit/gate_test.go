package ratelimit_test

import (
	"sync/atomic"
	"testing"

	"github.com/bellhop/bellhop/internal/ratelimit"
	"pgregory.net/rapid"
)

func TestGateAgreesWithModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rule := ratelimit.GateRule{All: rapid.IntRange(0, 12).Draw(t, "all"), Caller: rapid.IntRange(0, 4).Draw(t, "caller")}
		g := ratelimit.NewGate(rule)
		var inside []int // callers of the requests in progress
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			if len(inside) > 0 && rapid.Bool().Draw(t, "leave") {
				i := rapid.IntRange(0, len(inside)-1).Draw(t, "who")
				g.Leave(appKey(inside[i]))
				inside = append(inside[:i], inside[i+1:]...)
				continue
			}
			caller, same := rapid.IntRange(0, 5).Draw(t, "caller"), 0
			for _, c := range inside {
				if c == caller {
					same++
				}
			}
			want := ratelimit.Entered
			switch {
			case rule.Caller > 0 && same >= rule.Caller:
				want = ratelimit.CallerFull
			case rule.All > 0 && len(inside) >= rule.All:
				want = ratelimit.AllFull
			default:
				inside = append(inside, caller)
			}
			if got := g.Enter(appKey(caller)); got != want {
				t.Fatalf("Enter() = %d with %d of %d inside, want %d", got, same, len(inside), want)
			}
			callers := map[int]bool{}
			for _, c := range inside {
				if rule.Caller > 0 {
					callers[c] = true
				}
			}
			if n, of := g.Inside(); n != len(inside) || of != len(callers) {
				t.Fatalf("Inside() = %d of %d callers, want %d of %d", n, of, len(inside), len(callers))
			}
		}
	})
}

func TestGateIsExactUnderConcurrency(t *testing.T) {
	t.Parallel()
	g := ratelimit.NewGate(ratelimit.GateRule{All: 20, Caller: 5})
	var inside, tooMany atomic.Int64
	var each [8]atomic.Int64
	hammer(64, 300, func(caller int) {
		caller %= len(each)
		if g.Enter(appKey(caller)) != ratelimit.Entered {
			return
		}
		all, own := inside.Add(1), each[caller].Add(1)
		if all > 20 || own > 5 {
			tooMany.Add(1)
		}
		each[caller].Add(-1)
		inside.Add(-1)
		g.Leave(appKey(caller))
	})
	if tooMany.Load() != 0 {
		t.Errorf("%d requests entered a gate that was full", tooMany.Load())
	}
	if n, of := g.Inside(); n != 0 || of != 0 {
		t.Fatalf("%d of %d callers are under way after all have left", n, of)
	}
	for i := range 20 { // all requests have left
		if got := g.Enter(appKey(i % 4)); got != ratelimit.Entered {
			t.Errorf("Enter() number %d = %d, want entered", i, got)
		}
	}
}

func TestGateManyCallers(t *testing.T) {
	t.Parallel()
	g := ratelimit.NewGate(ratelimit.GateRule{Caller: 1})
	const callers = 50_000
	for i := range callers {
		if got := g.Enter(appKey(i)); got != ratelimit.Entered {
			t.Fatalf("caller %d: Enter() = %d, want entered", i, got)
		}
	}
	for i := range callers {
		if got := g.Enter(appKey(i)); got != ratelimit.CallerFull {
			t.Fatalf("caller %d again: Enter() = %d, want full", i, got)
		}
		g.Leave(appKey(i))
	}
	if n, of := g.Inside(); n != 0 || of != 0 {
		t.Errorf("Inside() = %d of %d callers, want none", n, of)
	}
}

func TestGateLeaveWithoutEntering(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("Leave() of a caller that is not inside did not panic")
		}
	}()
	ratelimit.NewGate(ratelimit.GateRule{Caller: 1}).Leave(appKey(0))
}

// TestGateAllocates does not run in parallel, because allocations are counted per process.
func TestGateAllocates(t *testing.T) {
	g := ratelimit.NewGate(ratelimit.Default().Gate)
	keys := make([]ratelimit.Key, 512)
	for i := range keys {
		keys[i] = appKey(i)
		g.Enter(keys[i])
		g.Leave(keys[i])
	}
	n := 0
	if got := testing.AllocsPerRun(2000, func() {
		n++
		k := keys[n%len(keys)]
		g.Enter(k)
		g.Enter(k)
		g.Leave(k)
		g.Leave(k)
	}); got != 0 {
		t.Errorf("Enter() and Leave() allocate %v times, want 0", got)
	}
}
