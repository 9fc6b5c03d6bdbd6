package cluster

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/go-json-experiment/json"
)

// lobbyToken is the bot token that owns the lobbies.
const lobbyToken = "Bot bot-P4wZ9gT1uM7eY5hC8q-game"

// TestKillLobbies kills the process while members are added to lobbies, several times with the same data. Every acknowledged
// member must be stored, and no others.
func TestKillLobbies(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	worldFile := filepath.Join(dir, "world.yaml")
	world := "users: [{id: \"200000000000000000\", username: ada}]\n" +
		"applications: [{id: \"130000000000000000\", name: Game, owner: \"200000000000000000\", bot_token: bot-P4wZ9gT1uM7eY5hC8q-game}]\n"
	if err := os.WriteFile(worldFile, []byte(world), 0o600); err != nil {
		t.Fatal(err)
	}
	begin := func() *process {
		return start(t, "serve", "--data", dir, "--world", worldFile, "--listen", "127.0.0.1:0", "--limits", "off", "--lobby-users", "auto")
	}
	const lobbies = 8
	p := begin()
	ids := make([]string, lobbies)
	for i := range ids {
		status, text, err := p.Send(t.Context(), "POST", "/api/v10/lobbies", lobbyToken, `{"idle_timeout_seconds":604800}`)
		if err != nil || status != 201 {
			t.Fatalf("create: %d %s %v", status, text, err)
		}
		ids[i] = strings.Split(text, `"`)[3]
	}
	members := make([]int, lobbies) // per lobby: the number of acknowledged members
	for round := range 3 {
		addMembersUntilKilled(t, p, ids, members, 100*(round+1))
		_ = p.Wait()
		p = begin()
		for i, id := range ids {
			members[i] = checkMembers(t, p, id, members[i])
		}
	}
	p.StopCleanly(t)
}

// addMembersUntilKilled adds members to all lobbies at once and kills the process after the given number of responses. The
// members of a lobby have the ids 1, 2, 3 and so on.
func addMembersUntilKilled(t *testing.T, p *process, ids []string, members []int, answers int) {
	t.Helper()
	var answered atomic.Int32
	var wg sync.WaitGroup
	for i, id := range ids {
		wg.Go(func() {
			for {
				path := fmt.Sprintf("/api/v10/lobbies/%s/members/%d", id, members[i]+1)
				status, text, err := p.Send(context.WithoutCancel(t.Context()), "PUT", path, lobbyToken, fmt.Sprintf(`{"metadata":{"n":"%d"}}`, members[i]+1))
				if err != nil {
					return // the process was killed
				}
				if status != 200 {
					t.Errorf("add a member: %d %s", status, text)
					return
				}
				members[i]++
				if int(answered.Add(1)) == answers {
					_ = p.Process.Kill() // cannot fail: the process runs
				}
			}
		})
	}
	wg.Wait()
}

// checkMembers checks that a lobby has the members 1, 2, 3 and so on, in this order: all acknowledged members, and at most one
// more, whose response was lost. It returns the number of members.
func checkMembers(t *testing.T, p *process, id string, acknowledged int) int {
	t.Helper()
	status, text, err := p.Send(t.Context(), "GET", "/api/v10/lobbies/"+id, lobbyToken, "")
	if err != nil || status != 200 {
		t.Fatalf("read: %d %s %v", status, text, err)
	}
	var lobby struct {
		Members []struct {
			ID       string            `json:"id"`
			Metadata map[string]string `json:"metadata"`
		} `json:"members"`
	}
	if err := json.Unmarshal([]byte(text), &lobby); err != nil {
		t.Fatal(err)
	}
	got := make([]string, len(lobby.Members))
	want := make([]string, len(lobby.Members))
	for i, m := range lobby.Members {
		got[i], want[i] = m.ID+m.Metadata["n"], strconv.Itoa(i+1)+strconv.Itoa(i+1)
	}
	if n := len(got); n < acknowledged || n > acknowledged+1 || !slices.Equal(got, want) {
		t.Errorf("a lobby with %d acknowledged members has %v", acknowledged, got)
	}
	return len(got)
}
