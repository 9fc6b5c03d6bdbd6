package main

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

// TestNodesCreateOnce creates the same commands on three nodes at once: each is created once, and the day's quota is
// exact.
func TestNodesCreateOnce(t *testing.T) {
	t.Parallel()
	f := startFleet(t, 3, "--limits", "off")
	path := fmt.Sprintf("/api/v10/applications/%d/commands", appID(0))
	const names, each = 90, 6
	for n := range names {
		var created, found atomic.Int64
		var wg sync.WaitGroup
		for i := range each {
			wg.Go(func() {
				status, text, err := f.nodes[i%3].send(t.Context(), "POST", path, "Bot token-0", fmt.Sprintf(`{"name":"c%d","description":"by %d"}`, n, i))
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
	if status, text, err := f.nodes[0].send(t.Context(), "PUT", path, "Bot token-0", "[]"); err != nil || status != 200 {
		t.Fatalf("clear: %d %s %v", status, text, err)
	}
	var created, refused atomic.Int64
	var wg sync.WaitGroup
	for i := range 12 { // each makes and removes a command of its own, so that the number of them is no limit
		wg.Go(func() {
			for refused.Load() < 30 {
				status, text, err := f.nodes[i%3].send(t.Context(), "POST", path, "Bot token-0", fmt.Sprintf(`{"name":"d%d","description":"d"}`, i))
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
				if status, text, err := f.nodes[(i+1)%3].send(t.Context(), "DELETE", path+"/"+command.ID, "Bot token-0", ""); err != nil || status != 204 {
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

// told counts the events of a name in the history that nodes share, by the first id in them.
func (f *fleet) told(t *testing.T, name string) map[string]int {
	t.Helper()
	option, err := rueidis.ParseURL(f.redis.URL())
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
		t.Errorf("histories %v %v", keys, err)
	}
	if len(keys) != 1 {
		return nil // nothing was told yet
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

// TestNodesShutdown lets lobbies fall idle while the nodes that made them are killed, and others afterwards: each is shut down
// once, by whichever node is left, and told of once, unless its node was killed between the write and the word.
func TestNodesShutdown(t *testing.T) {
	t.Parallel()
	f := startFleet(t, 3, "--dev", "--limits", "off")
	v := &traveler{t: t, token: f.bearer(t, 0)} // is in none of the lobbies; without clients nobody is told
	v.begin(f.nodes[2], 0)
	const lobbies = 60
	ids, due := make([]string, lobbies), make([]time.Time, lobbies)
	var wg sync.WaitGroup
	for i := range ids {
		wg.Go(func() {
			idle := 5 + i%2*3
			due[i] = time.Now().Add(time.Duration(idle) * time.Second) // at the earliest
			status, text, err := f.nodes[i%3].send(t.Context(), "POST", "/api/v10/lobbies", "Bot token-0",
				fmt.Sprintf(`{"idle_timeout_seconds":%d,"members":[{"id":"200000000000000001"}]}`, idle))
			if err != nil || status != 201 {
				t.Errorf("create: %d %s %v", status, text, err)
				return
			}
			ids[i] = strings.Split(text, `"`)[3]
		})
	}
	wg.Wait()
	time.Sleep(4900 * time.Millisecond) // when they begin to fall due
	if err := f.nodes[0].Process.Kill(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(100 * time.Millisecond) // in the middle of it
	if err := f.nodes[1].Process.Kill(); err != nil {
		t.Fatal(err)
	}
	killed := time.Now()
	for deadline := killed.Add(40 * time.Second); ; time.Sleep(200 * time.Millisecond) {
		left := 0
		for _, id := range ids {
			status, text, err := f.nodes[2].send(t.Context(), "GET", "/api/v10/lobbies/"+id, "Bot token-0", "")
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
			t.Fatalf("%d lobbies are still there", left)
		}
	}
	told := f.told(t, "LOBBY_DELETE")
	missing := 0
	for i, id := range ids {
		switch {
		case told[id] == 0 && due[i].Before(killed):
			missing++
		case told[id] != 1:
			t.Errorf("the end of lobby %s was told %d times", id, told[id])
		}
	}
	if len(told) > lobbies {
		t.Errorf("%d ends were told of %d lobbies", len(told), lobbies)
	}
	t.Logf("%d lobbies, %d ends told, %d nodes killed before they told", lobbies, len(told), missing)
}

// TestNodesTakeOver kills the node that an interaction was sent to: another one tells the person that nobody answered.
func TestNodesTakeOver(t *testing.T) {
	t.Parallel()
	f := startFleet(t, 1, "--limits", "off")
	if err := os.WriteFile(f.world, []byte(meeting), 0o600); err != nil {
		t.Fatal(err)
	}
	f.nodes = append(f.nodes, f.start(t, 1), f.start(t, 2))
	invoked, heard, shown := f.nodes[0], f.nodes[1], f.nodes[2]
	command := heard.registerRoll(t)
	bot, person := listen(t, heard, "token-0", 0), listen(t, shown, "dev-user-ada", 0)
	invoked.roll(t, command, "lost")
	bot.wait("INTERACTION_CREATE")
	if err := invoked.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if d := person.wait("INTERACTION_FAILURE"); !strings.Contains(string(d), `"lost"`) {
		t.Errorf("the person hears %s", d)
	}
}
