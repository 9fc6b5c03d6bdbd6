package remote

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Lobby is a lobby in the responses of a service.
type Lobby struct {
	ID                 string
	Members, Connected int // Connected counts the members with a connected client
	IdleTimeout        time.Duration
	EndsIn             *time.Duration // nil: the lobby is not idle
}

// LobbyList selects the lobbies of an application on a running service.
type LobbyList struct {
	BaseURL, Token string // the token is empty if the service has dev controls
	App            string
	Limit          int
}

// Read returns the lobbies, newest first, and the response of the service.
func (l LobbyList) Read(ctx context.Context) ([]Lobby, jsontext.Value, error) {
	root := "/_dev"
	if l.Token != "" {
		root = "/admin/v1"
	}
	q := Request{
		Method: http.MethodGet, Token: l.Token,
		URL: Root(l.BaseURL) + root + "/applications/" + l.App + "/lobbies?limit=" + strconv.Itoa(l.Limit),
	}
	var all struct {
		Lobbies []struct {
			Lobby struct {
				ID      string `json:"id"`
				Members []struct {
					Connected bool `json:"connected"`
				} `json:"members"`
			} `json:"lobby"`
			IdleTimeout int64  `json:"idle_timeout_seconds"`
			EndsIn      *int64 `json:"ends_in_seconds"`
		} `json:"lobbies"`
	}
	var response jsontext.Value
	if err := q.Ask(ctx, nil, &response); err != nil {
		return nil, nil, err
	}
	if err := parse(response, &all); err != nil {
		return nil, nil, err
	}
	list := make([]Lobby, len(all.Lobbies))
	for i, found := range all.Lobbies {
		list[i] = Lobby{ID: found.Lobby.ID, Members: len(found.Lobby.Members), IdleTimeout: seconds(found.IdleTimeout)}
		for _, m := range found.Lobby.Members {
			if m.Connected {
				list[i].Connected++
			}
		}
		if found.EndsIn != nil {
			list[i].EndsIn = new(seconds(*found.EndsIn))
		}
	}
	return list, response, nil
}

func seconds(n int64) time.Duration { return time.Duration(n) * time.Second }
