package gateway_test

import (
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/internal/testkit/engines"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/gobwas/ws"
	"github.com/redis/rueidis"
)

// TestRestoreConcurrent resumes one session at several nodes at once: exactly one succeeds.
func TestRestoreConcurrent(t *testing.T) {
	t.Parallel()
	for name, killed := range map[string]bool{"its node lives": false, "its node was killed": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := connectAll(t, 3)
			c := n.nodes[0].begin(t)
			if killed {
				n.nodes[0].kill()
			}
			var clients []*client
			for i := range 6 {
				clients = append(clients, n.nodes[1+i%2].resumeFrom(t, c, "bot-echo"))
			}
			var wg sync.WaitGroup
			for _, again := range clients {
				wg.Go(func() { again.listen("RESUMED") })
			}
			wg.Wait() // all clients have got an answer
			n.nodes[1].publish(1)
			var won atomic.Int64
			for _, again := range clients {
				wg.Go(func() {
					if again.listen("TEST") {
						won.Add(1)
					}
				})
			}
			wg.Wait()
			winners := won.Load()
			if winners != 1 {
				t.Errorf("%d clients have resumed the same session", winners)
			}
		})
	}
}

// listen reads until the client gets an event. It returns false if the connection is closed or the session invalid.
func (c *client) listen(event string) bool {
	for {
		f, err := c.receive()
		if err != nil || f.Header.OpCode == ws.OpClose {
			c.cut()
			return false
		}
		switch c.parse(f.Payload).name() {
		case event:
			return true
		case "op 9":
			c.cut()
			return false
		}
	}
}

// TestRestoreTrimmed checks that a session cannot be resumed if the history does not reach back far enough.
func TestRestoreTrimmed(t *testing.T) {
	t.Parallel()
	n := connectAll(t, 2)
	c := n.nodes[0].begin(t)
	n.nodes[0].kill()
	n.nodes[1].publish(1)
	n.history.mu.Lock()
	n.history.removed = len(n.history.list)
	n.history.mu.Unlock()
	n.join(t).resumeFrom(t, c, "bot-echo").want("op 9")
}

// TestRestoreOtherVersion checks that a session cannot be resumed from a position that another version has written.
func TestRestoreOtherVersion(t *testing.T) {
	t.Parallel()
	n := connectAll(t, 2)
	c := n.nodes[0].begin(t)
	n.nodes[0].kill()
	found, err := n.nodes[1].sessions.Find(t.Context(), c.id)
	if err != nil {
		t.Fatal(err)
	}
	state := strings.NewReplacer(`"h":`, `"t":`, `"x":`, `"i":`, `"n":`, `"c":`).Replace(string(found.Progress))
	if state == string(found.Progress) {
		t.Fatalf("no place stands in %s", state)
	}
	n.do(t, "HSET", t.Name()+":session:{"+c.id+"}", "s", state)
	n.nodes[1].resumeFrom(t, c, "bot-echo").want("op 9")
}

