package main

import (
	"context"
	"fmt"
	"net/http"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/tools/remote"
	"github.com/bellhop/bellhop/internal/tools/terminal"
	"github.com/go-json-experiment/json/jsontext"
)

// appsOptions are the flags of "bellhop apps".
type appsOptions struct {
	outputOptions `embed:""`

	BaseURL string `default:"http://127.0.0.1:8080" placeholder:"URL" help:"URL of a running service with dev controls, http://127.0.0.1:8080 by default."`
}

// Run lists the applications, and whether they can receive interactions.
func (o appsOptions) Run(ctx context.Context, s streams) error {
	q := remote.Request{Method: http.MethodGet, URL: remote.Root(o.BaseURL) + "/_dev/applications"}
	response, err := q.Send(ctx)
	if err != nil {
		return err
	}
	v, err := jsonbody.Parse(response)
	if err != nil {
		return fmt.Errorf("response of the service: %w", err)
	}
	l := list{header: []string{"APP", "ID", "STATUS"}, value: jsontext.Value(response)}
	for _, app := range v.Items() {
		status := app.Get("status")
		l.rows = append(l.rows, []string{
			app.Get("name").Text(), app.Get("id").Text(), terminal.Join(": ", status.Get("state").Text(), status.Get("detail").Text()),
		})
	}
	return o.print(s, l)
}
