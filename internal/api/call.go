package api

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime/debug"
	"time"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/cache"
	"github.com/bellhop/bellhop/snowflake"
)

// Call is one request and its response.
type Call struct {
	http.ResponseWriter

	Request     *http.Request
	Principal   auth.Principal     // the caller
	Application *store.Application // of the path, on the routes that authorizeForApplication checks
	Scope       command.Scope      // of the path, on the same routes
	// Interaction is the interaction that the request creates or answers, for the traffic recorder; 0: none.
	Interaction snowflake.Interaction

	webhook bool   // the token in the path belongs to a webhook
	gap     string // the operation of Discord that the service does not have; "": none
	h       *handler
	id      string // X-Request-Id; marks the log lines of this request
	route   *boundRoute
	status  int      // 0 until the response begins
	bounded bool     // the time to read the response is bounded
	capture *capture // for the traffic recorder; nil without dev controls

	// view holds the states that the call has read from memory and not confirmed; nil: none. plain is the request
	// without the view in its context.
	view  *cache.View
	plain *http.Request
	body  []byte // as read; nil before. The call may be served again

	from     netip.Addr // address of the client
	rejected bool       // because its address is blocked
	by       ratelimit.Credential
	edge     bool // refusals count for the address
	actor    audit.Actor
	verdict  ratelimit.Verdict
	identity ratelimit.Key // under which it entered the gate
	entered  bool
	counted  bool // against the rate limits
	caller   ratelimit.Caller
	taken    []ratelimit.Group // hidden limits against which the call is counted
	held     int64             // bytes of the body
	holder   ratelimit.Key     // under which they count
}

// Context returns the context of the request.
func (c *Call) Context() context.Context { return c.Request.Context() }

// Address returns the address of the client.
func (c *Call) Address() netip.Addr { return c.from }

// WriteHeader begins the response.
func (c *Call) WriteHeader(status int) {
	if c.status == 0 {
		c.begin(status)
	}
	c.ResponseWriter.WriteHeader(status)
}

// begin records the status, and bounds how long the client may take to read the response, unless the handler did.
func (c *Call) begin(status int) {
	c.status = status
	if !c.bounded {
		c.SetWriteTimeout(c.h.WriteTimeout)
	}
}

// Write writes a part of the response body.
func (c *Call) Write(b []byte) (int, error) {
	if c.status == 0 {
		c.begin(http.StatusOK)
	}
	if c.capture != nil {
		c.capture.wrote(b)
	}
	return c.ResponseWriter.Write(b)
}

// Unwrap gives http.ResponseController access to the connection.
func (c *Call) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// SetWriteTimeout bounds how long the client may take to read the response. Connections without deadlines ignore it.
func (c *Call) SetWriteTimeout(d time.Duration) {
	c.bounded = true
	_ = http.NewResponseController(c.ResponseWriter).SetWriteDeadline(c.h.Wall.Now().Add(d)) // httptest has no deadlines
}

// ClearReadTimeout removes the deadline for reading the request, for handlers that wait longer than the server allows.
func (c *Call) ClearReadTimeout() {
	_ = http.NewResponseController(c.ResponseWriter).SetReadDeadline(time.Time{}) // httptest has no deadlines
}

// Hijacked records that another protocol has taken the connection over.
func (c *Call) Hijacked() { c.status = http.StatusSwitchingProtocols }

// RequestHeader returns a request header by its canonical name. It is faster than http.Header.Get, which checks the
// name.
func (c *Call) RequestHeader(name string) string {
	if v := c.Request.Header[name]; len(v) > 0 {
		return v[0]
	}
	return ""
}

// log writes one line for the request. It calls the slog handler directly, because slog.Logger looks up the source
// line.
func (c *Call) log(now time.Time, took time.Duration) {
	line := c.route.log
	if line == nil {
		line = c.h.Log.With("method", c.Request.Method, "route", c.route.Path)
	}
	ctx, out := c.Context(), line.Handler()
	if !out.Enabled(ctx, slog.LevelInfo) {
		return
	}
	r := slog.NewRecord(now, slog.LevelInfo, "request", 0)
	r.AddAttrs(slog.Int("status", c.status), slog.Duration("took", took),
		slog.String("path", loggedPath(c)), slog.String("address", c.from.String()), slog.String("caller", c.callerKind()))
	if c.Principal.Application != 0 {
		r.AddAttrs(slog.String("application", c.Principal.Application.String()))
	}
	if c.Principal.User != 0 {
		r.AddAttrs(slog.String("user", c.Principal.User.String()))
	}
	if c.Principal.Name != "" {
		r.AddAttrs(slog.String("operator", c.Principal.Name))
	}
	_ = out.Handle(ctx, r) // a log that fails cannot be logged
}

// callerKind returns the kind of the valid credential that the request was sent with.
func (c *Call) callerKind() string {
	switch p := &c.Principal; p.Kind {
	case store.BotToken:
		return "bot"
	case store.UserToken:
		return "user"
	case store.BearerToken:
		return "bearer"
	case store.AdminToken:
		return "operator"
	default:
		switch {
		case p.Application != 0:
			return "interaction"
		case c.webhook:
			return "webhook"
		case p.User != 0:
			return "browser"
		}
		return "none"
	}
}

// panicked answers 500 after a handler panicked with p, and logs the stack.
func (c *Call) panicked(p any) {
	if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(p)
	}
	c.h.Metrics.Panics.Inc()
	c.h.Log.ErrorContext(c.Context(), "panic", "route", c.route.Path,
		"value", fmt.Sprint(p), "stack", string(debug.Stack()))
	if c.status == 0 {
		c.fail(errInternal)
	}
}
