package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/bellhop/bellhop/bellhoptest"
	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/snowflake"
)

const game = snowflake.Application(100)

// world has one application, which searches its lobbies.
func world() bellhoptest.World {
	return bellhoptest.World{
		Users:        []bellhoptest.User{{ID: 200, Username: "ada"}},
		Applications: []bellhoptest.Application{{ID: game, Name: "Dust", Owner: 200, LobbySearch: true}},
	}
}

// TestMatch checks that two players of a map meet in a lobby, that a third one gets another lobby, and that players can write there.
func TestMatch(t *testing.T) {
	t.Parallel()
	srv := bellhoptest.Start(t, world())
	backend := httptest.NewServer(&Backend{API: srv.Bot(game)})
	t.Cleanup(backend.Close)
	match := func(player, arena string) (found Match) {
		t.Helper()
		resp, err := http.Post(backend.URL+"/match?player="+player+"&map="+arena, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Fatalf("the match of %s is answered %d", player, resp.StatusCode)
		}
		if err := json.NewDecoder(resp.Body).Decode(&found); err != nil {
			t.Fatal(err)
		}
		return found
	}
	one, two, three, elsewhere := match("p-1", "dust"), match("p-2", "dust"), match("p-3", "dust"), match("p-4", "mirage")
	if one.Lobby != two.Lobby || three.Lobby == one.Lobby || elsewhere.Lobby == three.Lobby || elsewhere.Lobby == one.Lobby {
		t.Errorf("the players are in the lobbies %v, %v, %v and %v", one.Lobby, two.Lobby, three.Lobby, elsewhere.Lobby)
	}
	lobby, err := srv.Bot(game).Lobbies().Get(t.Context(), one.Lobby)
	if err != nil || len(lobby.Members) != 2 {
		t.Fatalf("the lobby has the members %+v, %v", lobby.Members, err)
	}
	player := &client.Client{BaseURL: srv.Bot(game).BaseURL, Authorization: "Bearer " + two.Token}
	sent, err := player.Do(t.Context(), client.Request{
		Method: http.MethodPost, Path: "/lobbies/" + two.Lobby.String() + "/messages", Body: map[string]string{"content": "ready"},
	})
	if err != nil || sent.Status != http.StatusCreated {
		t.Errorf("the message of a player: %+v, %v", sent, err)
	}
	resp, err := http.Get(backend.URL + "/match?player=p-1")
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close() // nothing is read
	if resp.StatusCode != http.StatusBadRequest {
		t.Errorf("a request without a map is answered %d", resp.StatusCode)
	}
}
