package main

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"
)

// listener is a client at the gateway of some node.
type listener struct {
	t    *testing.T
	conn net.Conn
}

// listen connects to a node and identifies.
func listen(t *testing.T, p *process, token string, intents int) *listener {
	t.Helper()
	conn, _, _, err := ws.Dialer{Timeout: 20 * time.Second}.Dial(t.Context(), "ws"+strings.TrimPrefix(p.base, "http")+"/gateway/?v=10&encoding=json")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	l := &listener{t, conn}
	l.say(fmt.Sprintf(`{"op":2,"d":{"token":%q,"intents":%d,"properties":{}}}`, token, intents))
	l.wait("READY")
	return l
}

func (l *listener) say(text string) {
	l.t.Helper()
	if err := wsutil.WriteClientText(l.conn, []byte(text)); err != nil {
		l.t.Fatal(err)
	}
}

// wait returns the next event of a name.
func (l *listener) wait(name string) jsontext.Value {
	l.t.Helper()
	for {
		text, err := wsutil.ReadServerText(l.conn)
		if err != nil {
			l.t.Fatalf("wait for %s: %v", name, err)
		}
		var p struct {
			T *string        `json:"t"`
			D jsontext.Value `json:"d"`
		}
		if err := json.Unmarshal(text, &p); err != nil {
			l.t.Fatal(err)
		}
		if p.T != nil && *p.T == name {
			return p.D
		}
	}
}

const meeting = `
users: [{id: "200000000000000000", username: ada, token: dev-user-ada}]
applications: [{id: "130000000000000000", name: Echo, owner: "200000000000000000", bot_token: token-0}]
guilds:
  - id: "300000000000000000"
    name: Lab
    owner: "200000000000000000"
    channels: [{id: "310000000000000000", name: general}]
    members: [{user: "200000000000000000"}]
    installs: [{application: "130000000000000000", scopes: [bot, applications.commands]}]
`

// rollCommand is the command that people use at nodes.
type rollCommand struct {
	ID      string `json:"id"`
	Version string `json:"version"`
}

// registerRoll makes the command at a node.
func (p *process) registerRoll(t *testing.T) (c rollCommand) {
	t.Helper()
	status, text, err := p.send(t.Context(), "POST", "/api/v10/applications/130000000000000000/commands", "Bot token-0", `{"name":"roll","description":"Roll"}`)
	if err != nil || status != 201 {
		t.Fatalf("register: %d %s %v", status, text, err)
	}
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// roll has a person use the command at a node.
func (p *process) roll(t *testing.T, c rollCommand, nonce string) {
	t.Helper()
	status, text, err := p.send(t.Context(), "POST", "/api/v10/interactions", "dev-user-ada", fmt.Sprintf(
		`{"type":2,"application_id":"130000000000000000","guild_id":"300000000000000000","channel_id":"310000000000000000",`+
			`"session_id":"s","nonce":%q,"data":{"id":%q,"version":%q,"name":"roll","type":1}}`, nonce, c.ID, c.Version))
	if err != nil || status != 204 {
		t.Fatalf("invoke: %d %s %v", status, text, err)
	}
}

// TestNodesInteraction has a person invoke a command on one node, the app hear of it on another and answer on a third, and
// the person see the answer on a fourth.
func TestNodesInteraction(t *testing.T) {
	t.Parallel()
	f := startFleet(t, 3)
	if err := os.WriteFile(f.world, []byte(meeting), 0o600); err != nil {
		t.Fatal(err)
	}
	f.nodes = append(f.nodes, f.start(t, 3)) // applies the other world
	invoked, heard, answered, shown := f.nodes[3], f.nodes[0], f.nodes[1], f.nodes[2]

	command := answered.registerRoll(t)
	bot, person := listen(t, heard, "token-0", 512), listen(t, shown, "dev-user-ada", 0)
	for round := range 5 {
		invoked.roll(t, command, strconv.Itoa(round))
		var i struct {
			ID    string `json:"id"`
			Token string `json:"token"`
		}
		if err := json.Unmarshal(bot.wait("INTERACTION_CREATE"), &i); err != nil {
			t.Fatal(err)
		}
		status, text, err := answered.send(t.Context(), "POST", "/api/v10/interactions/"+i.ID+"/"+i.Token+"/callback", "", fmt.Sprintf(`{"type":4,"data":{"content":"a %d"}}`, round))
		if err != nil || status != 204 {
			t.Fatalf("callback: %d %s %v", status, text, err)
		}
		if status, _, err = heard.send(t.Context(), "POST", "/api/v10/interactions/"+i.ID+"/"+i.Token+"/callback", "", `{"type":4,"data":{"content":"again"}}`); err != nil || status != 400 {
			t.Errorf("a second answer on another node: %d %v, want it refused", status, err)
		}
		if m := person.wait("MESSAGE_CREATE"); !strings.Contains(string(m), fmt.Sprintf(`"content":"a %d"`, round)) {
			t.Errorf("the person sees %s", m)
		}
	}
}
