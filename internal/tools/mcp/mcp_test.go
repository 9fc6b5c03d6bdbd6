package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/docsite"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/server"
	"github.com/bellhop/bellhop/internal/tools/mcp"
	"github.com/bellhop/bellhop/internal/tools/scenario"
	"github.com/bellhop/bellhop/internal/tools/secrets"
	"github.com/bellhop/bellhop/internal/world"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const hotel = `
users:
  - {id: "1100000000000000200", username: ada}
  - {id: "1100000000000000201", username: bob}
applications:
  - {id: "1100000000000000100", name: Desk, owner: "1100000000000000200"}
guilds:
  - id: "1100000000000000300"
    name: Hotel
    owner: "1100000000000000200"
    channels:
      - {id: "1100000000000000310", name: lobby, type: 0}
      - {id: "1100000000000000311", name: kitchen, type: 0, permission_overwrites: [{id: "1100000000000000300", type: 0, allow: "0", deny: "2048"}]}
    members: [{user: "1100000000000000200"}, {user: "1100000000000000201"}]
    installs: [{application: "1100000000000000100", scopes: [bot, applications.commands], permissions: "0"}]
`

// openServer opens a service for one scenario.
func openServer(ctx context.Context, w *world.World, folder string, _ bool) (*scenario.Server, error) {
	srv, err := server.Open(ctx, server.Config{
		Clock: clock.System{}, Data: folder, World: w, Dev: true, AllIntents: true, Volatile: true, Log: slog.New(slog.DiscardHandler), Limits: ratelimit.Off(),
	})
	if err != nil {
		return nil, err
	}
	return &scenario.Server{
		Secrets: secrets.Reveal(srv.Applied), Close: srv.Close,
		Serve: func(ctx context.Context, ln net.Listener) error { return srv.Run(ctx, ln) },
	}, nil
}

// startService serves a world until the test ends, and returns its URL.
func startService(t *testing.T, w *world.World) string {
	t.Helper()
	srv, err := openServer(t.Context(), w, t.TempDir(), false)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	lasting, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(lasting, ln) }()
	t.Cleanup(func() {
		cancel()
		if err := errors.Join(<-ended, srv.Close(context.WithoutCancel(t.Context()))); err != nil {
			t.Error(err)
		}
	})
	return "http://" + ln.Addr().String()
}

// agent is a client of the protocol.
// documentation is rendered once for all tests.
var documentation = sync.OnceValues(func() ([]docsite.Page, error) { return docsite.Pages(os.DirFS("../../..")) })

type agent struct {
	t       *testing.T
	session *sdk.ClientSession
	toolbox *mcp.Toolbox
}

// newAgent connects a client to the tools of a new service. The variables are those of its bot.
func newAgent(t *testing.T, variables ...string) *agent {
	t.Helper()
	w, err := world.Parse("hotel", []byte(hotel))
	if err != nil {
		t.Fatal(err)
	}
	box := &mcp.Toolbox{Service: startService(t, &w), Version: "test", Open: openServer, Clock: clock.System{}, Environment: append(os.Environ(), variables...), Docs: documentation}
	t.Cleanup(box.Close)
	s, err := box.Server()
	if err != nil {
		t.Fatal(err)
	}
	here, there := sdk.NewInMemoryTransports()
	if _, err := s.Connect(t.Context(), there, nil); err != nil {
		t.Fatal(err)
	}
	c := sdk.NewClient(&sdk.Implementation{Name: "agent", Version: "1"}, nil)
	session, err := c.Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() }) // the server may have closed it
	return &agent{t, session, box}
}

// try calls a tool and returns its result as text, and whether it is an error.
func (a *agent) try(tool string, arguments object) (string, bool) {
	a.t.Helper()
	ctx, cancel := context.WithTimeout(a.t.Context(), 60*time.Second)
	defer cancel()
	result, err := a.session.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		a.t.Fatalf("%s %v: %v", tool, arguments, err)
	}
	var text strings.Builder
	for _, c := range result.Content {
		if c, ok := c.(*sdk.TextContent); ok {
			text.WriteString(c.Text)
		}
	}
	a.t.Logf("%s %.500s\n→ %.1500s", tool, fmt.Sprint(arguments), text.String())
	if text.Len() > 20_000 {
		a.t.Errorf("the result of %s has %d bytes: results are short", tool, text.Len())
	}
	return text.String(), result.IsError
}

// call calls a tool, fails if it fails or if its result lacks a text, and returns the result.
func (a *agent) call(tool string, arguments object, want ...string) object {
	a.t.Helper()
	text, failed := a.try(tool, arguments)
	if failed {
		a.t.Fatalf("%s %v failed: %s", tool, arguments, text)
	}
	for _, w := range want {
		if !strings.Contains(text, w) {
			a.t.Errorf("%s %v: no %s in %s", tool, arguments, w, text)
		}
	}
	var out object
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		a.t.Fatalf("%s: the result is not JSON: %v: %s", tool, err, text)
	}
	return out
}

