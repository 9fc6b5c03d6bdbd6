package cluster

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/events"
	"github.com/go-json-experiment/json"
	"github.com/redis/rueidis"
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
				status, text, err := cl.nodes[i%3].Send(t.Context(), "POST", path, "Bot bot-token-of-application-0", fmt.Sprintf(`{"name":"c%d","description":"by %d"}`, n, i))
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
	if status, text, err := cl.nodes[0].Send(t.Context(), "PUT", path, "Bot bot-token-of-application-0", "[]"); err != nil || status != 200 {
		t.Fatalf("clear: %d %s %v", status, text, err)
	}
	var created, refused atomic.Int64
	var wg sync.WaitGroup
	for i := range 12 { // each creates and deletes its own command, to stay below the limit of 100 commands
		wg.Go(func() {
			for refused.Load() < 30 {
				status, text, err := cl.nodes[i%3].Send(t.Context(), "POST", path, "Bot bot-token-of-application-0", fmt.Sprintf(`{"name":"d%d","description":"d"}`, i))
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
				if status, text, err := cl.nodes[(i+1)%3].Send(t.Context(), "DELETE", path+"/"+command.ID, "Bot bot-token-of-application-0", ""); err != nil || status != 204 {
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

// publishedEvents counts the events with the given name in the stream in Redis, by the id in their data.
func (cl *cluster) publishedEvents(t *testing.T, name string) map[string]int {
	t.Helper()
	option, err := rueidis.ParseURL(cl.redis.URL())
	if err != nil {
		t.Fatal(err)
	}
	option.DisableCache = true
	client, err := rueidis.NewClient(option)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	keys, err := client.Do(t.Context(), client.B().Keys().Pattern("*:events:3").Build()).AsStrSlice()
	if err != nil || len(keys) > 1 {
		t.Errorf("event streams: %v %v", keys, err)
	}
	if len(keys) != 1 {
		return nil // no event was published yet
	}
	entries, err := client.Do(t.Context(), client.B().Xrange().Key(keys[0]).Start("-").End("+").Build()).AsXRange()
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	var reader events.EntryReader
	for _, entry := range entries {
		list, err := reader.Read(nil, []byte(entry.FieldValues["e"]), events.Position{})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range list {
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
	}
	return count
}

// TestNodesIdleLobbies kills two of three nodes while idle lobbies expire. Each lobby must be deleted, and its LOBBY_DELETE must
// be published once. It may be missing if a node was killed between the deletion and the event.
func TestNodesIdleLobbies(t *testing.T) {
	t.Parallel()
	cl := startCluster(t, 3, "--dev", "--limits", "off")
	c := &sessionClient{t: t, token: cl.bearer(t, 0)} // not a member; nodes publish events only if there is a client
	c.identify(cl.nodes[2], 0)
	const lobbies = 60
	ids, due := make([]string, lobbies), make([]time.Time, lobbies)
	var wg sync.WaitGroup
	for i := range ids {
		wg.Go(func() {
			idle := 5 + i%2*3
			due[i] = time.Now().Add(time.Duration(idle) * time.Second) // or a little later
			body := fmt.Sprintf(`{"idle_timeout_seconds":%d,"members":[{"id":"200000000000000001"}]}`, idle)
			status, text, err := cl.nodes[i%3].SendPatiently(t.Context(), "POST", "/api/v10/lobbies", "Bot bot-token-of-application-0", body)
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
			status, text, err := cl.nodes[2].SendPatiently(t.Context(), "GET", "/api/v10/lobbies/"+id, "Bot bot-token-of-application-0", "")
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
	published := cl.publishedEvents(t, "LOBBY_DELETE")
	missing := 0
	for i, id := range ids {
		switch {
		case published[id] == 0 && due[i].Before(killed):
			missing++
		case published[id] != 1:
			t.Errorf("LOBBY_DELETE of lobby %s was published %d times", id, published[id])
		}
	}
	if len(published) > lobbies {
		t.Errorf("LOBBY_DELETE was published for %d lobbies, want at most %d", len(published), lobbies)
	}
	t.Logf("%d lobbies, %d LOBBY_DELETE events, %d missing because of the kill", lobbies, len(published), missing)
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
	bot, user := connectGateway(t, appNode, "bot-token-of-application-0", 0), connectGateway(t, userNode, "user-token-of-the-countess-ada", 0)
	invokeNode.roll(t, command, "lost")
	bot.waitFor("INTERACTION_CREATE")
	if err := invokeNode.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if d := user.waitFor("INTERACTION_FAILURE"); !strings.Contains(string(d), `"lost"`) {
		t.Errorf("the user receives %s", d)
	}
}
