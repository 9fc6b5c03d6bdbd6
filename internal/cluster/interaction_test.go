package cluster

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

// gatewayClient is a gateway client of a node.
type gatewayClient struct {
	t    *testing.T
	conn net.Conn
}

// connectGateway connects to a node, identifies, and waits for READY.
func connectGateway(t *testing.T, p *process, token string, intents int) *gatewayClient {
	t.Helper()
	conn, _, _, err := ws.Dialer{Timeout: 20 * time.Second}.Dial(t.Context(), "ws"+strings.TrimPrefix(p.Base, "http")+"/gateway/?v=10&encoding=json")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	l := &gatewayClient{t, conn}
	l.send(fmt.Sprintf(`{"op":2,"d":{"token":%q,"intents":%d,"properties":{}}}`, token, intents))
	l.waitFor("READY")
	return l
}

func (l *gatewayClient) send(text string) {
	l.t.Helper()
	if err := wsutil.WriteClientText(l.conn, []byte(text)); err != nil {
		l.t.Fatal(err)
	}
}

// waitFor reads events up to the next one with the given name and returns its data.
func (l *gatewayClient) waitFor(name string) jsontext.Value {
	l.t.Helper()
	last := "nothing"
	if err := l.conn.SetReadDeadline(time.Now().Add(30 * time.Second)); err != nil {
		l.t.Fatal(err)
	}
	for {
		text, err := wsutil.ReadServerText(l.conn)
		if err != nil {
			l.t.Fatalf("wait for %s: %v; the last frame was %s", name, err, last)
		}
		last = string(text)
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

// guildWorld is a world with a user, an application and a guild that has it installed.
const guildWorld = `
users: [{id: "200000000000000000", username: ada, token: user-H3kD8vB5yN0cF6jX2s-ada}]
applications: [{id: "130000000000000000", name: Echo, owner: "200000000000000000", bot_token: bot-V7mQ2xK9tR4zL8pW3n-0}]
guilds:
  - id: "300000000000000000"
    name: Lab
    owner: "200000000000000000"
    channels: [{id: "310000000000000000", name: general}]
    members: [{user: "200000000000000000"}]
    installs: [{application: "130000000000000000", scopes: [bot, applications.commands]}]
`

// rollCommand is the command that tests invoke.
type rollCommand struct {
	ID      string `json:"id"`
	Version string `json:"version"`
}

// registerRoll creates the command at a node.
func (p *process) registerRoll(t *testing.T) (c rollCommand) {
	t.Helper()
	status, text, err := p.SendUntilAvailable(t.Context(), "POST", "/api/v10/applications/130000000000000000/commands", "Bot bot-V7mQ2xK9tR4zL8pW3n-0", `{"name":"roll","description":"Roll"}`)
	if err != nil || status != 201 && status != 200 { // 200: the first attempt was stored after all
		t.Fatalf("register: %d %s %v", status, text, err)
	}
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// roll invokes the command as ada at a node.
func (p *process) roll(t *testing.T, c rollCommand, nonce string) {
	t.Helper()
	status, text, err := p.Send(t.Context(), "POST", "/api/v10/interactions", "user-H3kD8vB5yN0cF6jX2s-ada", fmt.Sprintf(
		`{"type":2,"application_id":"130000000000000000","guild_id":"300000000000000000","channel_id":"310000000000000000",`+
			`"session_id":"s","nonce":%q,"data":{"id":%q,"version":%q,"name":"roll","type":1}}`, nonce, c.ID, c.Version))
	if err != nil || status != 204 {
		t.Fatalf("invoke: %d %s %v", status, text, err)
	}
}

// TestNodesInteraction uses a node for each step: a user invokes a command on the first, the app receives the interaction on the
// second and responds on the third, and the user receives the response on the fourth.
func TestNodesInteraction(t *testing.T) {
	t.Parallel()
	cl := startCluster(t, 3)
	if err := os.WriteFile(cl.world, []byte(guildWorld), 0o600); err != nil {
		t.Fatal(err)
	}
	cl.nodes = append(cl.nodes, cl.start(t, 3)) // applies guildWorld
	invokeNode, appNode, callbackNode, userNode := cl.nodes[3], cl.nodes[0], cl.nodes[1], cl.nodes[2]

	command := callbackNode.registerRoll(t)
	bot, user := connectGateway(t, appNode, "bot-V7mQ2xK9tR4zL8pW3n-0", 512), connectGateway(t, userNode, "user-H3kD8vB5yN0cF6jX2s-ada", 0)
	for round := range 5 {
		invokeNode.roll(t, command, strconv.Itoa(round))
		var i struct {
			ID    string `json:"id"`
			Token string `json:"token"`
		}
		if err := json.Unmarshal(bot.waitFor("INTERACTION_CREATE"), &i); err != nil {
			t.Fatal(err)
		}
		status, text, err := callbackNode.Send(t.Context(), "POST", "/api/v10/interactions/"+i.ID+"/"+i.Token+"/callback", "", fmt.Sprintf(`{"type":4,"data":{"content":"a %d"}}`, round))
		if err != nil || status != 204 {
			t.Fatalf("callback: %d %s %v", status, text, err)
		}
		if status, _, err = appNode.Send(t.Context(), "POST", "/api/v10/interactions/"+i.ID+"/"+i.Token+"/callback", "", `{"type":4,"data":{"content":"again"}}`); err != nil || status != 400 {
			t.Errorf("a second callback on another node: %d %v, want 400", status, err)
		}
		if m := user.waitFor("MESSAGE_CREATE"); !strings.Contains(string(m), fmt.Sprintf(`"content":"a %d"`, round)) {
			t.Errorf("the user receives %s", m)
		}
	}
}

// TestNodesOffline invokes a command on one node while the bot is offline, connected to another node, and offline again.
func TestNodesOffline(t *testing.T) {
	t.Parallel()
	cl := startCluster(t, 1, "--limits", "off")
	if err := os.WriteFile(cl.world, []byte(guildWorld), 0o600); err != nil {
		t.Fatal(err)
	}
	cl.nodes = append(cl.nodes, cl.start(t, 1)) // applies guildWorld
	invokeNode, appNode := cl.nodes[0], cl.nodes[1]
	command := invokeNode.registerRoll(t)
	user := connectGateway(t, invokeNode, "user-H3kD8vB5yN0cF6jX2s-ada", 0)
	const offline = `"reason":"Echo is offline: no gateway session and no endpoint URL"`

	fails := func(nonce string) string { // returns the failure of an invocation
		invokeNode.roll(t, command, nonce)
		for {
			if event := string(user.waitFor("INTERACTION_FAILURE")); strings.Contains(event, `"nonce":"`+nonce+`"`) {
				return event
			}
		}
	}
	for round := range 3 {
		if event := fails(fmt.Sprint("before ", round)); !strings.Contains(event, offline) {
			t.Fatalf("without a bot: %s", event)
		}
		bot := connectGateway(t, appNode, "bot-V7mQ2xK9tR4zL8pW3n-0", 512)
		invokeNode.roll(t, command, fmt.Sprint("while ", round)) // the other node was told before READY
		bot.waitFor("INTERACTION_CREATE")
		if err := wsutil.WriteClientMessage(bot.conn, ws.OpClose, ws.NewCloseFrameBody(ws.StatusNormalClosure, "")); err != nil {
			t.Fatal(err)
		}
		for try := 0; !strings.Contains(fails(fmt.Sprint("after ", round, " ", try)), offline); try++ {
			if try == 10 {
				t.Fatal("the bot is never offline again")
			}
		}
	}
}