// start starts the bot of this test program.
func (a *agent) start() {
	a.t.Helper()
	program, err := os.Executable()
	if err != nil {
		a.t.Fatal(err)
	}
	if s := a.call("start_bot", object{"command": []string{program}}); s["state"] != "running" || s["problem"] != nil {
		a.t.Fatalf("the bot is not ready: %v", s)
	}
}

// ada returns arguments with a person and a channel.
func ada(more object) object {
	all := object{"as": "ada", "in": "Hotel/lobby"}
	maps.Copy(all, more)
	return all
}

// An agent finds a bot that does too much before its first answer.
func TestFindsLateAnswer(t *testing.T) {
	t.Parallel()
	a := newAgent(t, mistakeVariable+"=slow")
	a.start()
	out := a.call("use_command", ada(object{"command": "/report"}), `"outcome":"failed"`, "explain_failure")
	// The late answer arrives after the failure. On a busy machine it takes longer than 3 s.
	why := ""
	for end := time.Now().Add(20 * time.Second); !strings.Contains(why, "The app answered after "); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("no late answer after 20 s, the last explanation was %s", why)
		}
		why, _ = a.try("explain_failure", object{"interaction": out["interaction"]})
	}
	for _, want := range []string{"10062", "The first answer counts within 3 s: send a deferred answer first"} {
		if !strings.Contains(why, want) {
			t.Errorf("no %q in %s", want, why)
		}
	}
}

// An agent finds a bot that registers an option under one name and reads another.
func TestFindsWrongOptionName(t *testing.T) {
	t.Parallel()
	a := newAgent(t, mistakeVariable+"=option")
	a.start()
	out := a.call("use_command", ada(object{"command": "/greet name:Grace"}), `"outcome":"failed"`)
	a.call("read_traffic", object{"kind": "outcome"}, "outcome of command", ": failed after")
	a.call("explain_failure", object{"interaction": out["interaction"]},
		"sent no answer", `command greet name:\"Grace\"`, `required option \"who\" not found`)
}

// An agent finds a button that no handler knows.
func TestFindsUnknownCustomID(t *testing.T) {
	t.Parallel()
	a := newAgent(t, mistakeVariable+"=button")
	a.start()
	a.call("use_command", ada(object{"command": "/order"}), `"outcome":"answered"`, `"label":"Yes"`)
	a.call("read_messages", ada(nil), "Breakfast?", "order-confirm")
	out := a.call("press", ada(object{"button": "Yes"}), `"outcome":"failed"`)
	if out["answered_ms"] != nil {
		t.Errorf("a failure has the time of an answer: %v", out)
	}
	a.call("explain_failure", object{"interaction": out["interaction"]}, `component with custom_id \"order-confirm\"`, "sent no answer", "ignored a component")
}

// An agent finds the permissions that a person and a bot lack.
func TestFindsMissingPermissions(t *testing.T) {
	t.Parallel()
	a := newAgent(t, mistakeVariable+"=silent", "MCP_TEST_CHANNEL=1100000000000000311")
	a.start()
	out := a.call("use_command", ada(object{"command": "/announce"}), `"outcome":"answered"`, "Announced")
	a.call("explain_failure", object{"interaction": out["interaction"]}, "/channels/1100000000000000311/messages and got 403", "50013")
	a.call("explain_permissions", object{"as": "bob", "in": "Hotel/lobby", "command": "/announce"}, `"allowed":false`, "ADMINISTRATOR")
	if text, failed := a.try("use_command", object{"as": "bob", "in": "Hotel/lobby", "command": "/announce"}); !failed {
		t.Errorf("bob used the command: %s", text)
	}
	list := a.call("read_traffic", object{"status": "403", "kind": "request"}, "50013")
	first := list["entries"].([]any)[0].(object)
	a.call("read_exchange", object{"id": first["id"]}, "Dinner", "Missing Permissions")
}

// The world, the clock and people work without a bot.
func TestWorld(t *testing.T) {
	t.Parallel()
	a := newAgent(t)
	a.call("status", nil, "ada (1100000000000000200)", "lobby (1100000000000000310)", `"state":"none"`, `"state":"offline"`)
	a.call("apply_world", object{"world": "users: [{id: '1100000000000000202', username: grace}]"}, "user grace")
	a.call("read_world", nil, "grace")
	if text, failed := a.try("apply_world", object{"world": "users: [{idd: '1'}]"}); !failed || !strings.Contains(text, "idd") {
		t.Errorf("a wrong world: %s", text)
	}
	before := a.call("move_clock", nil)["now"].(string)
	after := a.call("move_clock", object{"advance": "24h"})["now"].(string)
	if before[:10] == after[:10] {
		t.Errorf("the clock moved from %s to %s", before, after)
	}
	said := a.call("say", ada(object{"content": "Good morning", "wait": "10ms"}), "Good morning")
	id := said["message"].(object)["id"]
	a.call("say", ada(object{"message": id, "react": "👍", "wait": "10ms"}))
	a.call("read_messages", object{"as": "bob", "in": "Hotel/lobby"}, "Good morning", "👍")
	a.call("list_gaps", object{"search": "/pins"}, "/channels/{channel_id}", `"called":[]`)
	a.call("reset_world", nil)
	if text := a.call("read_world", nil)["world"].(string); strings.Contains(text, "grace") {
		t.Error("grace is still there after a reset")
	}
	for tool, arguments := range map[string]object{
		"press": ada(object{"button": "Yes"}), "submit": ada(object{"fields": object{}}), "restart_bot": {}, "explain_failure": {"interaction": "1"},
		"start_bot": {"command": []string{"no-such-program"}}, "use_command": ada(object{"command": "/none"}), "move_clock": {"advance": "soon"},
	} {
		if text, failed := a.try(tool, arguments); !failed || text == "" {
			t.Errorf("%s %v is no error: %s", tool, arguments, text)
		}
	}
}

