package httpapi

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// withSystem returns the routes that describe the service itself, followed by the others.
func (h *handler) withSystem(others []Route) []Route {
	var all []Route
	metrics := h.Metrics.Handler()
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
			Method: http.MethodGet, Path: "/metrics", Root: true, Name: "metrics", Doc: "Read the metrics for Prometheus.",
			Answer: map[int]string{200: "text"},
			Handle: func(c *Call) error {
				metrics.ServeHTTP(c, c.Request)
				return nil
			},
		},
		{
			Method: http.MethodGet, Path: "/openapi.json", Root: true, Name: "openapi", Doc: "Read this description.",
			Answer: map[int]string{200: "OpenAPI"}, Handle: func(c *Call) error { return c.Result(description()) },
		},
	}, others...)
	return all
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
