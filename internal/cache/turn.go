package cache

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/bellhop/bellhop/internal/store"
)

// turns lets decisions on the same subjects go one after another. A decision takes a turn after it met a concurrent write,
// and waits for those that have one. Without turns, of many decisions on one subject a single one would succeed with each
// commit, and the others would all be made again.
type turns struct {
	count atomic.Int32 // of entries in taken

	mu    sync.Mutex
	taken map[store.Subject]*turn
}

type turn struct {
	free  chan struct{} // capacity 1; holds a value while no decision has the turn
	users int           // decisions that have the turn or wait for it
}

// missing returns the subjects of expectations whose turns are taken, without those in own.
func (t *turns) missing(expect []store.Expectation, own []store.Subject) (missing []store.Subject) {
	if t.count.Load() == 0 {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, e := range expect {
		if t.taken[e.Subject] != nil && !slices.Contains(own, e.Subject) {
			missing = append(missing, e.Subject)
		}
	}
	return missing
}

// add takes turns in addition to own, and returns all that the caller has then. It gives own back meanwhile, because turns
// are taken in the order of their subjects. When ctx ends, the caller has none.
func (t *turns) add(ctx context.Context, own, more []store.Subject) ([]store.Subject, error) {
	if len(more) == 0 {
		return own, nil
	}
	t.release(own)
	all := slices.Concat(own, more)
	slices.SortFunc(all, store.Subject.Compare)
	all = slices.Compact(all)
	for i, s := range all {
		select {
		case <-t.join(s).free:
		case <-ctx.Done():
			t.leave(s)
			t.release(all[:i])
			return nil, fmt.Errorf("%w: %w", store.ErrUnavailable, ctx.Err())
		}
	}
	return all, nil
}

func (t *turns) release(subjects []store.Subject) {
	for _, s := range subjects {
		t.leave(s).free <- struct{}{}
	}
}

// join adds a decision to those that have the turn of a subject or wait for it.
func (t *turns) join(s store.Subject) *turn {
	t.mu.Lock()
	defer t.mu.Unlock()
	u := t.taken[s]
	if u == nil {
		if t.taken == nil {
			t.taken = map[store.Subject]*turn{}
		}
		u = &turn{free: make(chan struct{}, 1)}
		u.free <- struct{}{}
		t.taken[s] = u
		t.count.Add(1)
	}
	u.users++
	return u
}

func (t *turns) leave(s store.Subject) *turn {
	t.mu.Lock()
	defer t.mu.Unlock()
	u := t.taken[s]
	if u.users--; u.users == 0 {
		delete(t.taken, s)
		t.count.Add(-1)
	}
	return u
}
