package gateway_test

import (
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/enginetest"
	"github.com/bellhop/bellhop/internal/events"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/gobwas/ws"
	"github.com/redis/rueidis"
)

// TestElsewhereTogether resumes one session in many places at once: exactly one of them goes on.
func TestElsewhereTogether(t *testing.T) {
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
				clients = append(clients, n.nodes[1+i%2].moved(t, c, "bot-echo"))
			}
			var wg sync.WaitGroup
			for _, again := range clients {
				wg.Go(func() { again.listen("RESUMED") })
			}
			wg.Wait() // everybody has been answered
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
				t.Errorf("%d clients have gone on with the same session", winners)
			}
		})
	}
}

// listen listens until the client hears an event, and reports false when it is closed or told that its session is invalid.
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

// TestElsewhereTrimmed cannot go on when the history does not reach back far enough.
func TestElsewhereTrimmed(t *testing.T) {
	t.Parallel()
	n := connectAll(t, 2)
	c := n.nodes[0].begin(t)
	n.nodes[0].kill()
	n.nodes[1].publish(1)
	n.nodes[1].wait(t, func() bool { return n.do(t, "XLEN", "{"+t.Name()+"}:events:3") > 1 })
	n.do(t, "XTRIM", "{"+t.Name()+"}:events:3", "MAXLEN", "0")
	n.join(t).moved(t, c, "bot-echo").want("op 9")
}

// TestElsewhereOtherForm cannot go on from a place that another version has written down in its own way.
func TestElsewhereOtherForm(t *testing.T) {
	t.Parallel()
	n := connectAll(t, 2)
	c := n.nodes[0].begin(t)
	n.nodes[0].kill()
	found, err := n.nodes[1].sessions.Find(t.Context(), c.id)
	if err != nil {
		t.Fatal(err)
	}
	state := strings.NewReplacer(`"t":`, `"Time":`, `"n":`, `"Count":`).Replace(string(found.State))
	if state == string(found.State) {
		t.Fatalf("no place stands in %s", state)
	}
	n.do(t, "HSET", t.Name()+":session:{"+c.id+"}", "s", state)
	n.nodes[1].moved(t, c, "bot-echo").want("op 9")
}

// do sends a command to Redis that answers with a number.
func (n *network) do(t *testing.T, words ...string) int64 {
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
	answer, err := client.Do(t.Context(), client.B().Arbitrary(words[0]).Keys(words[1]).Args(words[2:]...).Build()).AsInt64()
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// TestElsewhereNamed tells one session of a person alone, wherever it is, and all when it is nowhere.
func TestElsewhereNamed(t *testing.T) {
	t.Parallel()
	n := connectAll(t, 3)
	first, _ := n.nodes[0].login(t, "user-ada", 0)
	second, _ := n.nodes[1].login(t, "user-ada", 0)
	n.nodes[0].settled(t, first)
	n.nodes[1].settled(t, second)
	for i, session := range []string{first.id, second.id, "nowhere"} {
		n.nodes[2].bus.Publish(events.Event{
			Name: "TEST", Data: []byte(strconv.Itoa(i)), To: events.Audience{Users: []snowflake.User{ada}, Session: session},
		})
	}
	for i, c := range []*client{first, second} {
		if p := c.want("TEST"); string(p.D) != strconv.Itoa(i) {
			t.Errorf("session %d hears %s first", i, p.D)
		}
		if p := c.want("TEST"); string(p.D) != "2" {
			t.Errorf("session %d then hears %s", i, p.D)
		}
	}
}

// TestElsewhereAway resumes where the session is, and nowhere else, while Redis is away; after that it goes on.
func TestElsewhereAway(t *testing.T) {
	t.Parallel()
	own, err := enginetest.StartRedis(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := own.Stop(); err != nil {
			t.Error(err)
		}
	})
	n := &network{redis: own}
	a, b := n.join(t), n.join(t)
	c := a.begin(t)
	if err := own.Kill(); err != nil {
		t.Fatal(err)
	}
	b.moved(t, c, "bot-echo").want("op 9")
	again := a.moved(t, c, "bot-echo")
	again.want("RESUMED")
	b.publish(1) // waits
	if err := own.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	again.want("TEST")
	a.settled(t, again)
	hears(t, b, again.seq, b.moved(t, again, "bot-echo"))
}

// TestElsewherePresence says of a person who goes on at another node neither that it left nor that it came.
func TestElsewherePresence(t *testing.T) {
	t.Parallel()
	n := &network{redis: server}
	lobby := &oneLobby{words: make(chan string, 10)}
	n.lobbies = lobby
	a, b := n.join(t), n.join(t)
	a.grant(t, "ada-client", ada, "identify", "gateway.connect")
	c, _ := a.login(t, "Bearer ada-client", 0)
	if got := <-lobby.words; got != "arrived "+ada.String() {
		t.Errorf("told %q", got)
	}
	a.settled(t, c)
	b.moved(t, c, "Bearer ada-client").until("RESUMED")
	if got := <-lobby.words; got != "arrived "+ada.String() { // at the other node, before it has left the first
		t.Errorf("told %q", got)
	}
	a.time.Advance(10 * time.Second)
	if got := <-lobby.words; got != "left "+ada.String() {
		t.Errorf("told %q", got)
	}
	if a.Connected(echo, ada) {
		t.Error("who went to another node counts as there for ever")
	}
}
