package httpapi

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/devtools"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/snowflake"
)

// strike lets a request go wrong when a fault says so, and reports whether that was all that happens to it. serve serves
// the request.
func (c *Call) strike(r *Route, serve func() error) (over bool, err error) {
	if r.Root && strings.HasPrefix(r.Path, "/_dev/") {
		return false, nil
	}
	fault, struck := c.frame.Dev.Faults.Strike(devtools.Asked{Method: r.Method, Route: r.Path, Application: c.sender})
	if !struck {
		return false, nil
	}
	if fault.Wait() > 0 {
		clock.Wait(c.Context(), clock.System{}, fault.Wait())
	}
	switch {
	case fault.RateLimit > 0:
		c.verdict = ratelimit.Refuse(r.Group, ratelimit.User, time.Duration(fault.RateLimit*float64(time.Second)), c.frame.Clock.Now())
		c.verdict.SetHeaders(c.Header())
		return true, errLimited
	case fault.Status != 0:
		return true, c.Value(fault.Status, reply{Message: strconv.Itoa(fault.Status) + ": " + http.StatusText(fault.Status)})
	case fault.Drop == devtools.DropAfter:
		shown := c.ResponseWriter
		c.ResponseWriter = lost{http.Header{}}
		if err := serve(); err != nil {
			c.fail(err)
		}
		c.ResponseWriter = shown
		c.hangUp()
		return true, nil
	case fault.Drop == devtools.DropBefore:
		c.hangUp()
		return true, nil
	}
	return false, nil
}

// sender returns the application that a request speaks for, or 0.
func (c *Call) sender() snowflake.Application {
	if p, err := c.frame.Tokens.Authenticate(c.Context(), c.RequestHeader("Authorization")); err == nil {
		return p.Application
	}
	id, err := snowflake.Parse[snowflake.Application](c.Request.PathValue("application_id"))
	if err != nil {
		return 0
	}
	return id
}

// hangUp ends the connection without an answer.
func (c *Call) hangUp() {
	c.status = statusGone
	conn, _, err := http.NewResponseController(c.ResponseWriter).Hijack()
	if err != nil {
		c.leave()
		panic(http.ErrAbortHandler) // a protocol whose connections are shared: its stream is reset
	}
	_ = conn.Close() // that it ends is all that is wanted
}

// lost takes an answer that nobody gets.
type lost struct{ header http.Header }

// Header returns headers that are lost too.
func (l lost) Header() http.Header { return l.header }

// Write takes everything.
func (l lost) Write(b []byte) (int, error) { return len(b), nil }

// WriteHeader does nothing.
func (l lost) WriteHeader(int) {}
