package api

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/store"
)

// withSystem returns the routes that describe the service itself, followed by the others.
func (h *handler) withSystem(others []Route) []Route {
	var all []Route
	description := sync.OnceValues(func() ([]byte, error) { return openAPI(all, h.Version) })
	all = append([]Route{
		{
			Method: http.MethodGet, Path: "/healthz", Root: true, Name: "health", Doc: "Check that the process is alive.",
			Answer: map[int]string{200: "Health"}, Handle: health,
		},
		{
			Method: http.MethodGet, Path: "/readyz", Root: true, Name: "ready", Doc: "Check that the service can read and write.",
			Answer: map[int]string{200: "Health", 503: "NotReady"}, Handle: h.ready,
		},
		{
			Method: http.MethodGet, Path: "/openapi.json", Root: true, Name: "openapi", Doc: "Read this description.",
			Answer: map[int]string{200: "OpenAPI"}, Handle: func(c *Call) error { return c.Result(description()) },
		},
	}, others...)
	if !h.NoMetrics {
		all = append(all, h.metricsRoute())
	}
	return all
}

// metricsRoute returns the route of the metrics. They need an operator's token, except with dev controls.
func (h *handler) metricsRoute() Route {
	metrics := h.Metrics.CachedHandler(h.Wall)
	r := Route{
		Method: http.MethodGet, Path: "/metrics", Root: true, Name: "metrics", Doc: "Read the metrics for Prometheus.",
		Allow: Operators, Scope: auth.OperatorRead, Answer: map[int]string{200: "text"},
		Handle: func(c *Call) error {
			metrics.ServeHTTP(c, c.Request)
			return nil
		},
	}
	if h.Dev != nil {
		r.Allow, r.Scope = Everyone, ""
	}
	return r
}

func health(c *Call) error { return c.JSON(http.StatusOK, []byte(`{"status":"ok"}`)) }

// readyTimeout bounds how long the store may take to answer.
const readyTimeout = 2 * time.Second

func (h *handler) ready(c *Call) error {
	ctx, cancel := context.WithTimeout(c.Context(), readyTimeout)
	defer cancel()
	ready := h.Ready
	if ready == nil {
		ready = h.Store.Ping
	}
	err := ready(ctx)
	if err == nil {
		return health(c)
	}
	h.Log.WarnContext(ctx, "not ready", "err", err)
	c.Header().Set("Retry-After", "1")
	return c.JSON(http.StatusServiceUnavailable, []byte(`{"status":"unavailable","reason":"`+notReady(err)+`"}`))
}

// reasons are the reasons why the service is not ready. The answer has no other detail: anyone may read it.
var reasons = []struct {
	err  error
	text string
}{
	{store.ErrNewerSchema, "schema too new"},
	{store.ErrNoRoom, "disk full"},
	{store.ErrReadOnly, "database read-only"},
	{store.ErrDisk, "disk error"},
	{store.ErrDamaged, "database damaged"},
	{store.ErrUnavailable, "database does not answer"},
	{context.DeadlineExceeded, "database does not answer"},
}

func notReady(err error) string {
	for _, r := range reasons {
		if errors.Is(err, r.err) {
			return r.text
		}
	}
	return "writes fail"
}
