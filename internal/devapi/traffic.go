package devtools

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/bellhop/bellhop/snowflake"
)

// Bounds of an Inspector.
const (
	maxEntries   = 1000
	maxBytes     = 16 << 20
	MaxBody      = 16 << 10 // of a body that is shown
	maxFollowers = 64
)

// What followers meet.
var (
	// ErrBehind says that a follower reads too slowly: what comes next for it is no longer kept.
	ErrBehind = errors.New("too far behind")
	// ErrFollowers says that there are too many followers, or that the service ends.
	ErrFollowers = errors.New("no more followers")
)

// Kind is what an entry tells of.
type Kind string

// The kinds of entries.
const (
	Request  Kind = "request"  // to the service, and its response
	Delivery Kind = "delivery" // of an interaction to an app, and the app's answer
	Frame    Kind = "frame"    // of the gateway
)

// Entry is something that an app or a person sent or received. Secrets are masked before it is made: see Mask.
type Entry struct {
	ID          uint64                `json:"id,string"`
	Time        time.Time             `json:"time"`
	Kind        Kind                  `json:"kind"`
	Application snowflake.Application `json:"application_id,omitzero"`
	User        snowflake.User        `json:"user_id,omitzero"`
	Method      string                `json:"method,omitzero"` // of a frame its direction
	Route       string                `json:"route,omitzero"`  // the pattern of the path; of a frame the name of its event
	Path        string                `json:"path,omitzero"`
	Status      int                   `json:"status,omitzero"` // of a frame its opcode
	Error       string                `json:"error,omitzero"`  // why nothing came back
	TookMS      float64               `json:"took_ms,omitzero"`
	Sent        *Content              `json:"request,omitzero"`
	Received    *Content              `json:"response,omitzero"`
}

// Milliseconds returns a time as entries show it, with microseconds.
func Milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// Content is what was sent in one direction.
type Content struct {
	Headers map[string]string `json:"headers,omitzero"`
	Body    string            `json:"body,omitzero"` // of texts only, and cut
	Size    int64             `json:"size"`
	Cut     bool              `json:"cut,omitzero"` // there was more than is shown
}

// size is roughly what the entry takes in memory.
func (e *Entry) size() int {
	n := 512 + len(e.Path) + len(e.Route) + len(e.Error)
	for _, c := range []*Content{e.Sent, e.Received} {
		if c == nil {
			continue
		}
		n += len(c.Body)
		for name, value := range c.Headers {
			n += len(name) + len(value) + 64
		}
	}
	return n
}

// Inspector keeps the last entries and hands them to whoever follows. It is safe for concurrent use. Its zero value is
// ready.
type Inspector struct {
	mu        sync.Mutex
	entries   []Entry // oldest first; their ids follow one another
	bytes     int
	last      uint64 // id of the newest entry
	more      chan struct{}
	followers int
	closed    bool
}

// Record keeps an entry, under an id of its own. It never waits for a reader.
func (i *Inspector) Record(e Entry) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.last++
	e.ID = i.last
	i.entries = append(i.entries, e)
	i.bytes += e.size()
	for len(i.entries) > maxEntries || i.bytes > maxBytes && len(i.entries) > 1 {
		i.bytes -= i.entries[0].size()
		i.entries[0] = Entry{}
		i.entries = i.entries[1:]
	}
	i.wake()
}

func (i *Inspector) wake() {
	if i.more != nil {
		close(i.more)
		i.more = nil
	}
}

// Clear forgets all entries. Ids go on.
func (i *Inspector) Clear() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.entries, i.bytes = nil, 0
}

// Close ends all followers and lets no more begin.
func (i *Inspector) Close() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.closed = true
	i.wake()
}

// Last returns the newest entries that fit, the newest first, at most limit.
func (i *Inspector) Last(f Filter, limit int) []Entry {
	i.mu.Lock()
	defer i.mu.Unlock()
	list := []Entry{}
	for n := len(i.entries) - 1; n >= 0 && len(list) < limit; n-- {
		if f.fits(&i.entries[n]) {
			list = append(list, i.entries[n])
		}
	}
	return list
}

// Follow returns a follower of the entries that fit and come after the one with an id; 0: after now. An id of which later
// entries are gone begins with the oldest. The caller closes it.
func (i *Inspector) Follow(f Filter, after uint64) (*Follower, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.closed || i.followers >= maxFollowers {
		return nil, ErrFollowers
	}
	i.followers++
	if oldest := i.last - uint64(len(i.entries)); after == 0 || after > i.last {
		after = i.last
	} else {
		after = max(after, oldest)
	}
	return &Follower{inspector: i, filter: f, seen: after}, nil
}

// Follower reads entries as they come. It is for one goroutine.
type Follower struct {
	inspector *Inspector
	filter    Filter
	seen      uint64
}

// Close ends the follower.
func (f *Follower) Close() {
	f.inspector.mu.Lock()
	defer f.inspector.mu.Unlock()
	f.inspector.followers--
}

// Next waits for further entries and returns them, oldest first; none when ctx ends. ErrBehind says that some were missed,
// ErrFollowers that the service ends.
func (f *Follower) Next(ctx context.Context) ([]Entry, error) {
	for {
		list, more, err := f.take()
		if err != nil || len(list) > 0 {
			return list, err
		}
		select {
		case <-more:
		case <-ctx.Done():
			return nil, nil
		}
	}
}

// take returns what has come, or what to wait for.
func (f *Follower) take() (list []Entry, more <-chan struct{}, err error) {
	i := f.inspector
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.closed {
		return nil, nil, ErrFollowers
	}
	missed := i.last - f.seen
	if missed > uint64(len(i.entries)) {
		return nil, nil, ErrBehind
	}
	for n := len(i.entries) - int(missed); n < len(i.entries); n++ {
		if f.filter.fits(&i.entries[n]) {
			list = append(list, i.entries[n])
		}
	}
	f.seen = i.last
	if i.more == nil {
		i.more = make(chan struct{})
	}
	return list, i.more, nil
}

// Filter says which entries are wanted. Its zero value wants all.
type Filter struct {
	Application snowflake.Application
	Kind        Kind
	Route       string // a part of the route
	Status      int    // 404, or 4 for all of 400 to 499
	Since       time.Time
}

func (f *Filter) fits(e *Entry) bool {
	switch {
	case f.Application != 0 && f.Application != e.Application,
		f.Kind != "" && f.Kind != e.Kind,
		f.Route != "" && !containsFold(e.Route, f.Route),
		f.Status >= 10 && f.Status != e.Status,
		f.Status > 0 && f.Status < 10 && f.Status != e.Status/100,
		e.Time.Before(f.Since):
		return false
	}
	return true
}
