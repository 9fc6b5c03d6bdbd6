package guide_test

import (
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/bellhoptest"
	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/testkit/engines"
	"github.com/bellhop/bellhop/snowflake"
)

var update = flag.Bool("update", false, "rewrite the table of docs/kits.md")

// kitVerbs are the verbs that each kit has.
var kitVerbs = []struct{ name, does string }{
	{"start", "starts a service on a free port"},
	{"push", "replaces the commands of an app by those of a file"},
	{"connect", "serves an app that receives interactions over HTTP"},
	{"bot", "sends a request with the token of an app"},
	{"invoke", "uses a command as a user"},
	{"autocomplete", "gets suggestions for an option"},
	{"press", "presses a button of an answer"},
	{"select", "selects values in a menu of an answer"},
	{"submit", "submits the form that an answer opened"},
	{"say", "writes, reacts, edits, deletes or votes as a user"},
	{"member", "joins or leaves a guild as a user, or sets the nickname, presence or voice channel"},
	{"wait for", "waits for a message, a reaction or an edit"},
	{"advance", "moves the clock"},
	{"now", "gets the time of the service"},
	{"requests", "gets recorded requests, deliveries and gateway frames"},
	{"lobby", "gets a lobby"},
	{"token", "gets an access token without a browser"},
	{"fault", "makes requests fail"},
	{"clear faults", "removes all faults"},
	{"reset", "restores the first world"},
}

// TestKits calls each verb in each kit, and compares the table in docs/kits.md with the calls. With -update it writes the table.
func TestKits(t *testing.T) {
	t.Parallel()
	engines.Long(t)
	engines.Need(t, "node", "discord.py")
	binary := filepath.Join(buildBellhop(t), "bellhop")
	kits := []map[string]string{
		goVerbs(t),
		programVerbs(t, "../../kit/node", binary, "node", "test/verbs.mjs"),
		programVerbs(t, "../../kit/python", binary, "/usr/bin/python3", "tests/verbs.py"),
	}
	var table strings.Builder
	table.WriteString("| verb | does | Go | JavaScript | Python |\n|---|---|---|---|---|\n")
	for _, verb := range kitVerbs {
		fmt.Fprintf(&table, "| %s | %s |", verb.name, verb.does)
		for i, kit := range kits {
			call, ok := kit[verb.name]
			if !ok {
				t.Errorf("%s has no verb %q", []string{"Go", "JavaScript", "Python"}[i], verb.name)
			}
			delete(kit, verb.name)
			fmt.Fprintf(&table, " `%s` |", call)
		}
		table.WriteString("\n")
	}
	for _, kit := range kits {
		for verb := range kit {
			t.Errorf("one kit has the verb %q, the others do not", verb)
		}
	}
	compareTable(t, "../kits.md", table.String())
}

// compareTable compares the table of a page with the wanted one, or with -update writes it.
func compareTable(t *testing.T, page, want string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	tables := regexp.MustCompile(`(?m)^\| verb \|.*\n(?:\|.*\n)*`)
	if got := tables.FindString(string(text)); got == want {
		return
	}
	if !*update {
		t.Fatalf("the table of %s is out of date: run make docs-generate. Want\n%s", page, want)
	}
	if err := os.WriteFile(page, []byte(tables.ReplaceAllLiteralString(string(text), want)), 0o600); err != nil {
		t.Fatal(err)
	}
}

// programVerbs runs the program of a kit that calls each verb, and returns the calls that it prints.
func programVerbs(t *testing.T, folder, binary, interpreter, file string) map[string]string {
	t.Helper()
	npm, err := filepath.Abs("../../npm")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), interpreter, file)
	cmd.Dir, cmd.Stderr = folder, t.Output()
	// The kits find their own packages without an installation.
	cmd.Env = append(os.Environ(), "BELLHOP_BINARY="+binary, "NODE_PATH="+npm, "PYTHONPATH=.", "PYTHONDONTWRITEBYTECODE=1")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s in %s: %v", file, folder, err)
	}
	var calls map[string]string
	if err := json.Unmarshal(out, &calls); err != nil {
		t.Fatalf("%s in %s: %v\n%s", file, folder, err, out)
	}
	return calls
}

const echo = snowflake.Application(1100000000000000100)

// goVerbs calls each verb of bellhoptest and returns the calls.
func goVerbs(t *testing.T) map[string]string {
	t.Helper()
	srv := bellhoptest.Start(t, bellhoptest.DemoWorld())
	k := &goKit{T: t, srv: srv}
	calls := map[string]string{"start": "Start(t, world)"}
	for _, verb := range []struct {
		name, call string
		use        func()
	}{
		{"push", "Push(t, app, file)", k.push},
		{"connect", "Connect(t, app, handler)", func() { srv.Connect(t, echo, kitApp(srv.VerifyKey(t, echo))) }},
		{"bot", "Bot(app)", k.bot},
		{"invoke", "Invoke(t, as, in, line)", func() { k.expect("Hello!", srv.Invoke(t, "bob", "Lab/general", "/hello").Text()) }},
		{"autocomplete", "Autocomplete(t, as, in, line, option)", k.autocomplete},
		{"press", "Press(t, as, outcome, button)", func() { k.expect("again", srv.Press(t, "bob", k.hello(), "Again").Text()) }},
		{"select", "Select(t, as, outcome, menu, values...)", func() { k.expect("r", srv.Select(t, "bob", k.hello(), "Colour", "Red").Text()) }},
		{"submit", "Submit(t, as, outcome, fields)", k.submit},
		{"say", "Say(t, as, in, text)", func() { k.expect("ping", srv.Say(t, "bob", "Lab/general", "ping").Content) }},
		{"member", "Member(t, action)", func() { srv.Member(t, client.MemberAction{As: "bob", Guild: "Lab", Join: true}) }},
		{"wait for", "WaitFor(t, as, in, match)", func() {
			srv.WaitFor(t, "ada", "Lab/general", func(m client.Message) bool { return m.Content == "ping" })
		}},
		{"advance", "Advance(t, by)", k.advance},
		{"now", "Now(t)", func() { k.check(!srv.Now(t).IsZero()) }},
		{"requests", "Requests(t, filter)", func() { k.check(len(srv.Requests(t, url.Values{"kind": {"delivery"}})) > 0) }},
		{"lobby", "Lobby(t, id)", k.lobby},
		{"token", "Bearer(t, app, user, scopes...)", k.token},
		{"fault", "Fault(t, fault)", func() { srv.Fault(t, client.Fault{Route: "/lobbies", Status: 503}); k.check(k.createLobby() != nil) }},
		{"clear faults", "ClearFaults(t)", func() { srv.ClearFaults(t); k.check(k.createLobby() == nil) }},
		{"reset", "Reset(t)", k.reset},
	} {
		k.verb = verb.name
		verb.use()
		calls[verb.name] = verb.call
	}
	return calls
}

