package cache

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store"
)

// maxDecisions bounds how often a decision is made that keeps meeting concurrent writes.
const maxDecisions = 64

// turnPatience bounds how long a decision waits for other decisions on the same subjects. A shared store may hang, and then
// requests are refused within 3 seconds.
const (
	turnPatience       = 30 * time.Second
	sharedTurnPatience = 2500 * time.Millisecond
)

// View is what a request or a decision has read. Its states may be out of date, and may belong to different moments, until
// it is confirmed. It is safe for concurrent use.
type View struct {
	cache *Cache

	mu    sync.Mutex
	used  []use
	index map[store.Subject]int // places in used; nil while these are few
	torn  bool                  // two revisions of one subject were used
	over  atomic.Bool           // a decision has confirmed the view and may have committed: it is not used any more
	room  [8]use                // for used: most views read a few subjects
}

// use is a subject that was read, and the revision of its state.
type use struct {
	subject  store.Subject
	revision uint64
}

// maxScan is how many subjects are searched one by one. A map is faster for more.
const maxScan = 16

type viewKey struct{}

func viewOf(ctx context.Context) *View {
	v, _ := ctx.Value(viewKey{}).(*View)
	if v == nil || v.over.Load() {
		return nil
	}
	return v
}

// Begin returns a context in which states are read from memory without a query. The caller calls Confirm on the view before
// it shows a result, and starts over with a new view when Confirm reports false. A decision in the context confirms the view
// before it commits.
func (c *Cache) Begin(ctx context.Context) (context.Context, *View) {
	v := &View{cache: c}
	v.used = v.room[:0]
	return context.WithValue(ctx, viewKey{}, v), v
}

func (v *View) use(e *entry) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if i := v.find(e.subject); i >= 0 {
		v.torn = v.torn || v.used[i].revision != e.revision
		return
	}
	v.used = append(v.used, use{e.subject, e.revision})
	switch {
	case v.index != nil:
		v.index[e.subject] = len(v.used) - 1
	case len(v.used) > maxScan:
		v.index = make(map[store.Subject]int, 4*maxScan)
		for i := range v.used {
			v.index[v.used[i].subject] = i
		}
	}
}

// find returns the place of a subject in v.used, -1 when it was not read.
func (v *View) find(s store.Subject) int {
	if v.index == nil {
		return slices.IndexFunc(v.used, func(u use) bool { return u.subject == s })
	}
	if i, used := v.index[s]; used {
		return i
	}
	return -1
}

// revision returns the revision of a subject that was read, 0 when it was not.
func (v *View) revision(s store.Subject) uint64 {
	if i := v.find(s); i >= 0 {
		return v.used[i].revision
	}
	return 0
}

// subjects returns everything that was read.
func (v *View) subjects() []store.Subject {
	list := make([]store.Subject, len(v.used))
	for i := range v.used {
		list[i] = v.used[i].subject
	}
	return list
}

// Confirm reports whether everything that was read was the newest state at one moment since the view began. States that are
// out of date are dropped from the cache.
func (v *View) Confirm(ctx context.Context) (bool, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.torn {
		return false, nil
	}
	outdated, err := v.outdated(ctx)
	return err == nil && len(outdated) == 0, err
}

// confirmWith confirms v and the view of a decision that was made in the context of v, with one query. It reports whether the
// decision may be committed. It returns errOutdated when v is out of date.
func (v *View) confirmWith(ctx context.Context, decision *View) (bool, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.torn {
		return false, errOutdated
	}
	both := View{cache: v.cache, used: slices.Concat(v.used, decision.used)}
	outdated, err := both.outdated(ctx)
	if err != nil {
		return false, err
	}
	for _, s := range outdated {
		if v.find(s) >= 0 {
			return false, errOutdated
		}
	}
	v.over.Store(true)
	v.used, v.index = nil, nil
	return len(outdated) == 0, nil
}

var errOutdated = fmt.Errorf("%w: the request is based on a state that is out of date", store.ErrStale)

// outdated returns the subjects that have other revisions than those that were read, and drops their old states from the
// cache. The caller has locked the view.
func (v *View) outdated(ctx context.Context) ([]store.Subject, error) {
	if len(v.used) == 0 {
		return nil, nil
	}
	if !v.cache.store.Shared() {
		if list, known := v.cache.compare(v.used); known {
			return list, nil
		}
	}
	subjects := v.subjects()
	revisions, err := v.cache.store.Revisions(ctx, subjects...)
	if err != nil {
		return nil, err
	}
	var list []store.Subject
	for i, s := range subjects {
		if revisions[i] != v.used[i].revision {
			list = append(list, s)
			v.cache.dropUnless(s, revisions[i])
		}
	}
	return list, nil
}

// compare returns the subjects whose states in the cache have other revisions than the given ones, at one moment. known is
// false when a state is not in the cache and no other one differs.
func (c *Cache) compare(used []use) (outdated []store.Subject, known bool) {
	var set shardSet
	for i := range used {
		set |= 1 << c.index(used[i].subject)
	}
	c.lock(set)
	defer c.unlock(set)
	known = true
	for _, u := range used {
		switch e := c.shard(u.subject).entries[u.subject]; {
		case e == nil:
			known = false
		case e.revision != u.revision:
			outdated = append(outdated, u.subject)
		}
	}
	return outdated, known || len(outdated) > 0
}

