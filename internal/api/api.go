// Package api is the REST edge: it turns requests into calls of the services and their results and errors into answers.
// One table of routes feeds the mux, the checks of who may call, the metrics and /openapi.json. It holds no rules.
package api

import (
	"log/slog"
	"math/rand/v2"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"

	"github.com/bellhop/bellhop/internal/attachments"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/consent"
	"github.com/bellhop/bellhop/internal/devtools"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/dispatch"
	"github.com/bellhop/bellhop/internal/gateway"
	"github.com/bellhop/bellhop/internal/grants"
	"github.com/bellhop/bellhop/internal/lobbies"
	"github.com/bellhop/bellhop/internal/metrics"
	"github.com/bellhop/bellhop/internal/oauth"
	"github.com/bellhop/bellhop/internal/picker"
	"github.com/bellhop/bellhop/internal/registry"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/webhook"
)

// API serves the interface over HTTP. All exported fields but Dev are required.
type API struct {
	Store     store.Store
	Directory *directory.Directory
	Tokens    *oauth.Authenticator
	Grants    *grants.Grants
	Pages     *consent.Pages
	Commands  *registry.Registry
	Picker    *picker.Picker
	Lobbies   *lobbies.Lobbies
	Endpoints *webhook.Deliverer
	// Interactions carries invocations and their answers.
	Interactions *dispatch.Dispatch
	// Attachments are the files of messages.
	Attachments *attachments.Attachments
	IDs         interface{ Next() uint64 }
	Clock       clock.Clock
	Limits      Limits
	Dev         *devtools.Dev // nil: no dev controls
	Metrics     *metrics.Metrics
	Log         *slog.Logger
	Gateway     *gateway.Gateway
	// Version is the program's, for /openapi.json.
	Version string

	described struct {
		once sync.Once
		text []byte
		err  error
	}
}

// wall is the machine's clock, by which requests are measured; the service's own may be moved.
var wall clock.System

// Handler returns what serves every path.
func (a *API) Handler() http.Handler {
	h := &handler{api: a, mux: http.NewServeMux()}
	byPath := map[string]*endpoint{}
	for _, r := range a.routes() {
		bound := boundRoute{&r, a.Metrics.Route(r.path, r.method), a.Log.With("method", r.method, "route", r.path)}
		for _, base := range r.bases() {
			e, ok := byPath[base+r.path]
			if !ok {
				e = &endpoint{}
				byPath[base+r.path] = e
				h.mux.Handle(base+r.path, e)
				if r.slashed {
					h.mux.Handle(base+r.path+"/{$}", e)
				}
			}
			e.add(bound)
		}
	}
	h.stray = a.Metrics.Route(noRoute, "any")
	h.mux.Handle("/", stray{h})
	return h
}

// noRoute stands in logs and metrics for the pattern of a path that nothing serves.
const noRoute = "none"

// handler takes every request. It lets the mux find the endpoint, but never answer: it takes the paths that the mux
// would redirect, and what nothing serves is answered in JSON.
type handler struct {
	api   *API
	mux   *http.ServeMux
	stray *metrics.Route // of requests that no route serves
}

// ServeHTTP answers one request and notes it in the log and the metrics.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began := wall.Now()
	h.api.Metrics.InFlight.Inc()
	defer h.api.Metrics.InFlight.Dec()
	c := &call{ResponseWriter: w, api: h.api, r: r, id: rand.Uint32(), pattern: noRoute, numbers: h.stray} //nolint:gosec // tells log lines apart, guards nothing
	c.from = c.address()
	if h.api.Dev != nil && h.api.Dev.Clock.Moved() { // clients reckon with Date beside the times of limits, which follow the movable clock
		w.Header().Set("Date", h.api.Clock.Now().UTC().Format(http.TimeFormat))
	}
	if h.api.Dev != nil {
		c.watch()
	}
	h.serve(c)
	c.leave()
	now := wall.Now()
	took := now.Sub(began)
	c.numbers.Observe(c.status, took)
	c.log(now, took)
	if h.api.Dev != nil {
		c.record(took)
	}
}

func (h *handler) serve(c *call) {
	defer func() {
		if p := recover(); p != nil {
			c.panicked(p)
		}
	}()
	if c.blocked() {
		return
	}
	r, ok := clean(c.r)
	if !ok {
		c.fail(errNotFound)
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
	*route
	numbers *metrics.Route
	log     *slog.Logger // with what the lines of all its requests have in common, made once
}

func (e *endpoint) add(r boundRoute) {
	e.routes = append(e.routes, r)
	e.allow = strings.TrimPrefix(e.allow+", "+r.method, ", ")
}

// ServeHTTP serves a request that the mux found this endpoint for.
func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := w.(*call) // handler hands nothing else to the mux
	c.r = r
	for i := range e.routes {
		if route := &e.routes[i]; route.method == r.Method {
			c.pattern, c.numbers, c.line, c.own = route.path, route.numbers, route.log, route.root
			if err := c.run(route.route); err != nil {
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
	c := w.(*call) // handler hands nothing else to the mux
	if rest, ok := strings.CutPrefix(r.URL.Path, "/api/v"); ok {
		version, rest, _ := strings.Cut(rest, "/")
		_, err := strconv.ParseUint(version, 10, 16)
		if _, pattern := s.handler.mux.Handler(withPath(r, apiBases[0]+"/"+rest)); err == nil && pattern != "/" {
			c.fail(errVersion)
			return
		}
	}
	c.fail(errNotFound)
}
