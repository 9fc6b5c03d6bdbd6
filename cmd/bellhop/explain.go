package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"github.com/bellhop/bellhop/internal/tools/remote"
)

// explainOptions are the flags of "bellhop explain".
type explainOptions struct {
	As      string `placeholder:"USER" help:"User: id or username. Default: the first user who is in a guild."`
	In      string `placeholder:"CHANNEL" help:"Channel: id, or names as in GUILD/CHANNEL. Default: the first channel that the user sees."`
	App     string `placeholder:"ID" help:"Application id. Needed if several applications have a command with this name."`
	BaseURL string `default:"http://127.0.0.1:8080" placeholder:"URL" help:"URL of a running service with dev controls, http://127.0.0.1:8080 by default."`
	Command string `arg:"" help:"Name of the command, in any of its languages. Slash commands start with a slash: /ban."`
}

// Run prints whether the user can use the command, and why. The exit code is 0 in both cases.
func (o explainOptions) Run(ctx context.Context, s streams) error {
	query := url.Values{"as": {o.As}, "in": {o.In}, "command": {o.Command}}
	if o.App != "" {
		query.Set("application", o.App)
	}
	q := remote.Request{Method: http.MethodGet, URL: remote.Root(o.BaseURL) + "/_dev/explain?" + query.Encode()}
	var e struct {
		Explanation string `json:"explanation"`
		Command     struct {
			Name        string `json:"name"`
			Application string `json:"application"`
		} `json:"command"`
	}
	if err := q.Ask(ctx, nil, &e); err != nil {
		return err
	}
	_, err := fmt.Fprintf(s.out, "%s of %s: %s\n", e.Command.Name, e.Command.Application, e.Explanation)
	return err
}
