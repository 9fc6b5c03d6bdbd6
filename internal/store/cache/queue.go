package cache

import (
	"context"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/store"
)

// queuedState is the state of a subject after a change that waits for its commit. The next decision on the subject builds on
// it instead of waiting: it expects the revision of the change before it. The store applies changes in the order of its queue,
// so both share a commit, and if the first one fails, the second one is stale. Only decisions that have locked the subject see
// the state.
type queuedState struct {
	*entry

	chain uint64        // revision of the first change of those that build on one another
	done  chan struct{} // closed when the change was committed or has failed
}

// turn is the commit of a change by a decision that has locked its subjects.
type turn struct {
	locks  *locks
	locked []store.Subject // until the commit
	states []queuedState   // while the change is in the queue, those that other decisions may build on
	done   chan struct{}   // of the states
}

// offer makes the store unlock the extendable subjects of a change when it has queued the change. The caller ends the turn after
// the commit.
func (l *locks) offer(c *store.Change, locked *[]store.Subject) *turn {
	t := &turn{locks: l, locked: *locked}
	if len(c.Extendable) > 0 {
		c.Queued = func(c *store.Change) {
			t.begin(c)
			*locked = t.locked
		}
	}
	return t
}

// begin shows the states of the extendable subjects of a change to the next decisions and unlocks these subjects.
func (t *turn) begin(c *store.Change) {
	t.done = make(chan struct{})
	l := t.locks
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.queued == nil {
		l.queued = map[store.Subject]queuedState{}
	}
	for _, e := range c.Expect {
		if e.State == nil || !slices.Contains(c.Extendable, e.Subject) {
			continue
		}
		q := queuedState{newEntry(c, e, e.State.(sized)), c.Revision, t.done}
		if before := l.queued[e.Subject]; before.entry != nil && before.revision == e.Revision {
			q.chain = before.chain
		}
		t.states, l.queued[e.Subject] = append(t.states, q), q
	}
	var kept []store.Subject
	for _, s := range t.locked {
		if l.queued[s].done == t.done {
			l.unlock(s)
		} else {
			kept = append(kept, s)
		}
	}
	t.locked = kept
}

// end removes the states of a change after its commit. If the commit has failed, end also removes the states that build on
// them: their changes will fail too.
func (t *turn) end(failed bool) {
	l := t.locks
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range t.locked { // other decisions have waited; the store has answered the changes before this one
		delete(l.queued, s)
	}
	if t.done == nil {
		return
	}
	close(t.done)
	for _, q := range t.states {
		newest := l.queued[q.subject]
		if newest.done == t.done || failed && newest.chain == q.chain {
			delete(l.queued, q.subject)
		}
	}
}

// newest returns the state of a subject after the change that was queued last, nil if no change waits.
func (l *locks) newest(s store.Subject) *entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.queued[s].entry
}

// outrun reports whether a decision has to run again when it has locked subjects: it waited for another decision, or has loaded a
// subject and does not build on the change of it that is in the queue.
func (l *locks) outrun(v *View, subjects []store.Subject, waited bool) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return waited || slices.ContainsFunc(subjects, func(s store.Subject) bool {
		e := l.newest(s)
		return e != nil && v.find(s) >= 0 && e.revision != v.revision(s)
	})
}

// settle waits until no change of subjects that the caller has locked waits for its commit.
func (l *locks) settle(ctx context.Context, most time.Duration, locked []store.Subject) error {
	for _, s := range locked {
		l.mu.Lock()
		q := l.queued[s]
		l.mu.Unlock()
		if q.entry == nil {
			continue
		}
		if err := store.Await(ctx, most, q.done); err != nil {
			return err
		}
	}
	return nil
}

// queued returns the state of a subject that the decision of the view builds on, nil if there is none.
func (v *View) queued(s store.Subject) *entry {
	if v == nil || !slices.Contains(v.locked, s) {
		return nil
	}
	return v.cache.locks.newest(s)
}
