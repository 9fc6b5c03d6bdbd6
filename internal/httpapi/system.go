package httpapi

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/bellhop/bellhop/internal/auth"
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
			Method: http.MethodGet, Path: "/readyz", Root: true, Name: "ready", Doc: "Check that the store can be reached.",
			Answer: map[int]string{200: "Health"}, Handle: h.ready,
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
	if err := h.Store.Ping(ctx); err != nil {
		return errNotReady
	}
	return health(c)
}
