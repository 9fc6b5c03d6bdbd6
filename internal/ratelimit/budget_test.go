package ratelimit_test

import (
	"testing"

	"github.com/bellhop/bellhop/internal/ratelimit"
)

func TestBudget(t *testing.T) {
	t.Parallel()
	b := ratelimit.NewBudget(ratelimit.BudgetRule{All: 25, Caller: 10})
	take := func(step string, k ratelimit.Key, n int64, want ratelimit.Admission) {
		t.Helper()
		if got := b.Take(k, n); got != want {
			t.Errorf("%s: Take() = %v, want %v", step, got, want)
		}
	}
	take("within the share", appKey(1), 10, ratelimit.Entered)
	take("beyond the share", appKey(1), 1, ratelimit.CallerFull)
	take("another caller", appKey(2), 10, ratelimit.Entered)
	take("beyond the total", appKey(3), 6, ratelimit.AllFull)
	take("more than there ever is", ratelimit.Key{}, 26, ratelimit.CallerFull)
	b.Free(appKey(1), 10)
	take("after another caller has freed its bytes", appKey(3), 6, ratelimit.Entered)
	take("a caller without a share", ratelimit.Key{}, 9, ratelimit.Entered)
	b.Free(appKey(2), 10)
	b.Free(appKey(3), 6)
	b.Free(ratelimit.Key{}, 9)
	take("when all is free", ratelimit.Key{}, 25, ratelimit.Entered)
}

// BenchmarkBudget measures what a request with a small body costs.
func BenchmarkBudget(b *testing.B) {
	budget := ratelimit.NewBudget(ratelimit.BudgetRule{All: 1 << 30, Caller: 1 << 28})
	b.ReportAllocs()
	for b.Loop() {
		budget.Take(appKey(1), 100)
		budget.Free(appKey(1), 100)
	}
}