// do sends a command to Redis that answers with a number.
func (n *network) do(t *testing.T, calls ...string) int64 {
	t.Helper()
	option, err := rueidis.ParseURL(n.redis.URL())
	if err != nil {
		t.Fatal(err)
	}
	option.DisableCache = true
	client, err := rueidis.NewClient(option)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	answer, err := client.Do(t.Context(), client.B().Arbitrary(calls[0]).Keys(calls[1]).Args(calls[2:]...).Build()).AsInt64()
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// TestNamedSession publishes an event for one session of a user: only that session gets it, on any node.
func TestNamedSession(t *testing.T) {
	t.Parallel()
	n := connectAll(t, 3)
	first, _ := n.nodes[0].login(t, "user-ada", 0)
	second, _ := n.nodes[1].login(t, "user-ada", 0)
	n.nodes[0].waitPublished(t, first)
	n.nodes[1].waitPublished(t, second)
	for i, session := range []string{first.id, second.id, ""} {
		n.nodes[2].bus.Publish(events.Event{
			Name: "TEST", Data: []byte(strconv.Itoa(i)), To: events.Audience{Users: []snowflake.User{ada}, Session: session},
		})
	}
	for i, c := range []*client{first, second} {
		if p := c.want("TEST"); string(p.D) != strconv.Itoa(i) {
			t.Errorf("session %d receives %s first", i, p.D)
		}
		if p := c.want("TEST"); string(p.D) != "2" {
			t.Errorf("session %d then receives %s", i, p.D)
		}
	}
}

// TestRestoreBehind resumes at a node that has not yet delivered what the client received from another node.
func TestRestoreBehind(t *testing.T) {
	t.Parallel()
	n := connectAll(t, 2)
	a, b := n.nodes[0], n.nodes[1]
	c := a.begin(t)
	a.sessions.putFails.Store(true)
	slow := b.bus.Subscribe(1) // the node delivers nothing while it has no room
	for i := 1; i <= 5; i++ {
		a.publish(i)
		c.want("TEST")
	}
	a.kill()
	again := b.resumeFrom(t, c, "bot-echo")
	time.Sleep(100 * time.Millisecond) // the node handles the request
	slow.Close()
	wantResumed(t, b, c.seq, again)
}

// TestRestoreWithoutRedis checks that, without Redis, a session can be resumed only at its own node.
func TestRestoreWithoutRedis(t *testing.T) {
	t.Parallel()
	engines.Need(t, "redis-server")
	own, err := engines.StartRedis(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := own.Stop(); err != nil {
			t.Error(err)
		}
	})
	n := newNetwork(own)
	n.breaks = true
	a, b := n.join(t), n.join(t)
	c := a.begin(t)
	if err := own.Kill(); err != nil {
		t.Fatal(err)
	}
	b.resumeFrom(t, c, "bot-echo").want("op 9")
	again := a.resumeFrom(t, c, "bot-echo")
	again.want("RESUMED")
	b.publish(1) // waits for Redis
	if err := own.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	again.want("TEST")
	a.waitPublished(t, again)
	for _, d := range n.nodes {
		if err := own.AwaitSubscriber(t.Context(), t.Name()+":sessions:"+d.sessions.Node); err != nil {
			t.Fatal(err)
		}
	}
	for answered := 0; answered < 50; time.Sleep(10 * time.Millisecond) { // all connections of the node work again
		if answered++; b.sessions.Client.Ping(t.Context()) != nil {
			answered = 0
		}
	}
	wantResumed(t, b, again.seq, b.resumeFrom(t, again, "bot-echo"))
}

// TestRestorePresence checks that a user who resumes at another node does not count as disconnected.
func TestRestorePresence(t *testing.T) {
	t.Parallel()
	n := newNetwork(server.Get(t))
	lobby := &oneLobby{calls: make(chan string, 10)}
	n.lobbies = lobby
	a, b := n.join(t), n.join(t)
	a.grant(t, "ada-client", ada, "identify", "gateway.connect")
	c, _ := a.login(t, "Bearer ada-client", 0)
	c.want("LOBBY_CREATE")
	if got := engines.Receive(t, "the call of the lobbies", lobby.calls); got != "connected "+ada.String() {
		t.Errorf("got %q", got)
	}
	a.waitPublished(t, c)
	b.resumeFrom(t, c, "Bearer ada-client").until("RESUMED")
	if got := engines.Receive(t, "the call of the lobbies", lobby.calls); got != "connected "+ada.String() { // at the other node, before the first node announces that the user left
		t.Errorf("got %q", got)
	}
	a.time.Advance(10 * time.Second)
	if got := engines.Receive(t, "the call of the lobbies", lobby.calls); got != "disconnected "+ada.String() {
		t.Errorf("got %q", got)
	}
	if a.Connected(echo, ada) {
		t.Error("a user who moved to another node stays connected")
	}
}
