package cache

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/bellhop/bellhop/internal/store"
)

// locks makes the decisions of this process that write to the same subject run one after another. Without it, one of
// many concurrent decisions on a subject would succeed with each commit, and all others would have to run again.
type locks struct {
	mu     sync.Mutex
	locked map[store.Subject]*subjectLock
	queued map[store.Subject]queuedState // the newest of each subject
}

// subjectLock is the lock of a subject. One decision has it.
type subjectLock struct {
	waiting []chan struct{} // one for each waiting decision, oldest first; closed when the decision gets the lock
}

// acquire locks subjects in addition to held, and returns all subjects that the caller has locked then. waited reports
// whether another decision had one of the locks, so that the states of its subject may have changed. Subjects are
// locked in their order. When ctx ends or the wait takes longer than most, the caller has no locks.
func (l *locks) acquire(ctx context.Context, most time.Duration, held, more []store.Subject) (all []store.Subject, waited bool, err error) {
	more = slices.DeleteFunc(more, func(s store.Subject) bool { return slices.Contains(held, s) })
	if len(more) == 0 {
		return held, false, nil
	}
	if len(held) > 0 { // unlock them first, to lock all subjects in order
		l.release(held)
		more = append(more, held...)
	}
	slices.SortFunc(more, store.Subject.Compare)
	for i, s := range more {
		granted := l.lock(s)
		if granted == nil {
			continue
		}
		waited = true
		if err := store.Await(ctx, most, granted); err != nil {
			l.cancel(s, granted)
			l.release(more[:i])
			return nil, true, err
		}
	}
	return more, waited, nil
}

// lock locks a subject and returns nil. When another decision has the lock, it returns a channel that is closed when
// the caller gets the lock.
func (l *locks) lock(s store.Subject) chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	k := l.locked[s]
	if k == nil {
		if l.locked == nil {
			l.locked = map[store.Subject]*subjectLock{}
		}
		l.locked[s] = &subjectLock{}
		return nil
	}
	granted := make(chan struct{})
	k.waiting = append(k.waiting, granted)
	return granted
}

// cancel ends the wait for a lock. It unlocks the subject if the lock was granted in the meantime.
func (l *locks) cancel(s store.Subject, granted chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	k := l.locked[s]
	if i := slices.Index(k.waiting, granted); i >= 0 {
		k.waiting = slices.Delete(k.waiting, i, i+1)
		return
	}
	l.unlock(s)
}

// release unlocks subjects.
func (l *locks) release(subjects []store.Subject) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range subjects {
		l.unlock(s)
	}
}

// unlock grants the lock of a subject to the decision that has waited longest. The caller holds l.mu.
func (l *locks) unlock(s store.Subject) {
	k := l.locked[s]
	if len(k.waiting) == 0 {
		delete(l.locked, s)
		return
	}
	close(k.waiting[0])
	k.waiting = k.waiting[1:]
}
