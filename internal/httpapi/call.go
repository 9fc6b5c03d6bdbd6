package httpapi

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime/debug"
	"time"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/cache"
	"github.com/bellhop/bellhop/internal/metrics"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/store"
)

// Call is one request on its way through the edge.
type Call struct {
	http.ResponseWriter

	Request     *http.Request
	Principal   auth.Principal     // who calls
	Application *store.Application // of the path, on routes that have one
	Scope       command.Scope      // of the path, on routes for commands

	frame   *Frame
	id      uint32
	pattern string
	numbers *metrics.Route
	line    *slog.Logger // of the route; nil when there is none
	status  int          // 0 until the answer begins
	own     bool         // the route is none of the API, but the service's own
	sight   *sight       // of the inspector; nil without dev controls

	// view is what the call has read from memory and not confirmed; nil: nothing. ctx is the request's context with it.
	view *cache.View
	ctx  context.Context //nolint:containedctx // ends with the call

	from       netip.Addr // where the request comes from
	turnedAway bool       // at the edge, before anything was done for it
	verdict    ratelimit.Verdict
	identity   ratelimit.Key // under which it entered the gate
	entered    bool
	counted    bool // against the limits
}

// Context returns the context of the request.
func (c *Call) Context() context.Context {
	if c.ctx != nil {
		return c.ctx
	}
	return c.Request.Context()
}

// WriteHeader begins the answer.
func (c *Call) WriteHeader(status int) {
	if c.status == 0 {
		c.status = status
	}
	c.ResponseWriter.WriteHeader(status)
}

// Write continues the answer.
func (c *Call) Write(b []byte) (int, error) {
	if c.status == 0 {
		c.status = http.StatusOK
	}
	if c.sight != nil {
		c.sight.wrote(b)
	}
	return c.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the connection.
func (c *Call) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// HandedOver notes that the connection was taken over by another protocol.
func (c *Call) HandedOver() { c.status = http.StatusSwitchingProtocols }

// RequestHeader returns a header of the request by its canonical name. http.Header.Get would check that it is one.
func (c *Call) RequestHeader(name string) string {
	if v := c.Request.Header[name]; len(v) > 0 {
		return v[0]
	}
	return ""
}

// log writes the request's one line. It goes past slog's front, which looks for the place in the code that writes it.
func (c *Call) log(now time.Time, took time.Duration) {
	line := c.line
	if line == nil {
		line = c.frame.Log.With("method", c.Request.Method, "route", c.pattern)
	}
	ctx, out := c.Context(), line.Handler()
	if !out.Enabled(ctx, slog.LevelInfo) {
		return
	}
	r := slog.NewRecord(now, slog.LevelInfo, "request", 0)
	r.AddAttrs(slog.Uint64("id", uint64(c.id)), slog.Int("status", c.status), slog.Duration("took", took))
	if c.Principal.Application != 0 {
		r.AddAttrs(slog.String("application", c.Principal.Application.String()))
	}
	_ = out.Handle(ctx, r) // nobody is left to tell
}

// panicked answers a request that met a bug.
func (c *Call) panicked(p any) {
	if p == http.ErrAbortHandler { //nolint:errorlint // a sentinel that is thrown, not wrapped
		panic(p)
	}
	c.frame.Metrics.Panics.Inc()
	c.frame.Log.ErrorContext(c.Context(), "panic", "id", c.id, "route", c.pattern,
		"value", fmt.Sprint(p), "stack", string(debug.Stack()))
	if c.status == 0 {
		c.fail(errInternal)
	}
}
