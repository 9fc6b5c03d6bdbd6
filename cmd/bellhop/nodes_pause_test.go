package main

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

// TestNodesPause takes Redis away under sessions. When it comes back with its data they hear what happened meanwhile;
// without them they are told to begin anew, and do.
func TestNodesPause(t *testing.T) {
	t.Parallel()
	f := startFleet(t, 1, "--limits", "off")
	if err := os.WriteFile(f.world, []byte(meeting), 0o600); err != nil {
		t.Fatal(err)
	}
	f.nodes = append(f.nodes, f.start(t, 1), f.start(t, 2))
	words := beginSpeaking(t, f.nodes[0])
	say := func() {
		t.Helper()
		n := words.next.Add(1)
		if status, text, err := words.at.send(t.Context(), "POST", words.path, "", fmt.Sprintf(`{"content":"%d"}`, n)); err != nil || status != 200 {
			t.Errorf("message %d: %d %s %v", n, status, text, err)
		}
	}
	clients := []*traveler{{t: t, token: "token-0"}, {t: t, token: "dev-user-ada"}}
	for i, v := range clients {
		v.begin(f.nodes[1+i], 1|512)
	}
	// hear waits until a client has heard everything that was said.
	hear := func(v *traveler) {
		t.Helper()
		for v.last.Load() < words.next.Load() {
			if !v.until(func(name string) bool { return name == "MESSAGE_CREATE" }) {
				t.Fatalf("%s does not hear message %d", v.token, words.next.Load())
			}
		}
	}
	say()
	for _, v := range clients {
		hear(v)
	}
	if err := f.redis.Halt(); err != nil { // one that is killed may lose its last second
		t.Fatal(err)
	}
	for range 5 {
		say() // writes go on
	}
	if err := f.redis.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, v := range clients {
		hear(v)
		for i, n := range v.heard {
			if n != i+1 {
				t.Errorf("%s heard message %d when %d was due", v.token, n, i+1)
			}
		}
	}
	time.Sleep(2 * time.Second) // what Redis may have lost is told again
	// A session goes on elsewhere after that too.
	_ = clients[0].conn.Close()
	clients[0].resume(f.nodes[2])
	say()
	hear(clients[0])

	if err := errors.Join(f.redis.Kill(), f.redis.Forget(), f.redis.Start(t.Context())); err != nil {
		t.Fatal(err)
	}
	for _, p := range f.nodes { // who begins at a node that has not noticed begins twice
		for noticed, end := false, time.Now().Add(20*time.Second); !noticed; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal("a node does not notice that Redis has lost its data")
			}
			_, text, err := p.send(t.Context(), "GET", "/metrics", "", "")
			if err != nil {
				t.Fatal(err)
			}
			noticed = !strings.Contains(text, "bellhop_events_lost_total 0\n")
		}
	}
	for i, v := range clients {
		invalid := false
		for !invalid {
			if !v.until(func(name string) bool { invalid = name == "op 9"; return invalid || name == "MESSAGE_CREATE" }) {
				t.Fatalf("%s is not told that its session is invalid", v.token)
			}
		}
		v.seq = 0
		v.begin(f.nodes[1+i], 1|512)
	}
	say()
	for _, v := range clients {
		hear(v)
	}
}

// bearer returns the token of ada's client for an application.
func (f *fleet) bearer(t *testing.T, app int) string {
	t.Helper()
	status, text, err := f.nodes[0].send(t.Context(), "POST", "/_dev/token", "",
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

// TestNodesPresence keeps a lobby open for as long as a client of a member is connected to a node, whichever looks at it.
func TestNodesPresence(t *testing.T) {
	t.Parallel()
	f := startFleet(t, 2, "--dev", "--limits", "off")
	v := &traveler{t: t, token: f.bearer(t, 0)}
	v.begin(f.nodes[1], 0)
	status, text, err := f.nodes[0].send(t.Context(), "POST", "/api/v10/lobbies", "Bot token-0",
		`{"idle_timeout_seconds":5,"members":[{"id":"200000000000000000"}]}`)
	if err != nil || status != 201 {
		t.Fatalf("create: %d %s %v", status, text, err)
	}
	lobby := "/api/v10/lobbies/" + strings.Split(text, `"`)[3]
	is := func(want int) bool {
		t.Helper()
		status, text, err := f.nodes[0].send(t.Context(), "GET", lobby, "Bot token-0", "")
		if err != nil || status != 200 && status != 404 {
			t.Fatalf("read: %d %s %v", status, text, err)
		}
		return status == want
	}
	for end := time.Now().Add(12 * time.Second); time.Now().Before(end); time.Sleep(500 * time.Millisecond) {
		if !is(200) {
			t.Fatal("the lobby was shut down although a member is connected to another node")
		}
	}
	// It goes on at the other node, which changes nothing, and then leaves for good.
	_ = v.conn.Close()
	v.resume(f.nodes[0])
	if err := ws.WriteFrame(v.conn, ws.MaskFrame(ws.NewCloseFrame(ws.NewCloseFrameBody(ws.StatusNormalClosure, "")))); err != nil {
		t.Fatal(err)
	}
	left := time.Now()
	for !is(404) {
		if time.Since(left) > 40*time.Second {
			t.Fatal("the lobby was not shut down after its last member had left")
		}
		time.Sleep(100 * time.Millisecond)
	}
	if idle := time.Since(left); idle < 4*time.Second {
		t.Errorf("the lobby was shut down after %v", idle)
	}
}
