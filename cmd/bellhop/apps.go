package main

import (
	"context"

	"github.com/bellhop/bellhop/internal/tools/remote"
	"github.com/bellhop/bellhop/internal/tools/terminal"
)

// appsOptions are the flags of "bellhop apps".
type appsOptions struct {
	outputOptions `embed:""`

	Service devService `embed:""`
}

// Run lists the applications, and whether they can receive interactions.
func (o appsOptions) Run(ctx context.Context, s streams) error {
	apps, response, err := remote.Apps(ctx, o.Service.BaseURL)
	if err != nil {
		return err
	}
	l := list{header: []string{"APP", "ID", "STATUS"}, value: response}
	for _, app := range apps {
		l.rows = append(l.rows, []string{app.Name, app.ID, terminal.Join(": ", app.Status.State, app.Status.Detail)})
	}
	return o.print(s, l)
}
