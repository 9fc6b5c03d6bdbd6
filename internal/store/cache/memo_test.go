package cache_test

import (
	"context"
	"testing"

	"github.com/bellhop/bellhop/internal/store/cache"
)

// TestMemo computes a sum of two states and asks whether it is current. On one of several nodes a memo stays current until
// the view that uses it is confirmed.
func TestMemo(t *testing.T) {
	t.Parallel()
	for name, shared := range map[string]bool{"single node": false, "several nodes": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := openDB(t)
			other := over(db, 1<<20)
			d := other
			if shared {
				list := nodes(db, 2)
				d, other = over(list[0], 1<<20), over(list[1], 1<<20)
			}
			d.put(t, 5, a)
			d.put(t, 6, b)
			sum := func(ctx context.Context) (int, error) { return d.load(t, ctx, a) + d.load(t, ctx, b), nil }
			ctx, v := d.Begin(t.Context())
			memo, err := cache.Compute(ctx, sum)
			if ok, confirm := v.Confirm(t.Context()); err != nil || memo.Result != 11 || !ok || confirm != nil {
				t.Fatalf("Compute() = %v, %v, confirmed %v, %v", memo, err, ok, confirm)
			}
			if memo.Current(t.Context()) {
				t.Error("a memo is current without a view")
			}
			ctx, v = d.Begin(t.Context())
			current := memo.Current(ctx)
			if ok, err := v.Confirm(t.Context()); !current || !ok || err != nil {
				t.Errorf("Current() = %v, confirmed %v, %v, want an unchanged memo to be current", current, ok, err)
			}
			ctx, v = d.Begin(t.Context())
			current = memo.Current(ctx)
			other.put(t, 7, b)
			if ok, err := v.Confirm(t.Context()); !current || ok || err != nil {
				t.Errorf("Current() = %v, confirmed %v, %v, although a state was written meanwhile", current, ok, err)
			}
			if ctx, _ = d.Begin(t.Context()); memo.Current(ctx) {
				t.Error("a memo is current after one of its states was written")
			}
			alone, err := cache.Compute(t.Context(), sum)
			if ctx, _ = d.Begin(t.Context()); err != nil || alone.Result != 12 || alone.Current(ctx) {
				t.Errorf("Compute() without a view = %v, %v, want a result that is never current", alone, err)
			}
		})
	}
}
