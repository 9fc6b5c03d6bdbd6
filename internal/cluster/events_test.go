package cluster

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// TestNodesFirstClient adds members to lobbies at one node while the first client of the application connects to another. Each
// member must be in the lobby that the client receives first, or in a later event. While no client is connected, nodes publish
// no events.
func TestNodesFirstClient(t *testing.T) {
	t.Parallel()
	cl := startCluster(t, 2, "--dev", "--limits", "off")
	const joins, connectAfter = 60, 20
	for app := range 4 {
		status, text, err := cl.nodes[0].SendUntilAvailable(t.Context(), "POST", "/api/v10/lobbies", fmt.Sprint("Bot bot-V7mQ2xK9tR4zL8pW3n-", app),
			`{"members":[{"id":"200000000000000000"}]}`)
		if err != nil || status != 201 {
			t.Fatalf("create: %d %s %v", status, text, err)
		}
		lobby := strings.Split(text, `"`)[3]
		connect, joined := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(joined)
			for n := range joins {
				if n == connectAfter {
					if app == 0 {
						if published := cl.recordedEvents(t, "LOBBY_MEMBER_ADD"); len(published) > 0 {
							t.Errorf("%v were published although no client is connected", published)
						}
					}
					close(connect)
				}
				path := fmt.Sprintf("/api/v10/lobbies/%s/members/%d", lobby, 300+n)
				if status, text, err := cl.nodes[0].Send(t.Context(), "PUT", path, fmt.Sprint("Bot bot-V7mQ2xK9tR4zL8pW3n-", app), `{}`); err != nil || status != 200 {
					t.Errorf("join: %d %s %v", status, text, err)
				}
			}
		}()
		<-connect
		c := &sessionClient{t: t, token: cl.bearer(t, app)}
		seen := map[string]int{}
		c.onEvent = func(name string, d jsontext.Value) {
			for _, id := range membersIn(t, name, d) {
				seen[id]++
			}
		}
		c.identify(cl.nodes[1], 0)
		<-joined
		if status, text, err := cl.nodes[0].Send(t.Context(), "PATCH", "/api/v10/lobbies/"+lobby, fmt.Sprint("Bot bot-V7mQ2xK9tR4zL8pW3n-", app),
			`{"metadata":{"complete":"yes"}}`); err != nil || status != 200 {
			t.Fatalf("edit: %d %s %v", status, text, err)
		}
		if !c.readUntil(func(name string) bool { return name == "LOBBY_UPDATE" }) {
			t.Fatal("the connection ended")
		}
		for n := range joins {
			if id := strconv.Itoa(300 + n); seen[id] == 0 {
				t.Errorf("application %d: the client did not learn that %s joined", app, id)
			}
		}
		_ = c.conn.Close()
	}
}

// membersIn returns the members in an event.
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
