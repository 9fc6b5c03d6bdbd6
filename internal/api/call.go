package api

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime/debug"
	"strconv"
	"sync"
	"time"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/metrics"
	"github.com/bellhop/bellhop/internal/oauth"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/go-json-experiment/json"
)

// Call is one request on its way through the edge.
type Call struct {
	http.ResponseWriter

	frame   *Frame
	Request *http.Request
	id      uint32
	pattern string
	numbers *metrics.Route
	line    *slog.Logger // of the route; nil when there is none
	status  int          // 0 until the answer begins
	own     bool         // the route is none of the API, but the service's own
	sight   *sight       // of the inspector; nil without dev controls

	from       netip.Addr // where the request comes from
	turnedAway bool       // at the edge, before anything was done for it
	verdict    ratelimit.Verdict
	identity   ratelimit.Key // under which it entered the gate
	entered    bool

	Principal   oauth.Principal
	Application *store.Application // of the path, on routes that have one
	Scope       command.Scope      // of the path, on routes for commands
}

// Context returns the context of the request.
func (c *Call) Context() context.Context { return c.Request.Context() }

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

// Headers that every answer carries. Libraries compare the content type to the letter, and one takes an answer without
// Via for a block at the network's edge.
var (
	jsonType = []string{"application/json"}
	via      = []string{"1.1 bellhop"}
)

// JSON answers with a JSON text.
func (c *Call) JSON(status int, body []byte) error {
	h := c.Header()
	h["Content-Type"] = jsonType
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	h["Via"] = via
	c.WriteHeader(status)
	_, err := c.Write(body)
	if err != nil {
		return errGone
	}
	return nil
}

// Page makes a handler of one that writes a page.
func Page(page func(http.ResponseWriter, *http.Request) error) func(*Call) error {
	return func(c *Call) error {
		c.Header()["Via"] = via
		return page(c, c.Request)
	}
}

// buffers holds the memory of answers that are made for one request.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// maxBuffer is how large a buffer may be that is kept: that of any list of commands whose texts are not all at their limits.
const maxBuffer = 256 << 10

// Written answers with the JSON text that write appends to a buffer.
func (c *Call) Written(status int, write func(dst []byte) []byte) error {
	b := buffers.Get().(*[]byte)
	*b = write((*b)[:0])
	err := c.JSON(status, *b)
	if cap(*b) <= maxBuffer {
		buffers.Put(b)
	}
	return err
}

// Empty answers without a body.
func (c *Call) Empty() error {
	c.Header()["Via"] = via
	c.WriteHeader(http.StatusNoContent)
	return nil
}

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

// Value answers with a value as JSON.
func (c *Call) Value(status int, v any) error {
	body, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return err
	}
	return c.JSON(status, body)
}

// Found answers with a JSON text that was looked up.
func (c *Call) Found(body []byte, err error) error {
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, body)
}

// Done answers without a body, or with the error there is.
func (c *Call) Done(err error) error {
	if err != nil {
		return err
	}
	return c.Empty()
}

// YAML answers with a YAML text.
func (c *Call) YAML(text []byte) error {
	c.Header().Set("Content-Type", "application/yaml")
	if _, err := c.Write(text); err != nil {
		return errGone
	}
	return nil
}

// Pass answers with a token that ends by itself.
func (c *Call) Pass(secret oauth.Secret, kind string, life time.Duration) error {
	return c.Value(http.StatusOK, struct {
		Token     string `json:"token"`
		Kind      string `json:"token_type"`
		ExpiresIn int    `json:"expires_in"`
	}{secret.Reveal(), kind, int(life.Seconds())})
}
