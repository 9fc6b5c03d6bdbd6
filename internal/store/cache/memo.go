package cache

import (
	"context"
	"slices"
)

// Memo is a result that was computed from states of the cache, with the revisions of these states.
type Memo[T any] struct {
	Result T
	used   []use
}

// Compute runs fn and returns its result with the revisions of the states that fn has loaded. They also become part of the
// view of ctx. Without a view the memo is never current.
func Compute[T any](ctx context.Context, fn func(context.Context) (T, error)) (*Memo[T], error) {
	outer := viewOf(ctx)
	if outer == nil {
		result, err := fn(ctx)
		return &Memo[T]{Result: result}, err
	}
	inner, v := outer.cache.Begin(ctx)
	result, err := fn(inner)
	outer.useAll(v.used, v.mixed)
	return &Memo[T]{result, slices.Clone(v.used)}, err
}

// Current reports whether all states that the result was computed from are in the cache with the same revisions. They become
// part of the view of ctx, which confirms them when other processes write to the store.
func (m *Memo[T]) Current(ctx context.Context) bool {
	v := viewOf(ctx)
	if v == nil || len(m.used) == 0 {
		return false
	}
	if outdated, known := v.cache.compare(m.used); !known || len(outdated) > 0 {
		return false
	}
	v.useAll(m.used, false)
	return true
}
