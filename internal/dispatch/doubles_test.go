package dispatch_test

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/cache"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/snowflake"
)

// gatedStore is a store whose calls a test can make fail or wait.
type gatedStore struct {
	store.Store

	shared bool // the result of Shared

	mu     sync.Mutex
	fail   bool                     // commits fail
	commit func(*store.Change)      // called before a commit; may be nil
	stale  func(*store.Change) bool // reports whether a commit fails as after a concurrent write; may be nil
	read   func()                   // called before a read; may be nil
}

func (s *gatedStore) Read(ctx context.Context, fn func(store.Reader) error) error {
	s.beforeRead()
	return s.Store.Read(ctx, fn)
}

func (s *gatedStore) Load(ctx context.Context, of store.Subject, fn func(store.Reader) error) (uint64, error) {
	s.beforeRead()
	return s.Store.Load(ctx, of, fn)
}

func (s *gatedStore) beforeRead() {
	s.mu.Lock()
	read := s.read
	s.mu.Unlock()
	if read != nil {
		read()
	}
}

func (s *gatedStore) Shared() bool { return s.shared }

// refuse makes commits fail, or succeed again.
func (s *gatedStore) refuse(fail bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail = fail
}

// before sets the function that is called before each commit.
func (s *gatedStore) before(fn func(*store.Change)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.commit = fn
}

// refuseStale sets the function that reports whether a commit fails as after a concurrent write.
func (s *gatedStore) refuseStale(stale func(*store.Change) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stale = stale
}

func (s *gatedStore) Commit(ctx context.Context, c store.Change) error {
	s.mu.Lock()
	fail, before, stale := s.fail, s.commit, s.stale
	s.mu.Unlock()
	if fail {
		return store.ErrUnavailable
	}
	if stale != nil && stale(&c) {
		return store.ErrStale
	}
	if before != nil {
		before(&c)
	}
	return s.Store.Commit(ctx, c)
}

// recordedEvents records the events of interactions.
type recordedEvents struct {
	t    testing.TB
	off  atomic.Bool // nothing is recorded
	mu   sync.Mutex
	list []events.Event
	more chan struct{} // closed and replaced with every event
}

// committed records the events of a change. The change must write to the subject of each.
func (r *recordedEvents) committed(c *store.Change) {
	for _, e := range c.Events {
		if e.Subject.Kind != store.KindInteraction && e.Subject.Kind != store.KindMessages {
			continue // of the directory
		}
		if c.Expects(e.Subject) == nil {
			r.t.Errorf("the change does not write to %[2]v, the subject of %[1]s", e.Name, e.Subject)
		}
		r.Publish(e.Event)
	}
}

func (r *recordedEvents) Publish(e events.Event) {
	if r.off.Load() {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, e)
	close(r.more)
	r.more = make(chan struct{})
}

// named returns the events with a name so far, and a channel that is closed when more events come.
func (r *recordedEvents) named(name string) ([]events.Event, chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var found []events.Event
	for _, e := range r.list {
		if e.Name == name {
			found = append(found, e)
		}
	}
	return found, r.more
}

// memoryFiles stores files in memory.
type memoryFiles struct {
	mu    sync.Mutex
	files map[snowflake.Attachment]string
	full  bool // Put fails
	puts  int  // calls of Put
	late  int  // calls of Put by a decision
}

func (s *memoryFiles) Put(ctx context.Context, id snowflake.Attachment, _ string, r io.Reader) (int64, error) {
	text, err := io.ReadAll(r)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.puts++
	if cache.Ask(ctx, s, func(context.Context) {}) {
		s.late++
	}
	if s.full {
		return 0, errors.New("no room")
	}
	s.files[id] = string(text)
	return int64(len(text)), err
}

func (s *memoryFiles) Delete(_ context.Context, ids ...snowflake.Attachment) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		delete(s.files, id)
	}
	return nil
}

func (s *memoryFiles) URL(_ snowflake.Channel, id snowflake.Attachment, name string) string {
	return "https://files.example/" + id.String() + "/" + name
}

func (s *memoryFiles) texts() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []string
	for _, text := range s.files {
		list = append(list, text)
	}
	return list
}

// fixedClock always shows the same time. Only the movable clock over it moves, so a slow machine causes no timeouts.
type fixedClock struct{ now time.Time }

// newFixedClock returns a clock that shows half a millisecond: no id has that time, so golden files never show the time of an id and of an
// edit as the same.
func newFixedClock() fixedClock {
	return fixedClock{time.Now().Truncate(time.Millisecond).Add(500 * time.Microsecond)}
}

func (c fixedClock) Now() time.Time { return c.now }

// AfterFunc calls the function only when wait has already passed. The movable clock over this one does the rest.
func (fixedClock) AfterFunc(wait time.Duration, call func()) *clock.Timer {
	if wait > 0 {
		wait, call = time.Hour, func() {}
	}
	return clock.System{}.AfterFunc(wait, call)
}

// unsubscribedStore is the store as another node sees it: without notifications about commits.
type unsubscribedStore struct{ store.Store }

func (unsubscribedStore) Subscribe(func(*store.Change)) {}
