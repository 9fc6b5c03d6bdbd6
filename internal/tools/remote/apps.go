package remote

import (
	"context"
	"net/http"

	"github.com/go-json-experiment/json/jsontext"
)

// App is an application of a service with dev controls.
type App struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Status struct {
		State  string `json:"state"` // whether it can receive interactions
		Detail string `json:"detail"`
	} `json:"status"`
}

// Apps returns the applications, and the response of the service.
func Apps(ctx context.Context, base string) (list []App, response jsontext.Value, err error) {
	q := Request{Method: http.MethodGet, URL: Root(base) + "/_dev/applications"}
	if err := q.Ask(ctx, nil, &response); err != nil {
		return nil, nil, err
	}
	return list, response, parse(response, &list)
}
