package store

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
)

// patience is the time that a request can still wait for an engine that does not answer.
type patience struct {
	full time.Duration
	left atomic.Int64
}

type patienceKey struct{}

// WithPatience returns a context for a request. All calls of the request together wait at most d for an engine that does
// not answer. Each answer of the engine restores the full time, so a request with many calls may take longer. Deadlines
// of contexts do not do this: most services detach their writes from the context of the request.
func WithPatience(ctx context.Context, d time.Duration) context.Context {
	p := &patience{full: d}
	p.left.Store(int64(d))
	return context.WithValue(ctx, patienceKey{}, p)
}

// Patience returns how long the next call may wait for the engine, at most most.
func Patience(ctx context.Context, most time.Duration) time.Duration {
	if p, _ := ctx.Value(patienceKey{}).(*patience); p != nil {
		return min(most, time.Duration(p.left.Load()))
	}
	return most
}

// Waited reports how long a call has waited, and whether the engine has answered.
func Waited(ctx context.Context, took time.Duration, answered bool) {
	p, _ := ctx.Value(patienceKey{}).(*patience)
	switch {
	case p == nil:
	case answered:
		p.left.Store(int64(p.full))
	default:
		p.left.Add(-int64(took))
	}
}

// Await waits for done within the patience of ctx, at most most. It fails with ErrUnavailable.
func Await(ctx context.Context, most time.Duration, done <-chan struct{}) error {
	select {
	case <-done:
		return nil
	default:
	}
	began := clock.DeadlineNow()
	defer func() { Waited(ctx, clock.DeadlineNow().Sub(began), false) }()
	waiting, cancel := context.WithTimeout(ctx, Patience(ctx, most))
	defer cancel()
	select {
	case <-done:
		return nil
	case <-waiting.Done():
		return fmt.Errorf("%w: %w", ErrUnavailable, waiting.Err())
	}
}
