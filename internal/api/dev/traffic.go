package dev

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/dispatch"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
)

// Bounds of Traffic.
const (
	maxEntries   = 10_000
	maxBytes     = 16 << 20
	maxFollowers = 64
)

// Errors of followers.
var (
	// ErrBehind says that a follower reads too slowly and has missed entries.
	ErrBehind = errors.New("too far behind")
	// ErrFollowers says that there are too many followers, or that the service stops.
	ErrFollowers = errors.New("no more followers")
)

// Kind is the kind of an entry.
type Kind string

// The kinds of entries.
const (
	Request  Kind = "request"  // a request to the service, and its response
	Delivery Kind = "delivery" // a delivery of an interaction to an app, and the app's response
	Event    Kind = "event"    // an event webhook to an app, and whether the app acknowledged it
	Frame    Kind = "frame"    // a payload of the gateway
	Outcome  Kind = "outcome"  // the end of an interaction
)

// Entry is something that an app or a user sent or received. Secrets in it are masked.
type Entry struct {
	ID          uint64                `json:"id,string"`
	Time        time.Time             `json:"time"` // of the beginning
	Kind        Kind                  `json:"kind"`
	Application snowflake.Application `json:"application_id,omitzero"`
	User        snowflake.User        `json:"user_id,omitzero"`
	Interaction snowflake.Interaction `json:"interaction_id,omitzero"` // that the entry is a step of
	Method      string                `json:"method,omitzero"`         // direction of a frame; kind of an interaction
	Route       string                `json:"route,omitzero"`          // pattern of the path; name of the event of a frame or an event webhook
	Path        string                `json:"path,omitzero"`           // command of an outcome
	Status      int                   `json:"status,omitzero"`         // opcode of a frame
	Gap         string                `json:"gap,omitzero"`            // the operation of Discord that the service does not have
	Outcome     dispatch.Result       `json:"outcome,omitzero"`        // of the interaction
	Error       string                `json:"error,omitzero"`          // why there is no response, or why the interaction failed
	// SignatureValid says whether the signature of a delivery fits the body that was sent, which had no mask. It is set when the entry
	// is read.
	SignatureValid *bool   `json:"signature_valid,omitzero"`
	TookMS         float64 `json:"took_ms,omitzero"`
	// Sent and Received are set when the entry is read, if they were captured.
	Sent     *Content `json:"request,omitzero"`
	Received *Content `json:"response,omitzero"`

	// sent and received are the contents without masks. They are masked when the entry is read, because most entries are
	// never read. nil: none. That of a delivery has the whole body that was sent.
	sent, received *api.Content
	// isSigned verifies the signature of a delivery, once. It is nil if nothing was signed. To verify takes three times as long as
	// to sign.
	isSigned func() bool
}

// show sets the fields that are set when the entry is read.
func (e *Entry) show() {
	if e.isSigned != nil {
		e.SignatureValid = new(e.isSigned())
	}
	if e.sent != nil {
		e.Sent = newContent(e.sent)
	}
	if e.received != nil {
		e.Received = newContent(e.received)
	}
}

// milliseconds returns a duration in milliseconds, with microsecond precision.
func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// Content has the headers and the body that one side sent.
type Content struct {
	Headers map[string]string `json:"headers,omitzero"`
	Body    string            `json:"body,omitzero"` // only of text formats, and only the first api.MaxCaptured bytes
	Size    int64             `json:"size"`
	Cut     bool              `json:"cut,omitzero"` // Body is not complete
}

// size returns the approximate size of the entry in memory.
func (e *Entry) size() int {
	n := 512 + len(e.Path) + len(e.Route) + len(e.Error)
	for _, c := range []*api.Content{e.sent, e.received} {
		if c == nil {
			continue
		}
		n += cap(c.Start)
		for name, values := range c.Header {
			n += len(name) + 64
			for _, value := range values {
				n += len(value)
			}
		}
	}
	return n
}

// Traffic keeps the last entries and streams new ones to followers. It is safe for concurrent use. The zero value is
// empty.
type Traffic struct {
	// Log receives every entry as a line of JSON, nil: none. It is set before the first entry.
	Log io.Writer

	mu        sync.Mutex
	entries   []Entry // oldest first, with consecutive ids
	bytes     int
	last      uint64 // id of the newest entry
	more      chan struct{}
	followers int
	closed    bool
	running   map[chan struct{}]bool // requests that are not recorded yet; each channel is closed afterwards
}

// Record adds an entry and returns its id. It never waits for a follower.
func (t *Traffic) Record(e Entry) uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last++
	e.ID = t.last
	if t.Log != nil {
		t.log(&e)
	}
	t.entries = append(t.entries, e)
	t.bytes += e.size()
	for len(t.entries) > maxEntries || t.bytes > maxBytes && len(t.entries) > 1 {
		t.bytes -= t.entries[0].size()
		t.entries[0] = Entry{}
		t.entries = t.entries[1:]
	}
	t.wake()
	return e.ID
}

