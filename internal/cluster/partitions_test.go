package cluster

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/bellhop/bellhop/internal/testkit/engines"
	"github.com/go-json-experiment/json/jsontext"
)

const (
	partitionNodes    = 8
	partitionGuilds   = 64
	partitionMessages = 25 // in each guild
)

// TestNodesPartitions has a bot in each of 64 guilds, on one of 8 nodes, and posts messages through all nodes. Each bot gets its
// messages in order, and no node reads many more bytes from the event log than it delivers.
func TestNodesPartitions(t *testing.T) {
	t.Parallel()
	cl := &cluster{dir: t.TempDir(), longTimeouts: true}
	cl.startEngines(t)
	cl.world = writeGuildsWorld(t, cl.dir)
	var metrics [partitionNodes]string
	for i := range metrics {
		metrics[i] = freeAddress(t)
		cl.args = []string{"--limits", "off", "--metrics-listen", metrics[i]}
		cl.nodes = append(cl.nodes, cl.start(t, i))
	}
	var clients [partitionGuilds]*sessionClient
	var received [partitionGuilds]int
	for i := range clients {
		c := &sessionClient{t: t, token: fmt.Sprint("bot-V7mQ2xK9tR4zL8pW3n-", i)}
		c.onEvent = func(name string, d jsontext.Value) {
			if name != "MESSAGE_CREATE" {
				return
			}
			if want := fmt.Sprintf(`"content":"message %d"`, received[i]); !strings.Contains(string(d), want) {
				t.Errorf("guild %d: received %s, want %s", i, d, want)
			}
			received[i]++
		}
		c.identify(cl.nodes[i%partitionNodes], 1<<0|1<<9)
		clients[i] = c
	}
	var before [partitionNodes][2]float64
	for i, address := range metrics {
		before[i] = eventBytes(t, address)
	}
	var posting, reading sync.WaitGroup
	var next atomic.Int64
	for range partitionNodes {
		posting.Go(func() {
			for i := int(next.Add(1)) - 1; i < partitionGuilds; i = int(next.Add(1)) - 1 {
				postMessages(t, cl, i)
			}
		})
	}
	for i, c := range clients {
		reading.Go(func() {
			if !c.readUntil(func(string) bool { return received[i] == partitionMessages }) {
				t.Errorf("guild %d: the connection ended after %d messages", i, received[i])
			}
		})
	}
	posting.Wait()
	reading.Wait()
	for i, address := range metrics {
		after := eventBytes(t, address)
		read, delivered := after[0]-before[i][0], after[1]-before[i][1]
		t.Logf("node %d read %.0f bytes and delivered %.0f", i, read, delivered)
		if read > 1.3*delivered {
			t.Errorf("node %d read %.0f bytes of events and delivered %.0f, want at most 1.3 times as many", i, read, delivered)
		}
	}
}

// postMessages posts the messages of a guild, each through another node.
func postMessages(t *testing.T, cl *cluster, guild int) {
	t.Helper()
	for n := range partitionMessages {
		status, text, err := cl.nodes[(guild+n)%len(cl.nodes)].SendUntilAvailable(t.Context(), "POST",
			fmt.Sprintf("/api/v10/channels/%d/messages", channelID(guild)), fmt.Sprint("Bot bot-V7mQ2xK9tR4zL8pW3n-", guild),
			fmt.Sprintf(`{"content":"message %d"}`, n))
		if err != nil || status != 200 {
			t.Errorf("message: %d %s %v", status, text, err)
		}
	}
}

// eventBytes returns how many bytes of events a node has read from the log, and how many of them it has delivered.
func eventBytes(t *testing.T, metrics string) (bytes [2]float64) {
	t.Helper()
	_, text, err := (&process{&engines.Node{Base: "http://" + metrics}}).Send(t.Context(), "GET", "/metrics", "", "")
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"bellhop_events_read_bytes_total", "bellhop_gateway_delivered_bytes_total"} {
		_, rest, _ := strings.Cut(text, "\n"+name+" ")
		value, _, _ := strings.Cut(rest, "\n")
		if bytes[i], err = strconv.ParseFloat(value, 64); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	return bytes
}

func guildID(i int) int { return 140000000000000000 + i<<22 }

func channelID(i int) int { return guildID(i) + 1 }

// writeGuildsWorld writes a world file with guilds, each with an application of its own.
func writeGuildsWorld(t *testing.T, dir string) string {
	t.Helper()
	const ada = "200000000000000000"
	var apps, guilds strings.Builder
	for i := range partitionGuilds {
		fmt.Fprintf(&apps, "  - {id: \"%d\", name: App%d, owner: %q, bot_token: bot-V7mQ2xK9tR4zL8pW3n-%d}\n", appID(i), i, ada, i)
		fmt.Fprintf(&guilds, "  - id: \"%d\"\n    name: Lab%d\n    owner: %q\n    channels: [{id: \"%d\", name: general}]\n", guildID(i), i, ada, channelID(i))
		fmt.Fprintf(&guilds, "    installs: [{application: \"%d\", scopes: [bot], permissions: \"8\"}]\n", appID(i))
	}
	text := "users: [{id: " + strconv.Quote(ada) + ", username: ada}]\napplications:\n" + apps.String() + "guilds:\n" + guilds.String()
	file := filepath.Join(dir, "world.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
