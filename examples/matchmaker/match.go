package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"sync"

	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
)

// places is the number of players of a round.
const places = 2

// Backend finds lobbies for players.
type Backend struct {
	API *client.Client // with the bot token of the game

	mu sync.Mutex // one player after the other, so that a lobby gets no player too many
}

// Match is the lobby of a player.
type Match struct {
	Lobby snowflake.Lobby `json:"lobby"`
	Token string          `json:"token"` // of the player
}

// Match signs in a player and finds a lobby with a free place on a map. It creates a lobby if there is none.
func (b *Backend) Match(ctx context.Context, player, arena string) (Match, error) {
	token, user, err := b.signIn(ctx, player)
	if err != nil {
		return Match{}, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	id, err := b.find(ctx, arena)
	if err != nil {
		return Match{}, err
	}
	if id == 0 {
		made, err := b.API.Lobbies().Create(ctx, client.LobbyInput{
			Metadata: map[string]string{"map": arena, "max_members": strconv.Itoa(places)}, Members: []client.LobbyMember{{ID: user}},
		})
		return Match{made.ID, token}, err
	}
	_, err = b.API.Lobbies().PutMember(ctx, id, user, client.LobbyMember{})
	return Match{id, token}, err
}

// signIn returns an access token of a player, and the player's user. The first sign-in makes a provisional account.
func (b *Backend) signIn(ctx context.Context, player string) (token string, user snowflake.User, err error) {
	var signedIn struct {
		AccessToken string `json:"access_token"`
	}
	err = ask(ctx, b.API, client.Request{
		Method: http.MethodPost, Path: "/partner-sdk/token/bot", Body: map[string]string{"external_user_id": player},
	}, &signedIn)
	if err != nil {
		return "", 0, err
	}
	own := &client.Client{BaseURL: b.API.BaseURL, Authorization: "Bearer " + signedIn.AccessToken, HTTP: b.API.HTTP}
	var me struct {
		ID snowflake.User `json:"id"`
	}
	err = ask(ctx, own, client.Request{Method: http.MethodGet, Path: "/users/@me"}, &me)
	return signedIn.AccessToken, me.ID, err
}

// find returns a lobby with a free place on a map, or 0.
func (b *Backend) find(ctx context.Context, arena string) (snowflake.Lobby, error) {
	var page struct {
		Lobbies []struct {
			ID snowflake.Lobby `json:"id"`
		} `json:"lobbies"`
	}
	query := url.Values{"metadata[map]": {arena}, "free": {"1"}, "limit": {"1"}}
	err := ask(ctx, b.API, client.Request{Method: http.MethodGet, Path: "/lobbies", Query: query}, &page)
	if err != nil || len(page.Lobbies) == 0 {
		return 0, err
	}
	return page.Lobbies[0].ID, nil
}

// ask sends a request and reads the answer into out.
func ask(ctx context.Context, c *client.Client, q client.Request, out any) error {
	answer, err := c.Do(ctx, q)
	if err != nil {
		return err
	}
	if answer.Status != http.StatusOK {
		return fmt.Errorf("%s %s: %d %s", q.Method, q.Path, answer.Status, answer.Body)
	}
	return json.Unmarshal(answer.Body, out)
}
