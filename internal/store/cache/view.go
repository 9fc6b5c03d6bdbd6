package cache

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bellhop/bellhop/internal/metrics"
	"github.com/bellhop/bellhop/internal/store"
)

// maxDecisions bounds how often a decision runs when concurrent writes change what it read.
const maxDecisions = 64

// lockWait bounds how long a decision waits for other decisions on the same subject. With a shared store the bound is
// sharedLockWait, and the wait counts towards the wait budget of the request: when the store hangs, requests fail within 3
// seconds.
const (
	lockWait       = 30 * time.Second
	sharedLockWait = 2500 * time.Millisecond
)

// View holds the revisions of all states that a request or a decision has read. Until the view is confirmed, the states
// may be out of date and may belong to different moments. It is safe for concurrent use.
type View struct {
	cache *Cache

	mu      sync.Mutex
	used    []use
	index   map[store.Subject]int         // positions in used; nil while used is short
	mixed   bool                          // two revisions of one subject were read
	decides bool                          // the view belongs to a decision
	locked  []store.Subject               // that the decision has locked
	asks    map[any]func(context.Context) // calls that the decision waits for before it runs again, by key
	again   bool                          // the decision runs again after such calls
	retried bool                          // the decision runs again because of a concurrent write
	// ended is set when a decision has confirmed the view and may have committed. The view is not used after that.
	ended  atomic.Bool
	buffer [8]use // the first array of used: most views read a few subjects
}

// use is a subject that was read, and the revision of its state.
type use struct {
	subject  store.Subject
	revision uint64
}

// maxScan is up to how many subjects find searches one by one. For more subjects a map is faster.
const maxScan = 16

type viewKey struct{}

func viewOf(ctx context.Context) *View {
	v, _ := ctx.Value(viewKey{}).(*View)
	if v == nil || v.ended.Load() {
		return nil
	}
	return v
}

// Begin returns a context in which Load returns states from memory without a query. The caller calls Confirm on the
// view before it returns a result, and starts again with a new view when Confirm returns false. The commit of a decision in
// the context confirms the view.
func (c *Cache) Begin(ctx context.Context) (context.Context, *View) {
	v := &View{cache: c}
	v.used = v.buffer[:0]
	return context.WithValue(ctx, viewKey{}, v), v
}

// Ask makes the decision of ctx run again after ask has returned. ask runs outside of the decision, while no other decision
// waits for this one, so it may call another server. Of several calls with the same key, one runs. Ask returns false if ctx
// belongs to no decision; the caller then calls the other server itself.
func Ask(ctx context.Context, key any, ask func(context.Context)) bool {
	v := viewOf(ctx)
	if v == nil || !v.decides {
		return false
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.asks == nil {
		v.asks = map[any]func(context.Context){}
	}
	v.asks[key] = ask
	return true
}

// Asked reports whether ctx belongs to a decision that runs again after a call of Ask.
func Asked(ctx context.Context) bool {
	v := viewOf(ctx)
	return v != nil && v.again
}

// answer makes the calls that a decision has asked for.
func (v *View) answer(ctx context.Context) {
	for _, ask := range v.asks {
		ask(ctx)
	}
}

func (v *View) use(e *entry) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.add(use{e.subject, e.revision})
}

// useAll adds what another view has read.
func (v *View) useAll(used []use, mixed bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.mixed = v.mixed || mixed
	for _, u := range used {
		v.add(u)
	}
}

// add adds a subject that was read. The caller holds v.mu.
func (v *View) add(u use) {
	if i := v.find(u.subject); i >= 0 {
		v.mixed = v.mixed || v.used[i].revision != u.revision
		return
	}
	v.used = append(v.used, u)
	switch {
	case v.index != nil:
		v.index[u.subject] = len(v.used) - 1
	case len(v.used) > maxScan:
		v.index = make(map[store.Subject]int, 4*maxScan)
		for i := range v.used {
			v.index[v.used[i].subject] = i
		}
	}
}

// find returns the position of a subject in v.used, -1 when it was not read.
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

// subjects returns the subjects that were read.
func (v *View) subjects() []store.Subject {
	list := make([]store.Subject, len(v.used))
	for i := range v.used {
		list[i] = v.used[i].subject
	}
	return list
}

// Confirm reports whether all states that were read were current at one moment since the view began. It drops states
// that are out of date from the cache.
func (v *View) Confirm(ctx context.Context) (bool, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.mixed {
		return false, nil
	}
	outdated, err := v.outdated(ctx)
	return err == nil && len(outdated) == 0, err
}

// end forgets what the view has read. A decision calls it when it may have committed; the context loads newer states
// from then on.
func (v *View) end() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.ended.Store(true)
	v.used, v.index = nil, nil
}

// ErrOutdated says that Decide did not commit because the view of its context is out of date. The caller starts again with a
// new view.
var ErrOutdated = fmt.Errorf("%w: the request is based on a state that is out of date", store.ErrStale)

// outdated returns the subjects whose revisions differ from those that were read, and drops their old states from the
// cache. The caller holds v.mu.
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

// compare returns the subjects whose cached states have other revisions than the given ones, at one moment. known is
// false when a state is not in the cache and all cached states have the given revisions.
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

// Consistent runs fn in a view and confirms the view. It runs fn again when the states that fn loaded do not belong to
// one moment, so fn must have no side effects except its results. When ctx has a view already, Consistent only runs fn;
// the caller that began the view confirms it.
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

