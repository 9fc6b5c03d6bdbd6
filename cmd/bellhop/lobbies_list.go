package main

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/go-json-experiment/json"
)

// lobbiesOptions are the flags of "bellhop lobbies".
type lobbiesOptions struct {
	BaseURL    string `default:"http://127.0.0.1:8080" placeholder:"URL" help:"URL of a running service, http://127.0.0.1:8080 by default."`
	AdminToken string `placeholder:"TOKEN" help:"Token of an operator with the scope read. Not needed if the service has dev controls."`
	App        string `required:"" placeholder:"ID" help:"Application id."`
	Limit      int    `default:"100" help:"Maximum number of lobbies, 1 to 1000."`
	JSON       bool   `help:"Print the response of the service."`
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
	q := request{
		method: http.MethodGet, token: o.AdminToken,
		url: installation{BaseURL: o.BaseURL}.root() + root + "/applications/" + o.App + "/lobbies?limit=" + strconv.Itoa(o.Limit),
	}
	response, err := q.send(ctx)
	if err != nil {
		return err
	}
	if o.JSON {
		_, err := fmt.Fprintf(s.out, "%s\n", response)
		return err
	}
	var list listedLobbies
	if err := json.Unmarshal(response, &list); err != nil {
		return fmt.Errorf("response of the service: %w", err)
	}
	table := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "LOBBY\tMEMBERS\tCONNECTED\tIDLE TIMEOUT\tSHUTDOWN")
	for _, l := range list.Lobbies {
		fmt.Fprintf(table, "%s\t%d\t%d\t%s\t%s\n", l.Lobby.ID, len(l.Lobby.Members), l.connected(), seconds(int64(l.IdleTimeout)), l.shutdown())
	}
	return table.Flush()
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