// A bot that ends is reported with its exit code and its output, and can be started again.
func TestBotEnds(t *testing.T) {
	t.Parallel()
	a := newAgent(t)
	a.call("start_bot", object{"command": []string{"sh", "-c", "echo $GUILD_ID; exit 7"}}, `"state":"ended"`, `"exit_code":7`, "1100000000000000300", "before it was connected")
	a.call("restart_bot", nil, `"exit_code":7`)
	a.call("bot_output", object{"lines": 5}, "1100000000000000300")
	a.call("stop_bot", nil, `"state":"ended"`)
}

// A scenario that fails is reported with its place.
func TestScenarios(t *testing.T) {
	t.Parallel()
	a := newAgent(t)
	file := filepath.Join(t.TempDir(), "scenarios.yaml")
	text := "scenarios:\n  - name: writes\n    steps: [{as: ada, in: Lab/general, say: hello}]\n  - name: expects too much\n    steps: [{as: ada, in: Lab/general, use: /none}]\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	a.call("run_scenarios", object{"files": []string{file}}, `"passed":1`, `"failed":1`, "scenarios.yaml:5:", "expects too much")
	if text, failed := a.try("run_scenarios", object{"files": []string{file + "x"}}); !failed {
		t.Errorf("a missing file: %s", text)
	}
}

// The documentation is there as resources.
func TestDocuments(t *testing.T) {
	t.Parallel()
	a := newAgent(t)
	list, err := a.session.ListResources(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(list.Resources, func(r *sdk.Resource) bool { return r.URI == "bellhop://docs/parity.md" }) {
		t.Errorf("no parity page among %d resources", len(list.Resources))
	}
	read, err := a.session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "bellhop://docs/world.md"})
	if err != nil || !strings.HasPrefix(read.Contents[0].Text, "# ") {
		t.Errorf("world.md: %v", err)
	}
	tools, err := a.session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range tools.Tools {
		if tool.Description == "" || tool.OutputSchema == nil {
			t.Errorf("%s has no description or no schema of its result", tool.Name)
		}
	}
}

// Over HTTP, pages of other origins and names that are not this machine are refused, and a token is compared.
func TestHTTP(t *testing.T) {
	t.Parallel()
	box := newAgent(t).toolbox
	const token = "a-long-token-of-a-test"
	for _, tt := range []struct {
		name, token         string
		host, origin, login string
		want                int
	}{
		{"a program", "", "127.0.0.1:8090", "", "", 200},
		{"the same origin", "", "localhost:8090", "http://localhost:8090", "", 200},
		{"another origin", "", "127.0.0.1:8090", "https://bellhop.example", "", 403},
		{"another port", "", "127.0.0.1:8090", "http://127.0.0.1:3000", "", 403},
		{"another name", "", "bellhop.example", "", "", 403},
		{"without the token", token, "bellhop.example", "", "", 401},
		{"with a wrong token", token, "bellhop.example", "", "Bearer no", 401},
		{"with the token", token, "bellhop.example", "", "Bearer " + token, 200},
		{"with the token from another origin", token, "bellhop.example", "https://other.example", "Bearer " + token, 403},
	} {
		h, err := box.Handler(tt.token)
		if err != nil {
			t.Fatal(err)
		}
		body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"move_clock","arguments":{}}}`
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+tt.host+mcp.Path, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		for name, value := range map[string]string{"Origin": tt.origin, "Authorization": tt.login} {
			if value != "" {
				r.Header.Set(name, value)
			}
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != tt.want || tt.want == 200 && !strings.Contains(w.Body.String(), `"now"`) {
			t.Errorf("%s: status %d, want %d: %s", tt.name, w.Code, tt.want, w.Body)
		}
	}
}

// The server ends when its context ends, and serves real connections.
func TestServe(t *testing.T) {
	t.Parallel()
	box := newAgent(t).toolbox
	ln, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- box.Serve(ctx, ln, "") }()
	c := sdk.NewClient(&sdk.Implementation{Name: "agent", Version: "1"}, nil)
	session, err := c.Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: "http://" + ln.Addr().String() + mcp.Path}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "status", Arguments: object{}}); err != nil || r.IsError {
		t.Errorf("status: %v %v", r, err)
	}
	_ = session.Close() // there is no session to end
	cancel()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("the server has not ended 30 s after its context")
	}
}
