package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"github.com/go-json-experiment/json"
)

// explainOptions are the flags of "bellhop explain".
type explainOptions struct {
	As      string `required:"" placeholder:"USER" help:"Who would use the command: an id or a username."`
	In      string `required:"" placeholder:"CHANNEL" help:"Where: a channel's id, or the names of guild and channel with a slash between."`
	App     string `placeholder:"ID" help:"Whose command it is, when several applications have one of that name."`
	BaseURL string `default:"http://127.0.0.1:8080" placeholder:"URL" help:"Address of a running service with dev controls."`
	Command string `arg:"" help:"The command's name, by default or in any language; of slash commands with the slash."`
}

// Run prints whether the command can be used, and why. Either answer is an answer: the exit code is 0.
func (o explainOptions) Run(ctx context.Context, s streams) error {
	query := url.Values{"as": {o.As}, "in": {o.In}, "command": {o.Command}}
	if o.App != "" {
		query.Set("application", o.App)
	}
	ask := request{method: http.MethodGet, url: place{BaseURL: o.BaseURL}.root() + "/_dev/explain?" + query.Encode()}
	answer, err := ask.send(ctx)
	if err != nil {
		return err
	}
	var e struct {
		Explanation string `json:"explanation"`
		Command     struct {
			Name        string `json:"name"`
			Application string `json:"application"`
		} `json:"command"`
	}
	if err := json.Unmarshal(answer, &e); err != nil {
		return fmt.Errorf("answer of the service: %w", err)
	}
	_, err = fmt.Fprintf(s.out, "%s of %s: %s\n", e.Command.Name, e.Command.Application, e.Explanation)
	return err
}
