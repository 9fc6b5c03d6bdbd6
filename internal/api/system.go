package api

import (
	"context"
	"net/http"
	"time"

	"github.com/bellhop/bellhop/internal/definitions"
)

func (a *API) systemRoutes() []route {
	metrics := a.Metrics.Handler()
	return []route{
		{
			method: http.MethodGet, path: "/healthz", root: true, name: "health", doc: "Tell that the process is alive.",
			answer: map[int]string{200: "Health"}, handle: a.health,
		},
		{
			method: http.MethodGet, path: "/readyz", root: true, name: "ready", doc: "Tell whether the store can be reached.",
			answer: map[int]string{200: "Health"}, handle: a.ready,
		},
		{
			method: http.MethodGet, path: "/metrics", root: true, name: "metrics", doc: "Numbers for Prometheus.",
			answer: map[int]string{200: "text"},
			handle: func(c *call) error {
				metrics.ServeHTTP(c, c.r)
				return nil
			},
		},
		{
			method: http.MethodGet, path: "/openapi.json", root: true, name: "openapi", doc: "This description.",
			answer: map[int]string{200: "OpenAPI"}, handle: a.describe,
		},
		{
			method: http.MethodGet, path: "/commands.schema.json", root: true, name: "schema", doc: "The JSON Schema of files of command definitions.",
			answer: map[int]string{200: "JSONSchema"}, handle: func(c *call) error { return c.json(http.StatusOK, definitions.Schema) },
		},
	}
}

func (a *API) health(c *call) error { return c.json(http.StatusOK, []byte(`{"status":"ok"}`)) }

// readyWithin is how long the store may take to answer.
const readyWithin = 2 * time.Second

func (a *API) ready(c *call) error {
	ctx, cancel := context.WithTimeout(c.r.Context(), readyWithin)
	defer cancel()
	if err := a.Store.Ping(ctx); err != nil {
		return errUnready
	}
	return a.health(c)
}
