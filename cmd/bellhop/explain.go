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
	On      string `placeholder:"USER" help:"Member that an operation is on: id or name. COMMAND is then kick, ban, nick, timeout, mute, deafen, move, disconnect or flags, and --in a guild."`
	Role    string `placeholder:"ROLE" help:"Role that an operation is on: id or name. COMMAND is then give-role, edit-role or delete-role, and --in a guild."`
	App     string `placeholder:"ID" help:"Application id. Needed if several applications have a command with this name."`
	BaseURL string `default:"http://127.0.0.1:8080" placeholder:"URL" help:"URL of a running service with dev controls, http://127.0.0.1:8080 by default."`
	Command string `arg:"" help:"Name of the command, in any of its languages. Slash commands start with a slash: /ban."`
}

// Run prints whether the user can use the command, or perform the operation, and why. The exit code is 0 in both cases.
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
	if o.On != "" || o.Role != "" {
		query.Set("operation", o.Command)
		query.Set("on", o.On)
		query.Set("role", o.Role)
		q.URL = remote.Root(o.BaseURL) + "/_dev/explain/operation?" + query.Encode()
		e.Command.Name, e.Command.Application = o.Command, o.As
	}
	if err := q.Ask(ctx, nil, &e); err != nil {
		return err
	}
	link := " of "
	if query.Has("operation") {
		link = " by "
	}
	_, err := fmt.Fprintf(s.out, "%s%s%s: %s\n", e.Command.Name, link, e.Command.Application, e.Explanation)
	return err
}
