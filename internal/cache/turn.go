package cache

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/bellhop/bellhop/internal/store"
)

// turns lets the decisions of this process that write to the same subject go one after another. Without turns, of many
// decisions on one subject a single one would succeed with each commit, and the others would all be made again.
type turns struct {
	mu    sync.Mutex
	taken map[store.Subject]*turn
}

// turn is the right to write to a subject. One decision has it.
type turn struct {
	waiting []chan struct{} // one for each decision that waits, closed when it gets the turn
}

// take takes the turns of subjects in addition to own, and returns all that the caller has then. waited says that another
// decision had one of them, so the states of its subject may have changed. Turns are taken in the order of their subjects.
// When ctx or the time ends first, the caller has none.
func (t *turns) take(ctx context.Context, end time.Time, own, more []store.Subject) (all []store.Subject, waited bool, err error) {
	more = slices.DeleteFunc(more, func(s store.Subject) bool { return slices.Contains(own, s) })
	if len(more) == 0 {
		return own, false, nil
	}
	if len(own) > 0 { // they have to be taken again in the order of all
		t.release(own)
		more = append(more, own...)
	}
	slices.SortFunc(more, store.Subject.Compare)
	for i, s := range more {
		mine := t.join(s)
		if mine == nil {
			continue
		}
		waited = true
		if err := t.wait(ctx, end, mine); err != nil {
			t.leave(s, mine)
			t.release(more[:i])
			return nil, true, err
		}
	}
	return more, waited, nil
}

func (t *turns) wait(ctx context.Context, end time.Time, mine chan struct{}) error {
	ctx, cancel := context.WithDeadline(ctx, end)
	defer cancel()
	select {
	case <-mine:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", store.ErrUnavailable, ctx.Err())
	}
}

// join takes the turn of a subject and returns nil, or joins those that wait for it.
func (t *turns) join(s store.Subject) chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	u := t.taken[s]
	if u == nil {
		if t.taken == nil {
			t.taken = map[store.Subject]*turn{}
		}
		t.taken[s] = &turn{}
		return nil
	}
	mine := make(chan struct{})
	u.waiting = append(u.waiting, mine)
	return mine
}

// leave gives up the wait for a turn, or the turn if it came in that moment.
func (t *turns) leave(s store.Subject, mine chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	u := t.taken[s]
	if i := slices.Index(u.waiting, mine); i >= 0 {
		u.waiting = slices.Delete(u.waiting, i, i+1)
		return
	}
	t.next(s, u)
}

// release gives turns to the decisions that have waited longest.
func (t *turns) release(subjects []store.Subject) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range subjects {
		t.next(s, t.taken[s])
	}
}

// next passes a turn on. The caller has locked t.
func (t *turns) next(s store.Subject, u *turn) {
	if len(u.waiting) == 0 {
		delete(t.taken, s)
		return
	}
	close(u.waiting[0])
	u.waiting = u.waiting[1:]
}
