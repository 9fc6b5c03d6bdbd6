// Package httpapi has what all HTTP routes share. It finds the route of a request, authenticates the caller, applies rate
// limits, reads the body, and writes results and errors. One table of routes feeds the mux, the access checks, the
// metrics and /openapi.json. Packages apiv10, oauthapi and adminapi hold the tables.
package httpapi

import (
	"log/slog"
	"math/rand/v2"
	"net/http"
	"path"
	"strconv"
	"strings"

	"github.com/bellhop/bellhop/internal/attachments"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/cache"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/devtools"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/dispatch"
	"github.com/bellhop/bellhop/internal/metrics"
	"github.com/bellhop/bellhop/internal/signin"
	"github.com/bellhop/bellhop/internal/store"
)

// Frame is what all routes share: who calls, how often, how an answer or an error goes out, what is noted of it. All
// fields but Dev are required.
type Frame struct {
	Store     store.Store
	Cache     *cache.Cache
	Directory *directory.Directory
	Tokens    *auth.Authenticator
	// Door knows the people in browsers.
	Door *signin.Door
	// Interactions carries invocations and their answers.
	Interactions *dispatch.Dispatch
	// Attachments are the files of messages.
	Attachments *attachments.Attachments
	Clock       clock.Clock
	Limits      Limits
	Dev         *devtools.Dev // nil: no dev controls
	Metrics     *metrics.Metrics
	Log         *slog.Logger
	// Version is the program's, for /openapi.json.
	Version string
}

// wall is the machine's clock, by which requests are measured; the service's own may be moved.
var wall clock.System

// Serve returns what serves every path: those of the routes, and those that tell of the service itself.
func (f *Frame) Serve(routes []Route) http.Handler {
	h := &handler{frame: f, mux: http.NewServeMux()}
	byPath := map[string]*endpoint{}
	for _, r := range f.withSystem(routes) {
		bound := boundRoute{&r, f.Metrics.Route(r.Path, r.Method), f.Log.With("method", r.Method, "route", r.Path)}
		for _, base := range r.bases() {
			e, ok := byPath[base+r.Path]
			if !ok {
				e = &endpoint{}
				byPath[base+r.Path] = e
				h.mux.Handle(base+r.Path, e)
				if r.Slashed {
					h.mux.Handle(base+r.Path+"/{$}", e)
				}
			}
			e.add(bound)
		}
	}
	h.stray = f.Metrics.Route(noRoute, "any")
	h.mux.Handle("/", stray{h})
	return h
}

// noRoute stands in logs and metrics for the pattern of a path that nothing serves.
const noRoute = "none"

// handler takes every request. It lets the mux find the endpoint, but never answer: it takes the paths that the mux
// would redirect, and what nothing serves is answered in JSON.
type handler struct {
	frame *Frame
	mux   *http.ServeMux
	stray *metrics.Route // of requests that no route serves
}

// ServeHTTP answers one request and notes it in the log and the metrics.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began := wall.Now()
	h.frame.Metrics.InFlight.Inc()
	defer h.frame.Metrics.InFlight.Dec()
	c := &Call{ResponseWriter: w, frame: h.frame, Request: r, id: rand.Uint32(), pattern: noRoute, numbers: h.stray} //nolint:gosec // tells log lines apart, guards nothing
	c.from = c.address()
	if h.frame.Dev != nil && h.frame.Dev.Clock.Moved() { // clients reckon with Date beside the times of limits, which follow the movable clock
		w.Header().Set("Date", h.frame.Clock.Now().UTC().Format(http.TimeFormat))
	}
	if h.frame.Dev != nil {
		c.watch()
	}
	h.serve(c)
	c.leave()
	now := wall.Now()
	took := now.Sub(began)
	c.numbers.Observe(c.status, took)
	c.log(now, took)
	if h.frame.Dev != nil {
		c.record(took)
	}
}

func (h *handler) serve(c *Call) {
	defer func() {
		if p := recover(); p != nil {
			c.panicked(p)
		}
	}()
	if c.blocked() {
		return
	}
	r, ok := clean(c.Request)
	if !ok {
		c.fail(ErrNotFound)
		return
	}
	h.mux.ServeHTTP(c, r)
}

// clean returns the request with doubled slashes in its path made one, as some libraries send them, and false for a path
// that still is not in its plain form: it names nothing.
func clean(r *http.Request) (*http.Request, bool) {
	p := r.URL.Path
	if strings.Contains(p, "//") {
		for strings.Contains(p, "//") {
			p = strings.ReplaceAll(p, "//", "/")
		}
		r = withPath(r, p)
	}
	if !strings.Contains(p, "/.") {
		return r, true
	}
	plain := path.Clean(p)
	return r, p == plain || p == plain+"/"
}

func withPath(r *http.Request, p string) *http.Request {
	u := *r.URL
	u.Path, u.RawPath = p, ""
	changed := *r
	changed.URL = &u
	return &changed
}

// endpoint is what serves one path: a route for each method.
type endpoint struct {
	routes []boundRoute // few: looking at each is faster than a map
	allow  string
}

type boundRoute struct {
	*Route
	numbers *metrics.Route
	log     *slog.Logger // with what the lines of all its requests have in common, made once
}

func (e *endpoint) add(r boundRoute) {
	e.routes = append(e.routes, r)
	e.allow = strings.TrimPrefix(e.allow+", "+r.Method, ", ")
}

// ServeHTTP serves a request that the mux found this endpoint for.
func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := w.(*Call) // handler hands nothing else to the mux
	c.Request = r
	for i := range e.routes {
		if route := &e.routes[i]; route.Method == r.Method {
			c.pattern, c.numbers, c.line, c.own = route.Path, route.numbers, route.log, route.Root
			if err := c.run(route.Route); err != nil {
				c.fail(err)
			}
			return
		}
	}
	c.Header().Set("Allow", e.allow)
	c.fail(errMethod)
}

// stray answers what no endpoint serves.
type stray struct{ handler *handler }

// ServeHTTP says that there is no such route, or that it exists but not in that version.
func (s stray) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := w.(*Call) // handler hands nothing else to the mux
	if rest, ok := strings.CutPrefix(r.URL.Path, "/api/v"); ok {
		version, rest, _ := strings.Cut(rest, "/")
		_, err := strconv.ParseUint(version, 10, 16)
		if _, pattern := s.handler.mux.Handler(withPath(r, apiBases[0]+"/"+rest)); err == nil && pattern != "/" {
			c.fail(errVersion)
			return
		}
	}
	c.fail(ErrNotFound)
}
