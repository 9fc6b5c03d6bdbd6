package httpapi

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/bellhop/bellhop/internal/commandfile"
)

// withSystem returns the routes with those before them that tell of the service itself.
func (f *Frame) withSystem(others []Route) []Route {
	var all []Route
	metrics := f.Metrics.Handler()
	described := sync.OnceValues(func() ([]byte, error) { return openAPI(all, f.Version) })
	all = append([]Route{
		{
			Method: http.MethodGet, Path: "/healthz", Root: true, Name: "health", Doc: "Tell that the process is alive.",
			Answer: map[int]string{200: "Health"}, Handle: health,
		},
		{
			Method: http.MethodGet, Path: "/readyz", Root: true, Name: "ready", Doc: "Tell whether the store can be reached.",
			Answer: map[int]string{200: "Health"}, Handle: f.ready,
		},
		{
			Method: http.MethodGet, Path: "/metrics", Root: true, Name: "metrics", Doc: "Numbers for Prometheus.",
			Answer: map[int]string{200: "text"},
			Handle: func(c *Call) error {
				metrics.ServeHTTP(c, c.Request)
				return nil
			},
		},
		{
			Method: http.MethodGet, Path: "/openapi.json", Root: true, Name: "openapi", Doc: "This description.",
			Answer: map[int]string{200: "OpenAPI"}, Handle: func(c *Call) error { return c.Found(described()) },
		},
		{
			Method: http.MethodGet, Path: "/commands.schema.json", Root: true, Name: "schema", Doc: "The JSON Schema of files of command definitions.",
			Answer: map[int]string{200: "JSONSchema"}, Handle: func(c *Call) error { return c.JSON(http.StatusOK, commandfile.Schema) },
		},
	}, others...)
	return all
}

func health(c *Call) error { return c.JSON(http.StatusOK, []byte(`{"status":"ok"}`)) }

// readyWithin is how long the store may take to answer.
const readyWithin = 2 * time.Second

func (f *Frame) ready(c *Call) error {
	ctx, cancel := context.WithTimeout(c.Context(), readyWithin)
	defer cancel()
	if err := f.Store.Ping(ctx); err != nil {
		return errUnready
	}
	return health(c)
}
