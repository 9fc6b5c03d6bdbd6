package lobbies

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/bellhop/bellhop/internal/rules/lobby"
	"github.com/bellhop/bellhop/snowflake"
)

const (
	// watchPause is the time between two looks of a Watch.
	watchPause = time.Second
	// watchLife is the time after which a Watch ends, so that a caller who has lost access does not keep it.
	watchLife = 10 * time.Minute
	// maxWatches and maxAppWatches bound the watches of a node, and those of one application.
	maxWatches    = 100
	maxAppWatches = 10
)

// ErrTooManyWatches means that the application or the node has too many watches, or that the service stops.
var ErrTooManyWatches = errors.New("no more lists of lobbies can be watched")

// errWatchOver ends a watch. The caller can begin a new one.
var errWatchOver = errors.New("the list is watched no longer")

// watches counts the watches of a node.
type watches struct {
	mu      sync.Mutex
	all     int
	apps    map[snowflake.Application]int
	stopped bool
	stop    chan struct{} // closed by Stop
}

// Watch is a page of a search that is looked at again and again. It does the same with one node and with several ones. One
// goroutine uses it, and closes it.
type Watch struct {
	search *Search
	app    snowflake.Application
	filter *lobby.Filter
	after  snowflake.Lobby
	limit  int
	ends   time.Time

	shown bool // the caller has a page
	last  Page
}

// Watch returns the page that Find finds as a Watch.
func (s *Search) Watch(ctx context.Context, app snowflake.Application, f *lobby.Filter, after snowflake.Lobby, limit int) (*Watch, error) {
	if _, err := s.Find(ctx, app, f, after, 1); err != nil {
		return nil, err
	}
	s.watches.mu.Lock()
	defer s.watches.mu.Unlock()
	if s.watches.stopped || s.watches.all >= maxWatches || s.watches.apps[app] >= maxAppWatches {
		return nil, ErrTooManyWatches
	}
	s.watches.all++
	s.watches.apps[app]++
	return &Watch{search: s, app: app, filter: f, after: after, limit: limit, ends: s.states.Wall.Now().Add(watchLife)}, nil
}

// StopWatches ends all watches, because the service stops.
func (s *Search) StopWatches() {
	s.watches.mu.Lock()
	defer s.watches.mu.Unlock()
	if !s.watches.stopped {
		s.watches.stopped = true
		close(s.watches.stop)
	}
}

// Close ends the watch.
func (w *Watch) Close() {
	list := &w.search.watches
	list.mu.Lock()
	defer list.mu.Unlock()
	list.all--
	if list.apps[w.app]--; list.apps[w.app] == 0 {
		delete(list.apps, w.app)
	}
}

// Next waits until the page is another one than Next returned before. It returns false when ctx ends first, and an error when
// the watch has ended.
func (w *Watch) Next(ctx context.Context) (Page, bool, error) {
	for {
		if w.shown && !w.pause(ctx) {
			return Page{}, false, nil
		}
		select {
		case <-w.search.watches.stop:
			return Page{}, false, errWatchOver
		default:
		}
		if !w.search.states.Wall.Now().Before(w.ends) {
			return Page{}, false, errWatchOver
		}
		p, err := w.search.Find(ctx, w.app, w.filter, w.after, w.limit)
		if err != nil {
			return Page{}, false, err
		}
		if !w.shown || !p.equal(&w.last) {
			w.shown, w.last = true, p
			return p, true, nil
		}
	}
}

// pause waits for the next look. It returns false if ctx ends before.
func (w *Watch) pause(ctx context.Context) bool {
	done := make(chan struct{})
	timer := w.search.states.Wall.AfterFunc(watchPause, func() { close(done) })
	defer timer.Stop()
	select {
	case <-done:
	case <-w.search.watches.stop:
	case <-ctx.Done():
		return false
	}
	return true
}

// equal reports whether two pages show the same.
func (p *Page) equal(o *Page) bool {
	return p.After == o.After && slices.EqualFunc(p.Found, o.Found, func(a, b *lobby.Listing) bool {
		return a.ID == b.ID && a.Flags == b.Flags && a.Metadata == b.Metadata && a.Members == b.Members
	})
}
