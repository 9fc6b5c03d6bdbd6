package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// TestNodesAudience has people join lobbies at one node while the first client of the application comes to another: what
// happened before it listens is in the lobby that it is shown, what happens then it hears, and before anybody listens nothing
// goes from node to node.
func TestNodesAudience(t *testing.T) {
	t.Parallel()
	f := startFleet(t, 2, "--dev", "--limits", "off")
	const joins, listenAfter = 60, 20
	for app := range 4 {
		status, text, err := f.nodes[0].send(t.Context(), "POST", "/api/v10/lobbies", fmt.Sprint("Bot token-", app),
			`{"members":[{"id":"200000000000000000"}]}`)
		if err != nil || status != 201 {
			t.Fatalf("create: %d %s %v", status, text, err)
		}
		lobby := strings.Split(text, `"`)[3]
		listen, joined := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(joined)
			for n := range joins {
				if n == listenAfter {
					if app == 0 {
						if told := f.told(t, "LOBBY_MEMBER_ADD"); len(told) > 0 {
							t.Errorf("%v were told although nobody listens", told)
						}
					}
					close(listen)
				}
				path := fmt.Sprintf("/api/v10/lobbies/%s/members/%d", lobby, 300+n)
				if status, text, err := f.nodes[0].send(t.Context(), "PUT", path, fmt.Sprint("Bot token-", app), `{}`); err != nil || status != 200 {
					t.Errorf("join: %d %s %v", status, text, err)
				}
			}
		}()
		<-listen
		v := &traveler{t: t, token: f.bearer(t, app)}
		met := map[string]int{}
		v.onEvent = func(name string, d jsontext.Value) {
			for _, id := range membersIn(t, name, d) {
				met[id]++
			}
		}
		v.begin(f.nodes[1], 0)
		<-joined
		if status, text, err := f.nodes[0].send(t.Context(), "PATCH", "/api/v10/lobbies/"+lobby, fmt.Sprint("Bot token-", app),
			`{"metadata":{"all":"in"}}`); err != nil || status != 200 {
			t.Fatalf("edit: %d %s %v", status, text, err)
		}
		if !v.until(func(name string) bool { return name == "LOBBY_UPDATE" }) {
			t.Fatal("the connection has ended")
		}
		for n := range joins {
			if id := strconv.Itoa(300 + n); met[id] == 0 {
				t.Errorf("application %d: nobody said that %s has joined", app, id)
			}
		}
		_ = v.conn.Close()
	}
}

// membersIn returns the members that an event says have joined.
func membersIn(t *testing.T, name string, d jsontext.Value) []string {
	t.Helper()
	type member struct {
		ID string `json:"id"`
	}
	var lobby struct {
		Members []member `json:"members"`
		Member  member   `json:"member"`
	}
	if !slices.Contains([]string{"LOBBY_CREATE", "LOBBY_MEMBER_ADD"}, name) {
		return nil
	}
	if err := json.Unmarshal(d, &lobby); err != nil {
		t.Error(err)
	}
	var ids []string
	for _, m := range append(lobby.Members, lobby.Member) {
		ids = append(ids, m.ID)
	}
	return ids
}
