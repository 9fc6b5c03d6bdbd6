package cache

import (
	"context"
	"errors"
	"time"

	"github.com/bellhop/bellhop/internal/metrics"
	"github.com/bellhop/bellhop/internal/store"
)

// Kind reads the states of one kind of subject. All fields are required. Every kind of subject has one Kind, so that a
// subject has one type of state.
type Kind[K comparable, T any] struct {
	Cache   *Cache
	Subject func(K) store.Subject
	// Read returns the state of a subject in a snapshot. Load returns its errors, and errors are not cached. A subject
	// that does not exist may have a state, for example an empty list.
	Read func(r store.Reader, key K) (*T, error)
	// Size returns roughly how many bytes a state takes.
	Size func(*T) int
}

// loadWait bounds how long a caller waits for another one that reads the same state. Every engine answers earlier.
const loadWait = 30 * time.Second

// load is a read of a state that is in progress. All callers that need the state meanwhile share the result.
type load struct {
	done  chan struct{} // closed when the fields below are set
	entry *entry        // nil when the revision of the subject is unknown; without a state when err is set
	err   error
	// abandoned is set when the reading caller could not wait for the result. The other callers then read the state
	// themselves.
	abandoned bool
}

// Load returns the state of a subject. Within a View it may be out of date until the view is confirmed. Otherwise it
// contains every commit acknowledged before the call.
func (k *Kind[K, T]) Load(ctx context.Context, key K) (state *T, err error) {
	c, s := k.Cache, k.Subject(key)
	view := viewOf(ctx)
	if view == nil && c.store.Shared() {
		err = c.Consistent(ctx, func(ctx context.Context) (err error) {
			state, err = k.Load(ctx, key)
			return err
		})
		return state, err
	}
	e := view.queued(s)
	if e == nil {
		e = c.get(s)
	}
	if e == nil {
		e, err = k.read(ctx, key, s)
	}
	if e != nil && view != nil {
		view.use(e) // also when the subject was not found: a decision may depend on that
	}
	if err != nil {
		return nil, err
	}
	return e.state.(*T), nil
}

// LoadIfRetried is Load for a subject that a decision creates and that rarely exists already. In the first run of a
// decision it returns nil without a query, and the commit fails if the subject exists. When the decision runs again, it
// returns the state.
func (k *Kind[K, T]) LoadIfRetried(ctx context.Context, key K) (*T, error) {
	if v := viewOf(ctx); v != nil && v.decides && !v.retried {
		return nil, nil
	}
	return k.Load(ctx, key)
}

// read reads a state from the store, once for all concurrent callers.
func (k *Kind[K, T]) read(ctx context.Context, key K, s store.Subject) (*entry, error) {
	sh := k.Cache.shard(s)
	for {
		sh.mu.Lock()
		l := sh.loads[s]
		if l == nil {
			l = &load{done: make(chan struct{}), abandoned: true}
			sh.loads[s] = l
			sh.mu.Unlock()
			k.fetch(ctx, key, s, l)
			return l.entry, l.err
		}
		sh.mu.Unlock()
		if err := store.Await(ctx, loadWait, l.done); err != nil {
			return nil, err
		}
		if !l.abandoned {
			return l.entry, l.err
		}
	}
}

// fetch reads a state and caches it, unless the subject was written to meanwhile.
func (k *Kind[K, T]) fetch(ctx context.Context, key K, s store.Subject, l *load) {
	sh := k.Cache.shard(s)
	defer func() { // also when Read panics
		sh.mu.Lock()
		if sh.loads[s] == l {
			delete(sh.loads, s)
			if l.err == nil && !l.abandoned {
				cached := *l.entry // a copy: callers use l.entry without the lock of the shard
				sh.put(&cached)
			}
		}
		sh.mu.Unlock()
		close(l.done)
	}()
	var state *T
	ctx, span := metrics.StartSpan(ctx, "store load", metrics.InternalSpan)
	defer span.End()
	revision, err := k.Cache.store.Load(ctx, s, func(r store.Reader) (err error) {
		state, err = k.Read(r, key)
		return err
	})
	if !errors.Is(err, store.ErrUnavailable) {
		l.entry = &entry{subject: s, revision: revision}
	}
	if err == nil {
		l.entry.state, l.entry.size = state, entrySize+k.Size(state)
	}
	expired := ctx.Err() != nil || store.WaitBudget(ctx, loadWait) <= 0
	l.err, l.abandoned = err, expired && errors.Is(err, store.ErrUnavailable)
}

// Grow adds to the size of a subject's state, for example because it was rendered.
func (k *Kind[K, T]) Grow(key K, bytes int) { k.Cache.grow(k.Subject(key), bytes) }

// Next sets the state that a subject has after a change, so that the cache does not have to read it.
func (k *Kind[K, T]) Next(c *store.Change, key K, state *T) {
	s := k.Subject(key)
	e := c.Expects(s)
	if e == nil {
		c.Expect = append(c.Expect, store.Expectation{Subject: s})
		e = &c.Expect[len(c.Expect)-1]
	}
	e.State = sized{state, k.Size(state)}
}