// log writes an entry to Log. An entry that cannot be written is missing there: requests do not fail because of it.
func (t *Traffic) log(e *Entry) {
	shown := *e
	shown.show()
	line, err := json.Marshal(&shown, json.Deterministic(true))
	if err != nil {
		return
	}
	_, _ = t.Log.Write(append(line, '\n'))
}

func (t *Traffic) wake() {
	if t.more != nil {
		close(t.more)
		t.more = nil
	}
}

// Clear removes all entries. The ids of new entries continue.
func (t *Traffic) Clear() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.entries, t.bytes = nil, 0
}

// Close ends all followers and allows no new ones.
func (t *Traffic) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	t.wake()
}

// Last returns up to limit entries that match the filter, newest first.
func (t *Traffic) Last(f Filter, limit int) []Entry {
	list := t.newest(f, limit)
	for i := range list {
		list[i].show()
	}
	return list
}

// newest is Last without the fields that are set when an entry is read.
func (t *Traffic) newest(f Filter, limit int) []Entry {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := []Entry{}
	for n := len(t.entries) - 1; n >= 0 && len(list) < limit; n-- {
		if f.matches(&t.entries[n]) {
			list = append(list, t.entries[n])
		}
	}
	return list
}

// Entry returns the entry with an id. ok is false if it is not kept any more.
func (t *Traffic) Entry(id uint64) (e Entry, ok bool) {
	defer func() { e.show() }()
	t.mu.Lock()
	defer t.mu.Unlock()
	if age := t.last - id; id <= t.last && age < uint64(len(t.entries)) {
		return t.entries[len(t.entries)-1-int(age)], true
	}
	return Entry{}, false
}

// Follow returns a follower of the entries that match the filter and come after the id; 0 means new entries only. If
// later entries are no longer kept, it begins with the oldest that is. The caller closes the follower.
func (t *Traffic) Follow(f Filter, after uint64) (*Follower, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed || t.followers >= maxFollowers {
		return nil, ErrFollowers
	}
	t.followers++
	if oldest := t.last - uint64(len(t.entries)); after == 0 || after > t.last {
		after = t.last
	} else {
		after = max(after, oldest)
	}
	return &Follower{traffic: t, filter: f, seen: after}, nil
}

// Follower reads new entries. It is not safe for concurrent use.
type Follower struct {
	traffic *Traffic
	filter  Filter
	seen    uint64
}

// Close ends the follower.
func (f *Follower) Close() {
	f.traffic.mu.Lock()
	defer f.traffic.mu.Unlock()
	f.traffic.followers--
}

// Next waits for new entries and returns them, oldest first. It returns none when ctx ends. It returns ErrBehind if
// entries were missed, and ErrFollowers when the service stops.
func (f *Follower) Next(ctx context.Context) ([]Entry, error) {
	for {
		list, more, err := f.take()
		if err != nil || len(list) > 0 {
			for i := range list {
				list[i].show()
			}
			return list, err
		}
		select {
		case <-more:
		case <-ctx.Done():
			return nil, nil
		}
	}
}

// take returns the new entries, or a channel that is closed when there are some.
func (f *Follower) take() (list []Entry, more <-chan struct{}, err error) {
	t := f.traffic
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return nil, nil, ErrFollowers
	}
	missed := t.last - f.seen
	if missed > uint64(len(t.entries)) {
		return nil, nil, ErrBehind
	}
	for n := len(t.entries) - int(missed); n < len(t.entries); n++ {
		if f.filter.matches(&t.entries[n]) {
			list = append(list, t.entries[n])
		}
	}
	f.seen = t.last
	if t.more == nil {
		t.more = make(chan struct{})
	}
	return list, t.more, nil
}

// BeginRequest notes that a request to the service begins. The caller calls end after RecordRequest.
func (t *Traffic) BeginRequest() (end func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.running == nil {
		t.running = map[chan struct{}]bool{}
	}
	done := make(chan struct{})
	t.running[done] = true
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.running, done)
		close(done)
	}
}

// maxWait is the longest time that AwaitRunning waits.
const maxWait = time.Second

// AwaitRunning waits until the requests that run now are recorded. A test that has got the answer of an app can then find the
// request that brought it, which is recorded a moment later.
func (t *Traffic) AwaitRunning(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, maxWait)
	defer cancel()
	t.mu.Lock()
	running := slices.Collect(maps.Keys(t.running))
	t.mu.Unlock()
	for _, done := range running {
		select {
		case <-done:
		case <-ctx.Done():
		}
	}
}

// RecordRequest adds a request to the service.
func (t *Traffic) RecordRequest(e api.Exchange) {
	t.Record(Entry{
		Time: e.Time, Kind: Request, Application: e.Application, User: e.User, Interaction: e.Interaction,
		Method: e.Method, Route: e.Route, Path: maskPath(e.Route, e.Path, e.Query), Status: e.Status, Gap: e.Gap, TookMS: milliseconds(e.Took),
		sent: &e.Request, received: &e.Response,
	})
}

// Filter selects entries. The zero value selects all.
type Filter struct {
	Application snowflake.Application
	Kind        Kind
	Route       string // part of the route
	Status      int    // 404, or 4 for all of 400 to 499
	Since       time.Time
}

func (f *Filter) matches(e *Entry) bool {
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