// goKit is a server of bellhoptest whose verbs are called.
type goKit struct {
	*testing.T

	srv  *bellhoptest.Server
	verb string
}

func (k *goKit) check(ok bool) {
	k.Helper()
	if !ok {
		k.Errorf("the verb %q of Go does not do what it should", k.verb)
	}
}

func (k *goKit) expect(want, got string) {
	k.Helper()
	if got != want {
		k.Errorf("the verb %q of Go: %q, want %q", k.verb, got, want)
	}
}

func (k *goKit) hello() client.Outcome { return k.srv.Invoke(k.T, "bob", "Lab/general", "/hello") }

func (k *goKit) push() {
	file := filepath.Join(k.TempDir(), "commands.yaml")
	text := `[{name: hello, description: x, options: [{type: 3, name: whom, description: x, autocomplete: true}]}, {name: feedback, description: x}]`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		k.Fatal(err)
	}
	k.srv.Push(k.T, echo, file)
	list, err := k.srv.Bot(echo).Commands(k.Context(), command.Scope{Application: echo})
	k.check(err == nil && len(list) == 2)
}

func (k *goKit) bot() {
	app, err := k.srv.Bot(echo).Application(k.Context())
	k.check(err == nil && app.ID == echo)
}

func (k *goKit) autocomplete() {
	found := k.srv.Autocomplete(k.T, "bob", "Lab/general", "/hello", "whom")
	k.check(slices.ContainsFunc(found, func(s client.Suggestion) bool { return s.Name == "the world" }))
}

func (k *goKit) submit() {
	form := k.srv.Invoke(k.T, "bob", "Lab/general", "/feedback")
	k.expect("nice", k.srv.Submit(k.T, "bob", form, map[string]any{"Your words": "nice"}).Text())
}

func (k *goKit) advance() {
	before := k.srv.Now(k.T)
	k.check(k.srv.Advance(k.T, time.Hour).Sub(before) >= time.Hour)
}

func (k *goKit) lobby() {
	made, err := k.srv.Bot(echo).Lobbies().Create(k.Context(), client.LobbyInput{})
	if err != nil {
		k.Fatal(err)
	}
	found := k.srv.Lobby(k.T, made.ID)
	k.check(found != nil && found.ID == made.ID)
}

func (k *goKit) createLobby() error {
	_, err := k.srv.Bot(echo).Lobbies().Create(k.Context(), client.LobbyInput{})
	return err
}

func (k *goKit) token() {
	bearer := k.srv.Bearer(k.T, echo, k.srv.World.Users[0].ID, "identify")
	answer, err := bearer.Do(k.Context(), client.Request{Method: http.MethodGet, Path: "/users/@me"})
	k.check(err == nil && answer.Status == http.StatusOK)
}

func (k *goKit) reset() {
	k.srv.Reset(k.T)
	list, err := k.srv.Bot(echo).Commands(k.Context(), command.Scope{Application: echo})
	k.check(err == nil && len(list) == 0)
}

// kitApp is an app with a button, a menu and a form. It verifies signatures.
func kitApp(key ed25519.PublicKey) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		signature, bad := hex.DecodeString(r.Header.Get("X-Signature-Ed25519"))
		if err != nil || bad != nil || !ed25519.Verify(key, append([]byte(r.Header.Get("X-Signature-Timestamp")), body...), signature) {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, kitAnswer(string(body)))
	})
}

// kitAnswer returns the answer to an interaction.
func kitAnswer(interaction string) string {
	for _, a := range []struct{ has, answer string }{
		{`"values":["r"]`, `{"type":4,"data":{"content":"r"}}`}, // before the button: the message has both
		{`"custom_id":"again"`, `{"type":7,"data":{"content":"again"}}`},
		{`"value":"nice"`, `{"type":4,"data":{"content":"nice"}}`},
		{`"focused":true`, `{"type":8,"data":{"choices":[{"name":"the world","value":"world"}]}}`},
		{`"name":"feedback"`, `{"type":9,"data":{"custom_id":"form","title":"x","components":[
			{"type":18,"label":"Your words","component":{"type":4,"custom_id":"words","style":1}}]}}`},
		{`"name":"hello"`, `{"type":4,"data":{"content":"Hello!","components":[
			{"type":1,"components":[{"type":2,"style":1,"label":"Again","custom_id":"again"}]},
			{"type":1,"components":[{"type":3,"custom_id":"colour","placeholder":"Colour","options":[{"label":"Red","value":"r"}]}]}]}}`},
	} {
		if strings.Contains(interaction, a.has) {
			return a.answer
		}
	}
	return `{"type":1}` // to a PING
}
