package api

import (
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
)

// call is one request on its way through the edge.
type call struct {
	http.ResponseWriter

	api     *API
	r       *http.Request
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

	principal   oauth.Principal
	application *store.Application // of the path, on routes that have one
	scope       command.Scope      // of the path, on routes for commands
}

// WriteHeader begins the answer.
func (c *call) WriteHeader(status int) {
	if c.status == 0 {
		c.status = status
	}
	c.ResponseWriter.WriteHeader(status)
}

// Write continues the answer.
func (c *call) Write(b []byte) (int, error) {
	if c.status == 0 {
		c.status = http.StatusOK
	}
	if c.sight != nil {
		c.sight.wrote(b)
	}
	return c.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the connection.
func (c *call) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// Headers that every answer carries. Libraries compare the content type to the letter, and one takes an answer without
// Via for a block at the network's edge.
var (
	jsonType = []string{"application/json"}
	via      = []string{"1.1 bellhop"}
)

// json answers with a JSON text.
func (c *call) json(status int, body []byte) error {
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

// buffers holds the memory of answers that are made for one request.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// maxBuffer is how large a buffer may be that is kept: that of any list of commands whose texts are not all at their limits.
const maxBuffer = 256 << 10

// written answers with the JSON text that write appends to a buffer.
func (c *call) written(status int, write func(dst []byte) []byte) error {
	b := buffers.Get().(*[]byte)
	*b = write((*b)[:0])
	err := c.json(status, *b)
	if cap(*b) <= maxBuffer {
		buffers.Put(b)
	}
	return err
}

// empty answers without a body.
func (c *call) empty() error {
	c.Header()["Via"] = via
	c.WriteHeader(http.StatusNoContent)
	return nil
}

// header returns a header of the request by its canonical name. http.Header.Get would check that it is one.
func (c *call) header(name string) string {
	if v := c.r.Header[name]; len(v) > 0 {
		return v[0]
	}
	return ""
}

// log writes the request's one line. It goes past slog's front, which looks for the place in the code that writes it.
func (c *call) log(now time.Time, took time.Duration) {
	line := c.line
	if line == nil {
		line = c.api.Log.With("method", c.r.Method, "route", c.pattern)
	}
	ctx, out := c.r.Context(), line.Handler()
	if !out.Enabled(ctx, slog.LevelInfo) {
		return
	}
	r := slog.NewRecord(now, slog.LevelInfo, "request", 0)
	r.AddAttrs(slog.Uint64("id", uint64(c.id)), slog.Int("status", c.status), slog.Duration("took", took))
	if c.principal.Application != 0 {
		r.AddAttrs(slog.String("application", c.principal.Application.String()))
	}
	_ = out.Handle(ctx, r) // nobody is left to tell
}

// panicked answers a request that met a bug.
func (c *call) panicked(p any) {
	if p == http.ErrAbortHandler { //nolint:errorlint // a sentinel that is thrown, not wrapped
		panic(p)
	}
	c.api.Metrics.Panics.Inc()
	c.api.Log.ErrorContext(c.r.Context(), "panic", "id", c.id, "route", c.pattern,
		"value", fmt.Sprint(p), "stack", string(debug.Stack()))
	if c.status == 0 {
		c.fail(errInternal)
	}
}
