package main

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/bellhop/bellhop/internal/tools/remote"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// lobbiesOptions are the flags of "bellhop lobbies".
type lobbiesOptions struct {
	outputOptions `embed:""`

	BaseURL    string `default:"http://127.0.0.1:8080" placeholder:"URL" help:"URL of a running service, http://127.0.0.1:8080 by default."`
	AdminToken string `placeholder:"TOKEN" help:"Token of an operator with the scope read. Not needed if the service has dev controls."`
	App        string `required:"" placeholder:"ID" help:"Application id."`
	Limit      int    `default:"100" help:"Maximum number of lobbies, 1 to 1000."`
}

// listedLobbies is the response of the service.
type listedLobbies struct {
	Lobbies []listedLobby `json:"lobbies"`
}

// listedLobby is one lobby of the response.
type listedLobby struct {
	Lobby struct {
		ID      string `json:"id"`
		Members []struct {
			Connected bool `json:"connected"`
		} `json:"members"`
	} `json:"lobby"`
	IdleTimeout int    `json:"idle_timeout_seconds"`
	EndsIn      *int64 `json:"ends_in_seconds"`
}

// Run prints the lobbies of an application, newest first.
func (o lobbiesOptions) Run(ctx context.Context, s streams) error {
	root := "/_dev"
	if o.AdminToken != "" {
		root = "/admin/v1"
	}
	q := remote.Request{
		Method: http.MethodGet, Token: o.AdminToken,
		URL: remote.Root(o.BaseURL) + root + "/applications/" + o.App + "/lobbies?limit=" + strconv.Itoa(o.Limit),
	}
	response, err := q.Send(ctx)
	if err != nil {
		return err
	}
	var all listedLobbies
	if err := json.Unmarshal(response, &all); err != nil {
		return fmt.Errorf("response of the service: %w", err)
	}
	shown := list{header: []string{"LOBBY", "MEMBERS", "CONNECTED", "IDLE TIMEOUT", "SHUTDOWN"}, value: jsontext.Value(response)}
	for _, l := range all.Lobbies {
		shown.rows = append(shown.rows, []string{
			l.Lobby.ID, strconv.Itoa(len(l.Lobby.Members)), strconv.Itoa(l.connected()), seconds(int64(l.IdleTimeout)), l.shutdown(),
		})
	}
	return o.print(s, shown)
}

// connected returns the number of members with a connected client.
func (l *listedLobby) connected() int {
	n := 0
	for _, m := range l.Lobby.Members {
		if m.Connected {
			n++
		}
	}
	return n
}

// shutdown returns when the lobby ends if nothing happens.
func (l *listedLobby) shutdown() string {
	if l.EndsIn == nil {
		return "not idle"
	}
	return "in " + seconds(*l.EndsIn)
}

func seconds(n int64) string { return (time.Duration(n) * time.Second).String() }
