package api

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/bellhop/bellhop/internal/metrics"
)

// handler serves every request. It uses the mux to find the endpoint, but the mux never answers by itself: handler
// cleans the paths that the mux would redirect, and notFound answers unknown paths in JSON.
type handler struct {
	Config

	mux     *http.ServeMux
	first   *http.ServeMux // of routes with First
	marks   []string       // each path of first contains one of them
	noRoute boundRoute     // of requests that no route serves, for logs and metrics

	warnProxy sync.Once // for the warning about a proxy
}

// ServeHTTP serves one request, logs it and measures it.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began := h.Wall.Now()
	h.Metrics.InFlight.Inc()
	defer h.Metrics.InFlight.Dec()
	c := &Call{ResponseWriter: w, Request: r, h: h, id: requestID(), route: &h.noRoute}
	w.Header()["X-Request-Id"] = []string{c.id}
	ctx, span := h.Tracer.Begin(context.WithValue(r.Context(), requestIDKey{}, c.id), r.Header)
	c.Request = r.WithContext(ctx)
	c.from = h.clientAddress(r)
	h.warnOfProxy(r)
	if h.Dev != nil {
		if h.Dev.ClockMoved() { // clients compare Date with the reset times of rate limits, which follow the movable clock
			w.Header().Set("Date", h.Clock.Now().UTC().Format(http.TimeFormat))
		}
		startCapture(c)
		if strings.HasPrefix(r.URL.Path, "/api/") { // streams, which do not end, have other paths
			defer h.Dev.Traffic.BeginRequest()()
		}
	}
	h.serve(c)
	if c.status == 0 { // the handler wrote nothing: net/http answers 200
		c.status = http.StatusOK
	}
	h.leave(c)
	now := h.Wall.Now()
	took := now.Sub(began)
	c.endSpan(span)
	c.route.metrics.Observe(c.status, took, span.Trace())
	c.log(now, took)
	if h.Dev != nil {
		h.record(c, took)
	}
}

// requestID returns an id for the response and the log lines of a request.
func requestID() string {
	const digits = "0123456789abcdef"
	var id [16]byte
	for i, n := 0, rand.Uint64(); i < len(id); i, n = i+1, n>>4 {
		id[i] = digits[n&15]
	}
	return string(id[:])
}

// endSpan ends the span of the request. span may be nil.
func (c *Call) endSpan(span *metrics.Span) {
	if span == nil {
		return
	}
	span.Rename(c.route.Method + " " + c.route.Path)
	span.Set("http.request.method", c.Request.Method)
	span.Set("http.route", c.route.Path)
	span.SetInt("http.response.status_code", c.status)
	span.Set("bellhop.request_id", c.id)
	if c.status >= http.StatusInternalServerError {
		span.Fail(errFailed)
	}
	span.End()
}

var errFailed = errors.New("the service answered with an error")

func (h *handler) serve(c *Call) {
	defer func() {
		if p := recover(); p != nil {
			c.panicked(p)
		}
	}()
	r, ok := cleanPath(c.Request)
	if !ok {
		c.fail(h.unserved(c, ErrNotFound))
		return
	}
	h.find(r).ServeHTTP(c, r)
}

// find returns the mux that serves a request.
func (h *handler) find(r *http.Request) *http.ServeMux {
	if slices.ContainsFunc(h.marks, func(mark string) bool { return strings.Contains(r.URL.Path, mark) }) {
		if _, pattern := h.first.Handler(r); pattern != "" {
			return h.first
		}
	}
	return h.mux
}

var wildcard = regexp.MustCompile(`\{[^}]*\}`)

// longestLiteral returns the longest part of a pattern without wildcards.
func longestLiteral(pattern string) string {
	return slices.MaxFunc(wildcard.Split(pattern, -1), func(a, b string) int { return cmp.Compare(len(a), len(b)) })
}

// cleanPath returns the request with repeated slashes in its path replaced by one, because some libraries send them. It
// returns false for a path with "." or ".." segments: no route has such a path.
func cleanPath(r *http.Request) (*http.Request, bool) {
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

// endpoint serves one path: a route for each method.
type endpoint struct {
	routes []*boundRoute // few: a linear search is faster than a map
	allow  string
}

// boundRoute is a route with its metrics and its logger, which are made once.
type boundRoute struct {
	Route

	metrics *metrics.Route
	log     *slog.Logger // nil: no route
}

func (e *endpoint) add(r *boundRoute) {
	e.routes = append(e.routes, r)
	e.allow = strings.TrimPrefix(e.allow+", "+r.Method, ", ")
}

// ServeHTTP serves a request for the path of the endpoint.
func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := w.(*Call) // handler passes nothing else to the mux
	c.Request = r
	for _, route := range e.routes {
		if route.Method == r.Method {
			c.route = route
			if err := c.run(); err != nil {
				c.fail(err)
			}
			return
		}
	}
	err := c.missing(r, errMethod)
	if errors.Is(err, errMethod) {
		c.Header().Set("Allow", e.allow)
	}
	c.fail(c.h.unserved(c, err))
}

// notFound answers requests whose path no endpoint has.
type notFound struct{ h *handler }

// ServeHTTP answers 404, or 400 when the path exists in another version of the API.
func (n notFound) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := w.(*Call) // handler passes nothing else to the mux
	if rest, ok := strings.CutPrefix(r.URL.Path, "/api/v"); ok {
		version, rest, _ := strings.Cut(rest, "/")
		_, err := strconv.ParseUint(version, 10, 16)
		known := withPath(r, apiBases[0]+"/"+rest)
		if _, pattern := n.h.find(known).Handler(known); err == nil && pattern != "/" {
			c.fail(n.h.unserved(c, errVersion))
			return
		}
	}
	c.fail(n.h.unserved(c, c.missing(r, ErrNotFound)))
}
