package cluster

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/gobwas/ws"
)

// TestNodesRedisRestart stops Redis while sessions are connected, and restarts it with its data and without. The sessions receive
// all events, also while Redis is away, and can be resumed at another node afterwards.
func TestNodesRedisRestart(t *testing.T) {
	t.Parallel()
	cl := startCluster(t, 1, "--dev", "--limits", "off") // with --dev the metrics need no token
	if err := os.WriteFile(cl.world, []byte(guildWorld), 0o600); err != nil {
		t.Fatal(err)
	}
	cl.nodes = append(cl.nodes, cl.start(t, 1), cl.start(t, 2))
	sender := newMessageSender(t, cl.nodes[0])
	sendMessage := func() {
		t.Helper()
		n := sender.next.Add(1)
		if status, text, err := sender.at.Send(t.Context(), "POST", sender.path, "", fmt.Sprintf(`{"content":"%d"}`, n)); err != nil || status != 200 {
			t.Errorf("message %d: %d %s %v", n, status, text, err)
		}
	}
	clients := []*sessionClient{{t: t, token: "bot-V7mQ2xK9tR4zL8pW3n-0"}, {t: t, token: "user-H3kD8vB5yN0cF6jX2s-ada"}}
	for i, c := range clients {
		c.identify(cl.nodes[1+i], 1|512)
	}
	// receiveAll waits until a client has received all messages.
	receiveAll := func(c *sessionClient) {
		t.Helper()
		for c.lastReceived.Load() < sender.next.Load() {
			if !c.readUntil(func(name string) bool { return name == "MESSAGE_CREATE" }) {
				t.Fatalf("%s did not receive message %d", c.token, sender.next.Load())
			}
		}
	}
	sendMessage()
	for _, c := range clients {
		receiveAll(c)
	}
	if err := cl.redis.Halt(); err != nil { // a killed Redis may lose the last second
		t.Fatal(err)
	}
	receiveInOrder := func() {
		t.Helper()
		for _, c := range clients {
			receiveAll(c)
			for i, n := range c.received {
				if n != i+1 {
					t.Errorf("%s received message %d, want %d", c.token, n, i+1)
				}
			}
		}
	}
	for range 5 {
		sendMessage()
	}
	receiveInOrder() // without Redis
	if err := cl.redis.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	resumeElsewhere := func(at *process) {
		t.Helper()
		sendMessage()
		receiveInOrder()
		time.Sleep(2 * time.Second) // nodes publish again what Redis may have lost
		_ = clients[0].conn.Close()
		clients[0].resume(at)
		sendMessage()
		receiveInOrder()
	}
	resumeElsewhere(cl.nodes[2])
	if err := errors.Join(cl.redis.Kill(), cl.redis.Forget(), cl.redis.Start(t.Context())); err != nil {
		t.Fatal(err)
	}
	resumeElsewhere(cl.nodes[1])
	for _, p := range cl.nodes {
		if _, text, err := p.Send(t.Context(), "GET", "/metrics", "", ""); err != nil || !strings.Contains(text, "bellhop_events_lost_total 0\n") {
			t.Errorf("a node lost events: %v", err)
		}
	}
}

// bearer returns an access token of ada for an application.
func (cl *cluster) bearer(t *testing.T, app int) string {
	t.Helper()
	status, text, err := cl.nodes[0].SendUntilAvailable(t.Context(), "POST", "/_dev/token", "",
		`{"application":"`+strconv.Itoa(appID(app))+`","user":"200000000000000000","scopes":["identify","gateway.connect","lobbies.write"]}`)
	if err != nil || status != 200 {
		t.Fatalf("token: %d %s %v", status, text, err)
	}
	var token struct {
		Access string `json:"access_token"`
	}
	if err := json.Unmarshal([]byte(text), &token); err != nil {
		t.Fatal(err)
	}
	return "Bearer " + token.Access
}

// TestNodesPresence checks that a lobby stays open while a member is connected to any node, and expires afterwards.
func TestNodesPresence(t *testing.T) {
	t.Parallel()
	cl := startCluster(t, 2, "--dev", "--limits", "off")
	c := &sessionClient{t: t, token: cl.bearer(t, 0)}
	c.identify(cl.nodes[1], 0)
	status, text, err := cl.nodes[0].SendUntilAvailable(t.Context(), "POST", "/api/v10/lobbies", "Bot bot-V7mQ2xK9tR4zL8pW3n-0",
		`{"idle_timeout_seconds":5,"members":[{"id":"200000000000000000"}]}`)
	if err != nil || status != 201 {
		t.Fatalf("create: %d %s %v", status, text, err)
	}
	lobby := "/api/v10/lobbies/" + strings.Split(text, `"`)[3]
	statusIs := func(want int) bool {
		t.Helper()
		status, text, err := cl.nodes[0].SendUntilAvailable(t.Context(), "GET", lobby, "Bot bot-V7mQ2xK9tR4zL8pW3n-0", "")
		if err != nil || status != 200 && status != 404 {
			t.Fatalf("read: %d %s %v", status, text, err)
		}
		return status == want
	}
	for end := time.Now().Add(12 * time.Second); time.Now().Before(end); time.Sleep(500 * time.Millisecond) {
		if !statusIs(200) {
			t.Fatal("the lobby was deleted although a member is connected to another node")
		}
	}
	// A resume at the other node changes nothing. Then the client closes its session.
	_ = c.conn.Close()
	c.resume(cl.nodes[0])
	if err := ws.WriteFrame(c.conn, ws.MaskFrame(ws.NewCloseFrame(ws.NewCloseFrameBody(ws.StatusNormalClosure, "")))); err != nil {
		t.Fatal(err)
	}
	left := time.Now()
	for !statusIs(404) {
		if time.Since(left) > 30*time.Second {
			t.Fatal("the lobby was not deleted 30 s after its last member had left")
		}
		time.Sleep(100 * time.Millisecond)
	}
	if idle := time.Since(left); idle < 4*time.Second {
		t.Errorf("the lobby was deleted after %v, want 5s or more", idle)
	}
}
