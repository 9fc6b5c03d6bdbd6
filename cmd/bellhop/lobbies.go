package main

import (
	"context"
	"strconv"

	"github.com/bellhop/bellhop/internal/tools/remote"
)

// lobbiesOptions are the flags of "bellhop lobbies".
type lobbiesOptions struct {
	outputOptions `embed:""`

	BaseURL    string `default:"http://127.0.0.1:8080" placeholder:"URL" help:"URL of a running service, http://127.0.0.1:8080 by default."`
	AdminToken string `placeholder:"TOKEN" help:"Token of an operator with the scope read. Not needed if the service has dev controls."`
	App        string `required:"" placeholder:"ID" help:"Application id."`
	Limit      int    `default:"100" help:"Maximum number of lobbies, 1 to 1000."`
}

// Run prints the lobbies of an application, newest first.
func (o lobbiesOptions) Run(ctx context.Context, s streams) error {
	lobbies, response, err := remote.LobbyList{BaseURL: o.BaseURL, Token: o.AdminToken, App: o.App, Limit: o.Limit}.Read(ctx)
	if err != nil {
		return err
	}
	shown := list{header: []string{"LOBBY", "MEMBERS", "CONNECTED", "IDLE TIMEOUT", "SHUTDOWN"}, value: response}
	for _, l := range lobbies {
		end := "not idle"
		if l.EndsIn != nil {
			end = "in " + l.EndsIn.String()
		}
		shown.rows = append(shown.rows, []string{l.ID, strconv.Itoa(l.Members), strconv.Itoa(l.Connected), l.IdleTimeout.String(), end})
	}
	return o.print(s, shown)
}