// replaced reports whether the cache has newer states than those in a view: other decisions ended while it was confirmed.
func (c *Cache) replaced(v *View) bool {
	outdated, _ := c.compare(v.used)
	return len(outdated) > 0
}

// Consistent runs fn in a view and confirms what it read. It runs fn again when the states that fn loaded do not belong to
// one moment, so fn has no side effects but its results. When ctx has a view already, the caller that began it confirms it.
func (c *Cache) Consistent(ctx context.Context, fn func(context.Context) error) error {
	if viewOf(ctx) != nil {
		return fn(ctx)
	}
	for range maxDecisions {
		inner, v := c.Begin(ctx)
		result := fn(inner)
		confirmed, err := v.Confirm(ctx)
		switch {
		case err != nil:
			return errors.Join(err, result)
		case confirmed:
			return result
		}
	}
	return errContended
}

var errContended = fmt.Errorf("%w: %d decisions in a row met concurrent writes", store.ErrUnavailable, maxDecisions)

// Decide lets decide load states and say what to change, and commits that. The commit expects everything that decide
// loaded to be as it was. When something is not, decide runs again on newer states, so it has no side effects but its
// result. An error of decide is returned as it is, once the states that it is based on are confirmed; nothing is changed
// then.
//
// When ctx has a view, Decide confirms it before it commits, and fails when it is out of date.
//
// decide sets what is deleted, put and announced. A subject that it writes to without having loaded it is expected not to
// exist.
func (c *Cache) Decide(ctx context.Context, decide func(context.Context) (store.Change, error)) error {
	var own []store.Subject // turns
	defer func() { c.turns.release(own) }()
	// Callers often cannot be cancelled, so the wait for other decisions needs a bound of its own.
	bound := turnPatience
	if c.store.Shared() {
		bound = sharedTurnPatience
	}
	end := clock.System{}.Now().Add(bound)
	for range maxDecisions {
		inner, v := c.Begin(ctx)
		change, refusal := decide(inner)
		if refusal != nil || change.Empty() {
			confirmed, err := v.Confirm(ctx)
			switch {
			case err != nil:
				return errors.Join(err, refusal)
			case confirmed:
				return refusal
			}
			continue
		}
		if !v.expect(&change) {
			continue
		}
		outer := viewOf(ctx)
		if outer != nil {
			if current, err := outer.confirmWith(ctx, v); err != nil {
				return err
			} else if !current {
				continue
			}
		}
		var waited bool
		var err error
		if own, waited, err = c.turns.take(ctx, end, own, written(&change)); err != nil {
			return err
		}
		if waited || outer != nil && c.replaced(v) {
			continue // on what the others wrote
		}
		err = c.store.Commit(ctx, change)
		if !errors.Is(err, store.ErrStale) {
			return c.settle(&change, err)
		}
		if err := c.stale(ctx, v); err != nil {
			return err
		}
	}
	return errContended
}

// settle drops the states of the subjects that a change wrote to when it is unknown whether it was stored.
func (c *Cache) settle(change *store.Change, err error) error {
	if errors.Is(err, store.ErrUnsure) {
		for _, e := range change.Expect {
			c.drop(e.Subject)
		}
	}
	return err
}

// stale drops the outdated states of a view whose change was refused.
func (c *Cache) stale(ctx context.Context, v *View) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.used) == 1 {
		c.drop(v.used[0].subject)
		return nil
	}
	outdated, err := v.outdated(ctx)
	if err == nil && len(outdated) == 0 { // a subject exists that was written to without having been loaded
		c.drop(v.subjects()...)
	}
	return err
}

// expect completes a change with the revisions that it is based on. It returns false when the decision used two revisions of
// one subject.
func (v *View) expect(c *store.Change) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.torn {
		return false
	}
	writes := c.Writes()
	for i := range c.Expect { // that were given with their states
		e := &c.Expect[i]
		e.Revision, e.Ends = v.revision(e.Subject), e.Ends || writes[e.Subject]
		delete(writes, e.Subject)
	}
	for s, ends := range writes {
		c.Expect = append(c.Expect, store.Expectation{Subject: s, Revision: v.revision(s), Ends: ends})
	}
	for _, e := range c.Events {
		if c.Expects(e.Subject) == nil {
			c.Expect = append(c.Expect, store.Expectation{Subject: e.Subject, Revision: v.revision(e.Subject)})
		}
	}
	for _, u := range v.used {
		if c.Expects(u.subject) == nil {
			c.Check = append(c.Check, store.Expectation{Subject: u.subject, Revision: u.revision})
		}
	}
	return true
}

// written returns the subjects that a change writes to.
func written(c *store.Change) []store.Subject {
	list := make([]store.Subject, len(c.Expect))
	for i := range c.Expect {
		list[i] = c.Expect[i].Subject
	}
	return list
}
