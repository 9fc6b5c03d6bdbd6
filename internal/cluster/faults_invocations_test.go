package cluster

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// writeFaultsWorld writes the world of TestFaults: the applications of writeAppsWorld, a guild with the first of them, and a guild
// whose rows can be damaged.
func writeFaultsWorld(t *testing.T, dir string) string {
	t.Helper()
	apps, err := os.ReadFile(writeAppsWorld(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	world := strings.Replace(string(apps), "username: ada}", "username: ada, token: user-H3kD8vB5yN0cF6jX2s-ada}", 1) + `guilds:
  - id: "300000000000000000"
    name: Lab
    owner: "200000000000000000"
    channels: [{id: "310000000000000000", name: general}]
    members: [{user: "200000000000000000"}]
    installs: [{application: "130000000000000000", scopes: [bot, applications.commands]}]
  - id: "390000000000000000"
    name: Victim
    owner: "200000000000000000"
    roles: [{id: "392000000000000000", name: helper}]
    channels: [{id: "391000000000000000", name: general}]
    members: [{user: "200000000000000000", roles: ["392000000000000000"]}]
    installs: [{application: "130000000000000001", scopes: [bot, applications.commands]}]
`
	file := filepath.Join(dir, "faults.yaml")
	if err := os.WriteFile(file, []byte(world), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// invocations invokes a command on random nodes. An app answers two of three, and the user must learn how each one ended.
type invocations struct {
	c       *faultTest
	user    *eventClient
	bot     *eventClient
	command rollCommand

	mu        sync.Mutex
	next      int
	answering int                    // answers of the app on their way
	list      map[string]*invocation // by nonce, of this round
}

// invocation is one invocation and what became of it.
type invocation struct {
	call         time.Time
	acknowledged bool
	answered     bool   // the app's answer was accepted
	ended        string // the name of the event that told the user
}

// startInvocations registers a command and connects its app and its user.
func startInvocations(c *faultTest) *invocations {
	c.t.Helper()
	i := &invocations{c: c, list: map[string]*invocation{}}
	status, text, err := c.node(0).SendUntilAvailable(c.t.Context(), "POST", "/api/v10/applications/130000000000000000/commands", "Bot bot-V7mQ2xK9tR4zL8pW3n-0",
		`{"name":"roll","description":"Roll","options":[{"type":3,"name":"nonce","description":"Nonce"}]}`)
	if err == nil {
		err = json.Unmarshal([]byte(text), &i.command)
	}
	if err != nil || status != 201 && status != 200 {
		c.t.Fatalf("register: %d %s %v", status, text, err)
	}
	i.bot = &eventClient{faultTest: c, node: 1, token: "bot-V7mQ2xK9tR4zL8pW3n-0", record: i.deliver}
	i.user = &eventClient{faultTest: c, node: 2, token: "user-H3kD8vB5yN0cF6jX2s-ada", record: i.end}
	for _, l := range []*eventClient{i.bot, i.user} {
		c.t.Cleanup(l.stop)
		l.begin()
	}
	return i
}

// run invokes the command at random nodes until ctx ends.
func (i *invocations) run(ctx context.Context) {
	for ctx.Err() == nil {
		i.mu.Lock()
		i.next++
		nonce := fmt.Sprint("n", i.next)
		v := &invocation{call: time.Now()}
		i.list[nonce] = v
		i.mu.Unlock()
		body := fmt.Sprintf(`{"type":2,"application_id":"130000000000000000","guild_id":"300000000000000000","channel_id":"310000000000000000",`+
			`"session_id":"s","nonce":%q,"data":{"id":%q,"version":%q,"name":"roll","type":1,"options":[{"type":3,"name":"nonce","value":%q}]}}`,
			nonce, i.command.ID, i.command.Version, nonce)
		status, text, err := i.c.node(rand.IntN(len(i.c.nodes))).Send(i.c.t.Context(), "POST", "/api/v10/interactions", "user-H3kD8vB5yN0cF6jX2s-ada", body)
		if err == nil && status != 204 && status != 503 {
			i.c.failf("invoke: %d %s", status, text)
		}
		i.mu.Lock()
		v.acknowledged = err == nil && status == 204
		i.mu.Unlock()
		pause(ctx, 10*time.Millisecond)
	}
}

// deliver is called with the events of the app. It answers two of three invocations.
func (i *invocations) deliver(_ *eventClient, _ *eventSession, name string, d jsontext.Value) {
	if name != "INTERACTION_CREATE" {
		return
	}
	var in struct {
		ID    string `json:"id"`
		Token string `json:"token"`
		Data  struct {
			Options []struct {
				Value string `json:"value"`
			} `json:"options"`
		} `json:"data"`
	}
	if err := json.Unmarshal(d, &in); err != nil || len(in.Data.Options) != 1 {
		i.c.failf("INTERACTION_CREATE: %s %v", d, err)
		return
	}
	nonce := in.Data.Options[0].Value
	if strings.HasSuffix(nonce, "3") || strings.HasSuffix(nonce, "6") || strings.HasSuffix(nonce, "9") {
		return
	}
	i.mu.Lock()
	i.answering++
	i.mu.Unlock()
	go i.answer(nonce, "/api/v10/interactions/"+in.ID+"/"+in.Token+"/callback") // check waits for it
}

// answer answers an invocation.
func (i *invocations) answer(nonce, path string) {
	status, text, err := i.c.node(rand.IntN(len(i.c.nodes))).Send(i.c.t.Context(), "POST", path, "", `{"type":4,"data":{"content":"pong"}}`)
	i.mu.Lock()
	defer i.mu.Unlock()
	i.answering--
	v := i.list[nonce]
	if v == nil {
		return // of an earlier round
	}
	v.answered = err == nil && status == 204
	late := time.Since(v.call) >= 2*time.Second // the interaction may have failed
	if err == nil && status != 204 && status != 503 && (status != 404 || !late) {
		i.c.failf("the answer to %s, %v after the invocation: %d %s", nonce, time.Since(v.call), status, text)
	}
}

// end is called with the events of the user.
func (i *invocations) end(_ *eventClient, _ *eventSession, name string, d jsontext.Value) {
	if name != "INTERACTION_SUCCESS" && name != "INTERACTION_FAILURE" {
		return
	}
	var e struct {
		Nonce string `json:"nonce"`
	}
	if err := json.Unmarshal(d, &e); err != nil {
		i.c.failf("%s: %v", name, err)
		return
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if v := i.list[e.Nonce]; v != nil && v.ended == "" {
		v.ended = name
	} else if v != nil {
		i.c.failf("invocation %s ended twice: %s and %s", e.Nonce, v.ended, name)
	}
}

// check waits until all invocations have ended. Only those count whose user had the same session all the time.
func (i *invocations) check(row *faultRow) {
	for end := time.Now().Add(15 * time.Second); time.Now().Before(end) && len(i.open()) > 0; {
		time.Sleep(20 * time.Millisecond)
	}
	for _, nonce := range i.open() {
		i.c.failf("invocation %s has not ended after 15 s", nonce)
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	for nonce, v := range i.list {
		if v.acknowledged {
			row.invoked++
		}
		if v.answered {
			row.answered++
		}
		if v.answered && v.ended == "INTERACTION_FAILURE" {
			i.c.failf("the answer to %s was accepted, and the user was told that it failed", nonce)
		}
	}
	i.list = map[string]*invocation{}
}

// open returns the acknowledged invocations that have not ended although the user's session lasted.
func (i *invocations) open() []string {
	i.user.mu.Lock()
	began := i.user.sessions[len(i.user.sessions)-1].began
	i.user.mu.Unlock()
	i.mu.Lock()
	defer i.mu.Unlock()
	var open []string
	if i.answering > 0 {
		open = append(open, fmt.Sprintf("(%d answers on their way)", i.answering))
	}
	for nonce, v := range i.list {
		if (v.acknowledged || v.answered) && v.ended == "" && v.call.UnixNano() > began {
			open = append(open, nonce)
		}
	}
	return open
}
