package cache_test

import (
	"context"
	"testing"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/cache"
)

// TestAsk checks that a decision that asks runs again after the answer, and that it holds no lock meanwhile.
func TestAsk(t *testing.T) {
	t.Parallel()
	c := cache.New(openDB(t), 1<<20)
	var order []string
	answered := false
	err := c.Decide(t.Context(), func(ctx context.Context) (store.Change, error) {
		order = append(order, "decide")
		if cache.Asked(ctx) != answered {
			t.Errorf("Asked() = %v, want %v", !answered, answered)
		}
		for range 3 {
			if !answered && !cache.Ask(ctx, "key", func(context.Context) {
				order = append(order, "ask")
				answered = true
			}) {
				t.Error("Ask() = false in a decision")
			}
		}
		return store.Change{}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(order) != 3 || order[1] != "ask" {
		t.Errorf("called %q, want decide, ask, decide", order)
	}
	if cache.Ask(t.Context(), "key", nil) {
		t.Error("Ask() = true outside of a decision")
	}
	ctx, _ := c.Begin(t.Context())
	if cache.Ask(ctx, "key", nil) {
		t.Error("Ask() = true in a view that is no decision")
	}
}
