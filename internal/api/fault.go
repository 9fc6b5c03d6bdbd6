package api

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/snowflake"
)

// FaultInjector decides which requests fail on purpose.
type FaultInjector interface {
	// NextFault returns the fault for a request on a route, or false for none. It calls application, which is slow,
	// only when a fault is for one application.
	NextFault(method, route string, application func() snowflake.Application) (Fault, bool)
}

// Fault describes how a request fails on purpose. After the delay the first of the other members that is set applies.
type Fault struct {
	Delay     time.Duration
	RateLimit time.Duration // answer 429; the caller may try again after this time
	Status    int           // answer with this status
	Drop      Drop          // close the connection
}

// Drop says when the connection of a request is closed.
type Drop string

// When a connection is closed.
const (
	DropBefore Drop = "before" // before the request is served
	DropAfter  Drop = "after"  // after the request is served; the response is lost
)

// injectFault applies the fault for a request, if there is one. It reports whether the request is answered.
func (h *handler) injectFault(c *Call) (done bool, err error) {
	r := &c.route.Route
	if r.Root && strings.HasPrefix(r.Path, "/_dev/") {
		return false, nil
	}
	fault, ok := h.Dev.Faults.NextFault(r.Method, r.Path, func() snowflake.Application { return h.sender(c) })
	if !ok {
		return false, nil
	}
	if fault.Delay > 0 {
		clock.Wait(c.Context(), h.Wall, fault.Delay)
	}
	switch {
	case fault.RateLimit > 0:
		c.verdict = ratelimit.Refuse(r.Group, ratelimit.User, fault.RateLimit, h.Clock.Now())
		c.verdict.SetHeaders(c.Header())
		return true, errLimited
	case fault.Status != 0:
		return true, c.Value(fault.Status, Reply{Message: strconv.Itoa(fault.Status) + ": " + http.StatusText(fault.Status)})
	case fault.Drop == DropAfter:
		w := c.ResponseWriter
		c.ResponseWriter = discard{http.Header{}}
		if err := c.serve(); err != nil {
			c.fail(err)
		}
		c.ResponseWriter = w
		h.closeConnection(c)
		return true, nil
	case fault.Drop == DropBefore:
		h.closeConnection(c)
		return true, nil
	}
	return false, nil
}

// sender returns the application that a request is from or for, or 0.
func (h *handler) sender(c *Call) snowflake.Application {
	if p, err := h.Tokens.Authenticate(c.Context(), c.RequestHeader("Authorization")); err == nil {
		return p.Application
	}
	id, err := snowflake.Parse[snowflake.Application](c.pathApplication())
	if err != nil {
		return 0
	}
	return id
}

// pathApplication returns the id of the application in the path. The webhooks of interactions have the id of their application.
func (c *Call) pathApplication() string {
	return cmp.Or(c.Request.PathValue("application_id"), c.Request.PathValue("webhook_id"))
}

// closeConnection closes the connection without a response.
func (h *handler) closeConnection(c *Call) {
	c.status = statusGone
	conn, _, err := http.NewResponseController(c.ResponseWriter).Hijack()
	if err != nil { // HTTP/2: net/http resets the stream after this panic
		h.leave(c)
		panic(http.ErrAbortHandler)
	}
	_ = conn.Close() // the client sees a closed connection in any case
}

// discard is a response that no client gets.
type discard struct{ header http.Header }

// Header returns the headers of the discarded response.
func (d discard) Header() http.Header { return d.header }

// Write discards b.
func (d discard) Write(b []byte) (int, error) { return len(b), nil }

// WriteHeader discards the status.
func (d discard) WriteHeader(int) {}
