package api

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/devtools"
	"github.com/bellhop/bellhop/internal/gateway"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/problem"
	"github.com/bellhop/bellhop/snowflake"
)

func (a *API) faultRoutes() []route {
	const path = "/_dev/faults"
	return []route{
		{
			method: http.MethodGet, path: path, root: true, name: "dev.faults.list", doc: "List what goes wrong on purpose.",
			answer: map[int]string{200: "DevFaults"}, handle: a.listFaults,
		},
		{
			method: http.MethodPost, path: path, root: true, name: "dev.faults.add", doc: "Make matching requests go wrong.",
			body: "DevFaultInput", answer: map[int]string{200: "DevFault"}, handle: a.addFault,
		},
		{
			method: http.MethodDelete, path: path, root: true, name: "dev.faults.clear", doc: "Let everything go right again.",
			answer: map[int]string{204: ""}, handle: a.clearFaults,
		},
	}
}

func (a *API) listFaults(c *call) error { return c.value(http.StatusOK, a.Dev.Faults.List()) }

func (a *API) addFault(c *call) error {
	body, err := c.readObject()
	if err != nil {
		return err
	}
	fault, err := devtools.ReadFault(body)
	if err != nil {
		return err
	}
	added, ok := a.Dev.Faults.Add(fault, a.disconnect)
	if !ok {
		var t problem.Tree
		t.Add("BASE_TYPE_MAX_LENGTH", "There are "+strconv.Itoa(devtools.MaxFaults)+" faults already")
		return t.Err()
	}
	return c.value(http.StatusOK, added)
}

// disconnect closes gateway connections with a code.
func (a *API) disconnect(strikes func(snowflake.Application) bool, code int) int {
	return a.Gateway.Disconnect(func(w gateway.Who) bool { return strikes(w.Application) }, uint16(code))
}

func (a *API) clearFaults(c *call) error {
	a.Dev.Faults.Clear()
	return c.empty()
}

// strike lets a request go wrong when a fault says so, and reports whether that was all that happens to it. serve serves
// the request.
func (c *call) strike(r *route, serve func() error) (over bool, err error) {
	if r.root && strings.HasPrefix(r.path, "/_dev/") {
		return false, nil
	}
	fault, struck := c.api.Dev.Faults.Strike(devtools.Asked{Method: r.method, Route: r.path, Application: c.sender})
	if !struck {
		return false, nil
	}
	if fault.Wait() > 0 {
		clock.Wait(c.r.Context(), clock.System{}, fault.Wait())
	}
	switch {
	case fault.RateLimit > 0:
		c.verdict = ratelimit.Refuse(r.group, ratelimit.User, time.Duration(fault.RateLimit*float64(time.Second)), c.api.Clock.Now())
		c.verdict.SetHeaders(c.Header())
		return true, errLimited
	case fault.Status != 0:
		return true, c.value(fault.Status, reply{Message: strconv.Itoa(fault.Status) + ": " + http.StatusText(fault.Status)})
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
func (c *call) sender() snowflake.Application {
	if p, err := c.api.Tokens.Authenticate(c.r.Context(), c.header("Authorization")); err == nil {
		return p.Application
	}
	id, err := snowflake.Parse[snowflake.Application](c.r.PathValue("application_id"))
	if err != nil {
		return 0
	}
	return id
}

// hangUp ends the connection without an answer.
func (c *call) hangUp() {
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
