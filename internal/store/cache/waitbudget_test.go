package cache_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellhop/bellhop/internal/store"
)

// hung is a shared store that answers no call.
type hung struct{ store.Store }

func (hung) Shared() bool                  { return true }
func (hung) Subscribe(func(*store.Change)) {}

func (hung) Commit(ctx context.Context, _ store.Change) error { return wait(ctx) }

func (hung) Load(ctx context.Context, _ store.Subject, _ func(store.Reader) error) (uint64, error) {
	return 0, wait(ctx)
}

// wait waits as long as an engine does that does not answer.
func wait(ctx context.Context) error {
	d := store.WaitBudget(ctx, 2500*time.Millisecond)
	time.Sleep(d)
	store.Waited(ctx, d, false)
	return store.ErrUnavailable
}

// TestHungStore makes decisions on one subject, and loads of one state, while the store does not answer. Each waits for
// others, and then for the store; together it takes as long as the wait budget of its request.
func TestHungStore(t *testing.T) {
	t.Parallel()
	const budget = 2500 * time.Millisecond
	for name, call := range map[string]func(fixture, context.Context) error{
		"decide": func(b fixture, ctx context.Context) error {
			return b.Decide(ctx, func(context.Context) (store.Change, error) {
				return store.Change{Put: []store.Record{store.Quota{Scope: a, Used: 1}}}, nil
			})
		},
		"load": func(b fixture, ctx context.Context) error {
			_, err := b.numbers.Load(ctx, a)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := over(hung{}, 1<<20)
				var wg sync.WaitGroup
				for i := range 8 {
					wg.Go(func() {
						time.Sleep(time.Duration(i) * 200 * time.Millisecond)
						began := time.Now()
						err := call(b, store.WithWaitBudget(t.Context(), budget))
						if took := time.Since(began); !errors.Is(err, store.ErrUnavailable) || took > budget {
							t.Errorf("call %d = %v after %v, want ErrUnavailable within %v", i, err, took, budget)
						}
					})
				}
				wg.Wait()
			})
		})
	}
}
