package store

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
)

// waitBudget is the time that a request can still wait for an engine that does not answer.
type waitBudget struct {
	full time.Duration
	left atomic.Int64
}

type waitBudgetKey struct{}

// WithWaitBudget returns a context for a request. All calls of the request together wait at most d for an engine that does
// not answer. Each answer of the engine restores the full time, so a request with many calls may take longer. Deadlines
// of contexts do not do this: most services detach their writes from the context of the request.
func WithWaitBudget(ctx context.Context, d time.Duration) context.Context {
	b := &waitBudget{full: d}
	b.left.Store(int64(d))
	return context.WithValue(ctx, waitBudgetKey{}, b)
}

// WaitBudget returns how long the next call may wait for the engine, at most most.
func WaitBudget(ctx context.Context, most time.Duration) time.Duration {
	if b, _ := ctx.Value(waitBudgetKey{}).(*waitBudget); b != nil {
		return min(most, time.Duration(b.left.Load()))
	}
	return most
}

// Waited reports how long a call has waited, and whether the engine has answered.
func Waited(ctx context.Context, took time.Duration, answered bool) {
	b, _ := ctx.Value(waitBudgetKey{}).(*waitBudget)
	switch {
	case b == nil:
	case answered:
		b.left.Store(int64(b.full))
	default:
		b.left.Add(-int64(took))
	}
}

// Await waits for done within the wait budget of ctx, at most most. It fails with ErrUnavailable.
func Await(ctx context.Context, most time.Duration, done <-chan struct{}) error {
	select {
	case <-done:
		return nil
	default:
	}
	began := clock.DeadlineNow()
	defer func() { Waited(ctx, clock.DeadlineNow().Sub(began), false) }()
	waiting, cancel := context.WithTimeout(ctx, WaitBudget(ctx, most))
	defer cancel()
	select {
	case <-done:
		return nil
	case <-waiting.Done():
		return fmt.Errorf("%w: %w", ErrUnavailable, waiting.Err())
	}
}
