package main

import (
	"context"
	"time"

	"github.com/bellhop/bellhop/internal/tools/remote"
)

// healthcheckOptions are the flags of "bellhop healthcheck".
type healthcheckOptions struct {
	URL     string        `default:"http://127.0.0.1:8080/readyz" help:"Address that answers 200 while the service can read and write."`
	Timeout time.Duration `default:"5s" help:"How long to wait for the answer."`
}

// Run fails if the service does not answer, or answers that it is not ready.
func (o healthcheckOptions) Run(ctx context.Context) error {
	_, err := remote.Request{Method: "GET", URL: o.URL, Timeout: o.Timeout}.Send(ctx)
	return err
}
