package dev

import (
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/snowflake"
)

// Bounds of faults.
const (
	MaxFaults    = 100
	maxDelay     = time.Minute
	maxRateLimit = 24 * 60 * 60 // seconds
)

// Fault says which requests fail, and how. An empty Method, Route or Application matches all.
type Fault struct {
	ID          int                   `json:"id"`
	Method      string                `json:"method,omitzero"`
	Route       string                `json:"route,omitzero"` // pattern of a path; a star at its end matches all that begin so
	Application snowflake.Application `json:"application,omitzero"`

	Delay      string   `json:"delay,omitzero"`
	Status     int      `json:"status,omitzero"`
	RateLimit  float64  `json:"rate_limit,omitzero"` // seconds
	Drop       api.Drop `json:"drop,omitzero"`
	Disconnect int      `json:"disconnect,omitzero"` // close code for gateway connections, which are closed at once

	Count   int     `json:"count,omitzero"` // of requests that fail; 0: all
	Share   float64 `json:"share,omitzero"` // of matching requests that fail; 0: all
	Seed    uint64  `json:"seed,omitzero"`
	Applied int     `json:"struck"` // number of requests that have failed

	delay  time.Duration
	random *rand.Rand
}

// ReadFault reads a fault. The error is a *jsonbody.Tree.
func ReadFault(body jsonbody.Value) (Fault, error) {
	var t jsonbody.Tree
	r := memberReader{&t, body}
	f := Fault{
		Method: strings.ToUpper(r.text("method")), Route: r.text("route"), Delay: r.text("delay"), Drop: api.Drop(r.text("drop")),
		Status: r.integer("status", http.StatusBadRequest, 599), Disconnect: r.integer("disconnect", 1000, 4999),
		Count: r.integer("count", 0, 1<<30), Seed: uint64(r.integer("seed", 0, 1<<53)),
		RateLimit: r.number("rate_limit", maxRateLimit), Share: r.number("share", 1),
	}
	if v := body.Get("application"); v.IsSet() {
		f.Application, _ = jsonbody.AsID[snowflake.Application](t.At("application"), v)
	}
	if f.Delay != "" {
		var err error
		if f.delay, err = time.ParseDuration(f.Delay); err != nil || f.delay < 0 || f.delay > maxDelay {
			t.At("delay").Add("DURATION_TYPE_COERCE", `Expected a duration of up to a minute, such as "200ms".`)
		}
	}
	if f.Drop != "" && f.Drop != api.DropBefore && f.Drop != api.DropAfter {
		t.At("drop").NotOneOf(string(api.DropBefore), string(api.DropAfter))
	}
	if f.Delay == "" && f.Status == 0 && f.RateLimit == 0 && f.Drop == "" && f.Disconnect == 0 && !t.Failed() {
		t.Add(jsonbody.Required, "A fault has a delay, a status, a rate_limit, a drop or a disconnect")
	}
	return f, t.Err()
}

// memberReader reads optional members of an object.
type memberReader struct {
	t    *jsonbody.Tree
	body jsonbody.Value
}

func (r memberReader) text(key string) string {
	v := r.body.Get(key)
	if !v.IsSet() {
		return ""
	}
	s, _ := jsonbody.AsString(r.t.At(key), v)
	return s
}

func (r memberReader) integer(key string, low, high int64) int {
	v := r.body.Get(key)
	if !v.IsSet() {
		return 0
	}
	n, _ := jsonbody.AsInt(r.t.At(key), v, low, high)
	return int(n)
}

func (r memberReader) number(key string, high float64) float64 {
	v := r.body.Get(key)
	if !v.IsSet() {
		return 0
	}
	n, _ := jsonbody.AsFloat(r.t.At(key), v, 0, high)
	return n
}

func (f *Fault) matches(method, route string, application func() snowflake.Application) bool {
	if f.Method != "" && f.Method != method {
		return false
	}
	if prefix, star := strings.CutSuffix(f.Route, "*"); f.Route != "" && f.Route != route && (!star || !strings.HasPrefix(route, prefix)) {
		return false
	}
	return f.Application == 0 || f.Application == application()
}

// applies decides by Count and Share whether a matching request fails, and counts it.
func (f *Fault) applies() bool {
	if f.Count > 0 && f.Applied >= f.Count {
		return false
	}
	if f.Share > 0 && f.random.Float64() >= f.Share {
		return false
	}
	f.Applied++
	return true
}

// Faults are the faults that a developer has added. It is safe for concurrent use. The zero value has none.
type Faults struct {
	some atomic.Bool // there are faults; requests take the lock only then

	mu   sync.Mutex
	list []*Fault
	last int
}

// Add adds a fault and sets its id. It returns false if there are MaxFaults already. A fault that disconnects is not
// kept: Add calls disconnect once, with the close code and a function that tells which connections to close.
func (f *Faults) Add(fault Fault, disconnect func(applies func(snowflake.Application) bool, code int)) (Fault, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.list) >= MaxFaults {
		return Fault{}, false
	}
	f.last++
	fault.ID = f.last
	fault.random = rand.New(rand.NewPCG(fault.Seed, fault.Seed))
	if fault.Disconnect != 0 {
		disconnect(func(app snowflake.Application) bool {
			return app != 0 && (fault.Application == 0 || fault.Application == app) && fault.applies()
		}, fault.Disconnect)
		return fault, true
	}
	f.list = append(f.list, &fault)
	f.some.Store(true)
	return fault, true
}

// List returns the faults, oldest first.
func (f *Faults) List() []Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	list := make([]Fault, len(f.list))
	for i, fault := range f.list {
		list[i] = *fault
	}
	return list
}

// Clear removes all faults.
func (f *Faults) Clear() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = nil
	f.some.Store(false)
}

// NextFault returns the first fault that applies to a request.
func (f *Faults) NextFault(method, route string, application func() snowflake.Application) (api.Fault, bool) {
	if !f.some.Load() {
		return api.Fault{}, false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, fault := range f.list {
		if fault.matches(method, route, application) && fault.applies() {
			return api.Fault{
				Delay: fault.delay, Status: fault.Status, Drop: fault.Drop,
				RateLimit: time.Duration(fault.RateLimit * float64(time.Second)),
			}, true
		}
	}
	return api.Fault{}, false
}