var errContended = fmt.Errorf("%w: concurrent writes made a decision fail %d times", store.ErrUnavailable, maxDecisions)

// Decide runs decide, which loads states and returns a change, and commits the change. The commit succeeds if all
// states that decide loaded are still current. Otherwise decide runs again on newer states, so it must have no side
// effects except its result. When decide returns an error, Decide confirms the states that decide loaded, returns the
// error, and changes nothing.
//
// An operation that has other effects has three steps. Before Decide it prepares what the change refers to, such as
// stored files and new ids, and undoes that when Decide fails. decide only reads what was prepared. After Decide the
// operation does what the commit allows, such as a delivery.
//
// Decisions that write to the same subject run one after another. One that waits for another runs on the committed state, or, if
// the kind of the subject allows it, on the state that the other one has queued; then both share a commit.
//
// When ctx has a view, the commit confirms it. Decide returns ErrOutdated when the view is out of date.
//
// decide sets the Delete, Put and Events of the change. A subject that the change writes to and that decide did not
// load must not exist.
func (c *Cache) Decide(ctx context.Context, decide func(context.Context) (store.Change, error)) error {
	var locked []store.Subject
	defer func() { c.locks.release(locked) }()
	asked, retried := false, false
	for range maxDecisions {
		inner, v := c.Begin(ctx)
		v.decides, v.locked, v.again, v.retried = true, locked, asked, retried
		change, refusal := decide(inner)
		if len(v.asks) > 0 {
			c.locks.release(locked)
			locked = nil
			v.answer(ctx)
			asked = true
			continue
		}
		if refusal != nil || change.Empty() {
			if final, err := v.refuse(ctx, refusal); final {
				return err
			}
			continue
		}
		if !v.expect(&change) {
			continue
		}
		outer := viewOf(ctx)
		if outer != nil && !outer.see(&change) {
			return ErrOutdated
		}
		var waited bool
		var err error
		if locked, waited, err = c.locks.acquire(ctx, c.maxLockWait(), locked, written(&change)); err != nil {
			return err
		}
		retried = true
		if c.locks.outrun(v, locked, waited) {
			continue // decide again on the states that the other decisions wrote
		}
		turn := c.locks.offer(&change, &locked)
		committing, span := metrics.StartSpan(ctx, "store commit", metrics.InternalSpan)
		err = c.store.Commit(committing, change)
		turn.end(err != nil)
		span.Fail(err)
		span.End()
		if !errors.Is(err, store.ErrStale) {
			if outer != nil {
				outer.end()
			}
			return c.dropUnsure(&change, err)
		}
		if err := c.dropStale(ctx, v, outer); err != nil {
			return err
		}
	}
	return errContended
}

// refuse confirms the view of a decision that changes nothing, and returns the error of the decision. If the decision builds on
// changes in the queue, refuse waits for their commit first. final is false when the decision has to run again.
func (v *View) refuse(ctx context.Context, refusal error) (final bool, err error) {
	if err = v.cache.locks.settle(ctx, v.cache.maxLockWait(), v.locked); err == nil {
		final, err = v.Confirm(ctx)
	}
	if err != nil {
		return true, errors.Join(err, refusal)
	}
	return final, refusal
}

// maxLockWait bounds how long a decision waits for other decisions on the same subject, if its context has no shorter bound.
// The contexts of many callers do not end.
func (c *Cache) maxLockWait() time.Duration {
	if c.store.Shared() {
		return sharedLockWait
	}
	return lockWait
}

// dropUnsure drops the states of the subjects that a change writes to when it is unknown whether the change was stored.
// It returns err.
func (c *Cache) dropUnsure(change *store.Change, err error) error {
	if errors.Is(err, store.ErrUnsure) {
		for _, e := range change.Expect {
			c.drop(e.Subject)
		}
	}
	return err
}

// dropStale drops the outdated states of a decision whose change was stale, and of the view of its context, which is nil
// when there is none. It returns ErrOutdated when the view of the context is out of date.
func (c *Cache) dropStale(ctx context.Context, decision, outer *View) error {
	decision.mu.Lock()
	defer decision.mu.Unlock()
	both := View{cache: c, used: decision.used}
	if outer != nil {
		outer.mu.Lock()
		defer outer.mu.Unlock()
		both.used = slices.Concat(decision.used, outer.used)
	}
	if len(both.used) == 1 {
		c.drop(both.used[0].subject)
		return nil
	}
	outdated, err := both.outdated(ctx)
	switch {
	case err != nil:
		return err
	case len(outdated) == 0: // the change writes to a subject that exists and was not loaded
		c.drop(decision.subjects()...)
	case outer != nil && slices.ContainsFunc(outdated, func(s store.Subject) bool { return outer.find(s) >= 0 }):
		return ErrOutdated
	}
	return nil
}

// see adds what the view has read to what a change requires. It returns false when the view has read two revisions of one
// subject.
func (v *View) see(c *store.Change) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, u := range v.used {
		c.Seen = append(c.Seen, store.Expectation{Subject: u.subject, Revision: u.revision})
	}
	return !v.mixed
}

// expect sets the expectations and checks of a change. It returns false when the decision read two revisions of one
// subject.
func (v *View) expect(c *store.Change) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.mixed {
		return false
	}
	writes := c.Writes()
	for i := range c.Expect { // those that Kind.Next has added
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
