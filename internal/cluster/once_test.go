package cluster

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/go-json-experiment/json"
	"github.com/jackc/pgx/v5"
)

// TestNodesCreateOnce creates the same commands on three nodes at once. Each command must be created once, and the daily limit
// of created commands must be exact.
func TestNodesCreateOnce(t *testing.T) {
	t.Parallel()
	cl := startCluster(t, 3, "--limits", "off", "--daily-creates", "200")
	path := fmt.Sprintf("/api/v10/applications/%d/commands", appID(0))
	const names, each = 90, 6
	for n := range names {
		var created, found atomic.Int64
		var wg sync.WaitGroup
		for i := range each {
			wg.Go(func() {
				status, text, err := cl.nodes[i%3].Send(t.Context(), "POST", path, "Bot bot-V7mQ2xK9tR4zL8pW3n-0", fmt.Sprintf(`{"name":"c%d","description":"by %d"}`, n, i))
				switch {
				case err == nil && status == 201:
					created.Add(1)
				case err == nil && status == 200:
					found.Add(1)
				default:
					t.Errorf("%d %s %v", status, text, err)
				}
			})
		}
		wg.Wait()
		if created.Load() != 1 || found.Load() != each-1 {
			t.Fatalf("command %d was created %d times and found %d times", n, created.Load(), found.Load())
		}
	}
	if status, text, err := cl.nodes[0].Send(t.Context(), "PUT", path, "Bot bot-V7mQ2xK9tR4zL8pW3n-0", "[]"); err != nil || status != 200 {
		t.Fatalf("clear: %d %s %v", status, text, err)
	}
	var created, refused atomic.Int64
	var wg sync.WaitGroup
	for i := range 12 { // each creates and deletes its own command, to stay below the limit of 100 commands
		wg.Go(func() {
			for refused.Load() < 30 {
				status, text, err := cl.nodes[i%3].Send(t.Context(), "POST", path, "Bot bot-V7mQ2xK9tR4zL8pW3n-0", fmt.Sprintf(`{"name":"d%d","description":"d"}`, i))
				if err == nil && status == 429 && strings.Contains(text, "30034") {
					refused.Add(1)
					continue
				}
				if err != nil || status != 201 {
					t.Errorf("create: %d %s %v", status, text, err)
					return
				}
				created.Add(1)
				var command struct {
					ID string `json:"id"`
				}
				if err := json.Unmarshal([]byte(text), &command); err != nil {
					t.Error(err)
				}
				if status, text, err := cl.nodes[(i+1)%3].Send(t.Context(), "DELETE", path+"/"+command.ID, "Bot bot-V7mQ2xK9tR4zL8pW3n-0", ""); err != nil || status != 204 {
					t.Errorf("delete: %d %s %v", status, text, err)
					return
				}
			}
		})
	}
	wg.Wait()
	if got := created.Load() + names; got != 200 {
		t.Errorf("%d commands were created in a day, want 200", got)
	}
}

// recordedEvents counts the events with the given name in the event log, by the id in their data.
func (cl *cluster) recordedEvents(t *testing.T, name string) map[string]int {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), cl.url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	rows, err := conn.Query(t.Context(), "SELECT doc FROM events ORDER BY xid, seq")
	if err != nil {
		t.Fatal(err)
	}
	entries, err := pgx.CollectRows(rows, pgx.RowTo[[]byte])
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	var reader events.EntryReader
	for _, entry := range entries {
		e, err := reader.Read(entry, events.Position{})
		if err != nil {
			t.Fatal(err)
		}
		if e.Name != name {
			continue
		}
		var d struct {
			ID string `json:"id"`
		}
		if err := json.Unmarshal(e.Data, &d); err != nil {
			t.Fatal(err)
		}
		count[d.ID]++
	}
	return count
}

// TestNodesIdleLobbies kills two of three nodes while idle lobbies expire. Each lobby must be deleted, and its LOBBY_DELETE must
// be in the event log once.
func TestNodesIdleLobbies(t *testing.T) {
	t.Parallel()
	cl := startCluster(t, 3, "--dev", "--limits", "off")
	c := &sessionClient{t: t, token: cl.bearer(t, 0)} // not a member; nodes publish events only if there is a client
	c.identify(cl.nodes[2], 0)
	const lobbies = 60
	ids := make([]string, lobbies)
	var wg sync.WaitGroup
	for i := range ids {
		wg.Go(func() {
			idle := 5 + i%2*3
			body := fmt.Sprintf(`{"idle_timeout_seconds":%d,"members":[{"id":"200000000000000001"}]}`, idle)
			status, text, err := cl.nodes[i%3].SendUntilAvailable(t.Context(), "POST", "/api/v10/lobbies", "Bot bot-V7mQ2xK9tR4zL8pW3n-0", body)
			if err != nil || status != 201 {
				t.Errorf("create: %d %s %v", status, text, err)
				return
			}
			ids[i] = strings.Split(text, `"`)[3]
		})
	}
	wg.Wait()
	time.Sleep(4900 * time.Millisecond) // until the first lobbies expire
	if err := cl.nodes[0].Process.Kill(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(100 * time.Millisecond) // while lobbies expire
	if err := cl.nodes[1].Process.Kill(); err != nil {
		t.Fatal(err)
	}
	killed := time.Now()
	for deadline := killed.Add(30 * time.Second); ; time.Sleep(200 * time.Millisecond) {
		left := 0
		for _, id := range ids {
			status, text, err := cl.nodes[2].SendUntilAvailable(t.Context(), "GET", "/api/v10/lobbies/"+id, "Bot bot-V7mQ2xK9tR4zL8pW3n-0", "")
			if err != nil || status != 200 && status != 404 {
				t.Fatalf("read: %d %s %v", status, text, err)
			}
			if status == 200 {
				left++
			}
		}
		if left == 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d of %d lobbies were not deleted 30 s after the nodes were killed", left, lobbies)
		}
	}
	recorded := cl.recordedEvents(t, "LOBBY_DELETE")
	for _, id := range ids {
		if recorded[id] != 1 {
			t.Errorf("LOBBY_DELETE of lobby %s was recorded %d times", id, recorded[id])
		}
	}
	if len(recorded) != lobbies {
		t.Errorf("LOBBY_DELETE was recorded for %d lobbies, want %d", len(recorded), lobbies)
	}
}

// TestNodesTakeOver kills the node that accepted an interaction. Another node must send INTERACTION_FAILURE to the user.
func TestNodesTakeOver(t *testing.T) {
	t.Parallel()
	cl := startCluster(t, 1, "--limits", "off")
	if err := os.WriteFile(cl.world, []byte(guildWorld), 0o600); err != nil {
		t.Fatal(err)
	}
	cl.nodes = append(cl.nodes, cl.start(t, 1), cl.start(t, 2))
	invokeNode, appNode, userNode := cl.nodes[0], cl.nodes[1], cl.nodes[2]
	command := appNode.registerRoll(t)
	bot, user := connectGateway(t, appNode, "bot-V7mQ2xK9tR4zL8pW3n-0", 0), connectGateway(t, userNode, "user-H3kD8vB5yN0cF6jX2s-ada", 0)
	invokeNode.roll(t, command, "lost")
	bot.waitFor("INTERACTION_CREATE")
	if err := invokeNode.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if d := user.waitFor("INTERACTION_FAILURE"); !strings.Contains(string(d), `"lost"`) {
		t.Errorf("the user receives %s", d)
	}
}
