package devtools

import (
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/snowflake"
)

// Bounds of faults.
const (
	MaxFaults = 100
	MaxDelay  = time.Minute
	maxWait   = 24 * 60 * 60 // seconds of a rate limit
)

// When a connection is dropped.
const (
	DropBefore = "before" // nothing has happened
	DropAfter  = "after"  // the request was served, and its answer is lost
)

// Fault says which requests go wrong, and how. What it leaves out of Method, Route and Application matches all.
type Fault struct {
	ID          int                   `json:"id"`
	Method      string                `json:"method,omitzero"`
	Route       string                `json:"route,omitzero"` // the pattern of a path; with a star at its end all that begin so
	Application snowflake.Application `json:"application,omitzero"`

	Delay      string  `json:"delay,omitzero"`
	Status     int     `json:"status,omitzero"`
	RateLimit  float64 `json:"rate_limit,omitzero"` // seconds
	Drop       string  `json:"drop,omitzero"`
	Disconnect int     `json:"disconnect,omitzero"` // close code for gateway sessions, which are closed at once

	Count  int     `json:"count,omitzero"` // how many it strikes; 0: all
	Share  float64 `json:"share,omitzero"` // of those that match; 0: all
	Seed   uint64  `json:"seed,omitzero"`
	Struck int     `json:"struck"`

	wait time.Duration
	dice *rand.Rand
}

// ReadFault reads a fault. An error is a *problem.Tree.
func ReadFault(body jsonbody.Value) (Fault, error) {
	var t jsonbody.Tree
	r := reader{&t, body}
	f := Fault{
		Method: strings.ToUpper(r.text("method")), Route: r.text("route"), Delay: r.text("delay"), Drop: r.text("drop"),
		Status: r.whole("status", http.StatusBadRequest, 599), Disconnect: r.whole("disconnect", 1000, 4999),
		Count: r.whole("count", 0, 1<<30), Seed: uint64(r.whole("seed", 0, 1<<53)),
		RateLimit: r.number("rate_limit", maxWait), Share: r.number("share", 1),
	}
	if v := body.Get("application"); v.IsSet() {
		f.Application, _ = jsonbody.AsID[snowflake.Application](t.At("application"), v)
	}
	if f.Delay != "" {
		var err error
		if f.wait, err = time.ParseDuration(f.Delay); err != nil || f.wait < 0 || f.wait > MaxDelay {
			t.At("delay").Add("DURATION_TYPE_COERCE", `Expected a duration of up to a minute, such as "200ms".`)
		}
	}
	if f.Drop != "" && f.Drop != DropBefore && f.Drop != DropAfter {
		t.At("drop").NotOneOf(DropBefore, DropAfter)
	}
	if f.Delay == "" && f.Status == 0 && f.RateLimit == 0 && f.Drop == "" && f.Disconnect == 0 && !t.Failed() {
		t.Add(jsonbody.Required, "A fault has a delay, a status, a rate_limit, a drop or a disconnect")
	}
	return f, t.Err()
}

// reader reads members that may be absent.
type reader struct {
	t    *jsonbody.Tree
	body jsonbody.Value
}

func (r reader) text(key string) string {
	v := r.body.Get(key)
	if !v.IsSet() {
		return ""
	}
	s, _ := jsonbody.AsString(r.t.At(key), v)
	return s
}

func (r reader) whole(key string, low, high int64) int {
	v := r.body.Get(key)
	if !v.IsSet() {
		return 0
	}
	n, _ := jsonbody.AsInt(r.t.At(key), v, low, high)
	return int(n)
}

func (r reader) number(key string, high float64) float64 {
	v := r.body.Get(key)
	if !v.IsSet() {
		return 0
	}
	n, _ := jsonbody.AsFloat(r.t.At(key), v, 0, high)
	return n
}

// Wait returns how long a request that is struck waits first.
func (f *Fault) Wait() time.Duration { return f.wait }

// Asked is a request as far as faults care.
type Asked struct {
	Method, Route string
	Application   func() snowflake.Application // found out only when a fault asks for it
}

func (f *Fault) matches(q Asked) bool {
	if f.Method != "" && f.Method != q.Method {
		return false
	}
	if prefix, star := strings.CutSuffix(f.Route, "*"); f.Route != "" && f.Route != q.Route && (!star || !strings.HasPrefix(q.Route, prefix)) {
		return false
	}
	return f.Application == 0 || f.Application == q.Application()
}

// strikes throws the dice for something that matches.
func (f *Fault) strikes() bool {
	if f.Count > 0 && f.Struck >= f.Count {
		return false
	}
	if f.Share > 0 && f.dice.Float64() >= f.Share {
		return false
	}
	f.Struck++
	return true
}

// Faults are those that a developer has asked for. It is safe for concurrent use. Its zero value has none.
type Faults struct {
	some atomic.Bool // there are any: asking costs nothing otherwise

	mu   sync.Mutex
	list []*Fault
	last int
}

// Add takes a fault in and gives it an id. It reports whether there is room. One that disconnects is over at once: pick
// is called for it with a function that says whom it strikes, and returns how many those were.
func (f *Faults) Add(fault Fault, pick func(strikes func(snowflake.Application) bool, code int) int) (Fault, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.list) >= MaxFaults {
		return Fault{}, false
	}
	f.last++
	fault.ID = f.last
	fault.dice = rand.New(rand.NewPCG(fault.Seed, fault.Seed)) //nolint:gosec // repeats on purpose
	if fault.Disconnect != 0 {
		pick(func(app snowflake.Application) bool {
			return app != 0 && (fault.Application == 0 || fault.Application == app) && fault.strikes()
		}, fault.Disconnect)
		return fault, true
	}
	f.list = append(f.list, &fault)
	f.some.Store(true)
	return fault, true
}

// List returns the faults, oldest first, with how many requests each has struck.
func (f *Faults) List() []Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	list := make([]Fault, len(f.list))
	for i, fault := range f.list {
		list[i] = *fault
	}
	return list
}

// Clear ends all faults.
func (f *Faults) Clear() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = nil
	f.some.Store(false)
}

// Strike returns the first fault that strikes a request, if any.
func (f *Faults) Strike(q Asked) (Fault, bool) {
	if !f.some.Load() {
		return Fault{}, false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, fault := range f.list {
		if fault.matches(q) && fault.strikes() {
			return *fault, true
		}
	}
	return Fault{}, false
}
