package audit

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// List returns up to limit entries that a filter selects, newest first.
func (l *Log) List(ctx context.Context, f store.AuditFilter, limit int) (list []store.AuditEntry, err error) {
	err = l.Store.Read(ctx, func(r store.Reader) error {
		list, err = r.Audit.List(f, limit)
		return err
	})
	return list, err
}

// IDAt returns the id before all ids of entries from a time on.
func IDAt(t time.Time) uint64 {
	ms := t.UnixMilli() - snowflake.Epoch
	if ms <= 0 {
		return 0
	}
	return uint64(ms)<<idTimeShift - 1
}

// idTimeShift is the number of bits of an id below its milliseconds.
const idTimeShift = 22

// Following the log.
const (
	maxFollowers   = 16
	followInterval = time.Second
	followPage     = 500
	// An entry that is committed after the newest entry may be older than it by up to overlap: ids are made before
	// the commit, on any node.
	overlap = 15 * time.Second
)

// Errors of following the log.
var (
	// ErrTooManyFollowers says that maxFollowers clients follow the log on this node.
	ErrTooManyFollowers = errors.New("too many clients follow the audit log")
	// ErrStopped says that the service stops.
	ErrStopped = errors.New("the audit log is not followed any more")
)

// followers counts the followers of this node.
type followers struct {
	mu      sync.Mutex
	count   int
	stopped chan struct{} // closed by StopFollowing; nil before the first use
}

// stop returns the channel that StopFollowing closes. The caller holds f.mu.
func (f *followers) stop() chan struct{} {
	if f.stopped == nil {
		f.stopped = make(chan struct{})
	}
	return f.stopped
}

// StopFollowing ends all followers, also later ones. It is called once, when the service stops.
func (l *Log) StopFollowing() {
	l.followers.mu.Lock()
	defer l.followers.mu.Unlock()
	close(l.followers.stop())
}

// Follower reads entries as they are stored. Close it after use.
type Follower struct {
	log     *Log
	filter  store.AuditFilter
	seen    map[uint64]bool // the entries within overlap that were returned
	stopped <-chan struct{}
}

// Follow returns a follower of the entries with ids above f.After that a filter selects.
func (l *Log) Follow(f store.AuditFilter) (*Follower, error) {
	l.followers.mu.Lock()
	defer l.followers.mu.Unlock()
	if l.followers.count == maxFollowers {
		return nil, ErrTooManyFollowers
	}
	l.followers.count++
	f.Oldest, f.Before = true, 0
	return &Follower{log: l, filter: f, seen: map[uint64]bool{}, stopped: l.followers.stop()}, nil
}

// Close ends the follower.
func (f *Follower) Close() {
	f.log.followers.mu.Lock()
	defer f.log.followers.mu.Unlock()
	f.log.followers.count--
}

// Next waits for new entries and returns them, oldest first. It returns none when ctx ends, and ErrStopped when the
// service stops.
func (f *Follower) Next(ctx context.Context) ([]store.AuditEntry, error) {
	for ctx.Err() == nil {
		list, err := f.read(ctx)
		if err != nil || len(list) > 0 {
			return list, err
		}
		due := make(chan struct{})
		timer := f.log.Wall.AfterFunc(followInterval, func() { close(due) })
		select {
		case <-due:
		case <-ctx.Done():
			timer.Stop()
		case <-f.stopped:
			timer.Stop()
			return nil, ErrStopped
		}
	}
	return nil, nil
}

// read returns the entries that were not returned before.
func (f *Follower) read(ctx context.Context) ([]store.AuditEntry, error) {
	page, err := f.log.List(ctx, f.filter, followPage)
	if err != nil {
		return nil, err
	}
	var list []store.AuditEntry
	for _, e := range page {
		if !f.seen[e.ID] {
			f.seen[e.ID] = true
			list = append(list, e)
		}
	}
	if len(page) == followPage { // more entries follow
		f.filter.After = page[len(page)-1].ID
	} else {
		f.filter.After = max(f.filter.After, IDAt(f.log.Clock.Now().Add(-overlap)))
	}
	for id := range f.seen {
		if id <= f.filter.After {
			delete(f.seen, id)
		}
	}
	return list, nil
}
