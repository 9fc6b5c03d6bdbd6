package bellhop_test

import (
	"bufio"
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bellhop/bellhop"
	"github.com/bellhop/bellhop/internal/testkit/engines"
)

// hookCall is a call of a hook over HTTP.
type hookCall struct {
	Hook, Phase, ID, Event string

	Data map[string]any

	text              []byte
	timestamp, signed string
}

// platform is a program with a hook over HTTP. answer returns the response to a call before.
type platform struct {
	*httptest.Server

	answer func(c hookCall) (int, string)
	after  chan hookCall

	mu    sync.Mutex
	calls []hookCall
}

func newPlatform(t *testing.T, answer func(c hookCall) (int, string)) *platform {
	t.Helper()
	p := &platform{answer: answer, after: make(chan hookCall, 64)}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(r.Body)
		c := hookCall{text: text, timestamp: r.Header.Get("X-Signature-Timestamp"), signed: r.Header.Get("X-Signature-Ed25519")}
		if err != nil || json.Unmarshal(text, &c) != nil {
			t.Errorf("the hook was called with %s, %v", text, err)
		}
		p.mu.Lock()
		p.calls = append(p.calls, c)
		p.mu.Unlock()
		if c.Phase == "after" {
			p.after <- c
			return
		}
		status, body := answer(c)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body) // the test sees it
	}))
	t.Cleanup(p.Close)
	return p
}

// wait returns the next call after an event.
func (p *platform) wait(t *testing.T, event string) hookCall {
	t.Helper()
	deadline := time.After(30 * time.Second)
	var seen []string
	for {
		select {
		case c := <-p.after:
			if c.Event == event {
				return c
			}
			seen = append(seen, c.Event)
		case <-deadline:
			t.Fatalf("waited 30 s for a call after %s, saw those after %v", event, seen)
		}
	}
}

// hooked starts a service whose hook over HTTP is a platform. It returns the URL of the service, and the data folder.
func hooked(t *testing.T, p *platform, more string) (base, data string) {
	t.Helper()
	dir := t.TempDir()
	cfg := bellhop.Config{
		Data: filepath.Join(dir, "data"), World: filepath.Join(dir, "world.yaml"), HooksFile: filepath.Join(dir, "hooks.yaml"),
		PublicURL: "https://game.example",
	}
	all := "[invocation, message, lobby.create, lobby.join, lobby.leave, lobby.end, lobby.message, signin, install]"
	text := fmt.Sprintf("hooks: [{name: platform, url: %q, private: true, timeout: 5s, before: %s, after: %[2]s%s}]", p.URL+"/hook", all, more)
	for file, content := range map[string]string{cfg.World: labWorld, cfg.HooksFile: text} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	srv, err := bellhop.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	running.Go(func() {
		if err := srv.Run(t.Context()); err != nil {
			t.Errorf("Run() = %v", err)
		}
	})
	web := httptest.NewServer(srv.Handler())
	t.Cleanup(func() {
		web.Close()
		if err := srv.Close(); err != nil {
			t.Errorf("Close() = %v", err)
		}
		running.Wait()
	})
	return web.URL, cfg.Data
}

// call sends a request with JSON and returns the status and the body.
func call(t *testing.T, method, url, token, body string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", token)
	r.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

const (
	labBot  = "Bot Qe7uHs40Jc8yRv2TgDk5Wn1B"
	labUser = "kR3vZq81Lm5tXw9PbNf2Ys6A"
)

// TestHooksOverHTTP checks, for each event, that a hook over HTTP can refuse before it, change what can be changed, and is told after
// it, with signatures that the key for operators verifies.
func TestHooksOverHTTP(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, func(c hookCall) (int, string) {
		text := string(c.text)
		switch {
		case strings.Contains(text, "refuse-me"), c.Event == "install" && c.Data["permissions"] == "8", c.Event == "lobby.end":
			return 200, `{"refuse":"not on this platform"}`
		case strings.Contains(text, "change-me") && strings.Contains(text, `"content"`):
			return 200, `{"change":{"content":"changed"}}`
		case strings.Contains(text, "change-me"):
			return 200, `{"change":{"metadata":{"by":"hook"}}}`
		case strings.Contains(text, "break-me"):
			return 200, `{"change":{"content":"` + strings.Repeat("x", 5000) + `"}}`
		}
		return 204, ""
	})
	base, data := hooked(t, p, "")
	api := base + "/api/v10"
	const refused = `"message":"not on this platform"`
	var lobby, access string
	for _, tt := range []struct {
		name, method, path, token, body string
		status                          int
		want                            string
		keep                            func(body string)
	}{
		{"a message", "POST", "/channels/310/messages", labBot, `{"content":"hello"}`, 200, `"content":"hello"`, nil},
		{"a message that is changed", "POST", "/channels/310/messages", labBot, `{"content":"change-me"}`, 200, `"content":"changed"`, nil},
		{"a message that is refused", "POST", "/channels/310/messages", labBot, `{"content":"refuse-me"}`, 403, refused, nil},
		{"a message that the change makes invalid", "POST", "/channels/310/messages", labBot, `{"content":"break-me"}`, 400, `"content"`, nil},
		{"a lobby", "POST", "/lobbies", labBot, `{"metadata":{"a":"change-me"}}`, 201, `"metadata":{"by":"hook"}`, func(body string) { lobby = idOf(t, body) }},
		{"a lobby that is refused", "POST", "/lobbies", labBot, `{"metadata":{"a":"refuse-me"}}`, 403, refused, nil},
		{"a member of a new lobby who is refused", "POST", "/lobbies", labBot, `{"members":[{"id":"200","metadata":{"a":"refuse-me"}}]}`, 403, refused, nil},
		{"a member of a new lobby", "POST", "/lobbies", labBot, `{"members":[{"id":"200","metadata":{"a":"change-me"}}]}`, 201, `"metadata":{"by":"hook"}`, nil},
		{"a player", "POST", "/partner-sdk/token/bot", labBot, `{"external_user_id":"p1"}`, 200, `"access_token"`, func(body string) { access = field(t, body, "access_token") }},
		{"a player who is refused", "POST", "/partner-sdk/token/bot", labBot, `{"external_user_id":"refuse-me"}`, 403, refused, nil},
		{"an install", "POST", "/oauth2/authorize?client_id=100&scope=bot&permissions=0", labUser, `{"authorize":true,"guild_id":"300"}`, 200, `"location"`, nil},
		{"an install that is refused", "POST", "/oauth2/authorize?client_id=100&scope=bot&permissions=8", labUser, `{"authorize":true,"guild_id":"300"}`, 403, refused, nil},
	} {
		status, body := call(t, tt.method, api+tt.path, tt.token, tt.body)
		if status != tt.status || !strings.Contains(body, tt.want) {
			t.Fatalf("%s: %d %s, want %d with %s", tt.name, status, body, tt.status, tt.want)
		}
		if tt.keep != nil {
			tt.keep(body)
		}
	}
	player := p.wait(t, "signin").Data["user_id"].(string)
	members := api + "/lobbies/" + lobby + "/members/" + player
	status, body := call(t, "PUT", members, labBot, `{"metadata":{"a":"change-me"}}`)
	if status != 200 || !strings.Contains(body, `"by":"hook"`) {
		t.Errorf("a member: %d %s, want the metadata of the hook", status, body)
	}
	status, body = call(t, "POST", api+"/lobbies/"+lobby+"/messages", "Bearer "+access, `{"content":"change-me"}`)
	if status != 201 && status != 200 || !strings.Contains(body, `"content":"changed"`) {
		t.Errorf("a message in the lobby: %d %s, want the content of the hook", status, body)
	}
	p.checkMany(t, api, lobby, access)
	if status, body = call(t, "DELETE", members, labBot, ""); status != 204 {
		t.Errorf("a member who leaves: %d %s", status, body)
	}
	if status, body = call(t, "DELETE", api+"/lobbies/"+lobby, labBot, ""); status != 403 || !strings.Contains(body, refused) {
		t.Errorf("the end of the lobby: %d %s, want %s", status, body, refused)
	}
	p.wait(t, "lobby.leave")
	p.checkCalls(t, base, data)
}

// checkMany checks that hooks are asked for each member of a request with several, and before a user creates a lobby by joining.
func (p *platform) checkMany(t *testing.T, api, lobby, access string) {
	t.Helper()
	const refused = `"message":"not on this platform"`
	for _, tt := range []struct {
		name, method, path, token, body string
		status                          int
		want                            string
	}{
		{"members, one refused", "POST", "/lobbies/" + lobby + "/members/bulk", labBot, `[{"id":"200"},{"id":"200","metadata":{"a":"refuse-me"}}]`, 403, refused},
		{"members, one changed", "POST", "/lobbies/" + lobby + "/members/bulk", labBot, `[{"id":"200","metadata":{"a":"change-me"}}]`, 200, `"by":"hook"`},
		{"a list with a member who is refused", "PATCH", "/lobbies/" + lobby, labBot, `{"members":[{"id":"200","metadata":{"a":"refuse-me"}}]}`, 403, refused},
		{"a lobby by joining that is refused", "PUT", "/lobbies", "Bearer " + access, `{"secret":"s","lobby_metadata":{"a":"refuse-me"}}`, 403, refused},
		{"a lobby by joining", "PUT", "/lobbies", "Bearer " + access, `{"secret":"s","lobby_metadata":{"a":"change-me"}}`, 200, `"metadata":{"by":"hook"},`},
		{"the same lobby, whose metadata no hook sees", "PUT", "/lobbies", "Bearer " + access, `{"secret":"s","lobby_metadata":{"a":"refuse-me"}}`, 200, `"a":"refuse-me"`},
	} {
		if status, body := call(t, tt.method, api+tt.path, tt.token, tt.body); status != tt.status || !strings.Contains(body, tt.want) {
			t.Errorf("%s: %d %s, want %d with %s", tt.name, status, body, tt.status, tt.want)
		}
	}
}

// checkCalls checks that there was a call before and after each event that happened, and that all of them are signed.
func (p *platform) checkCalls(t *testing.T, base, data string) {
	t.Helper()
	token, err := os.ReadFile(filepath.Join(data, "operator-token"))
	if err != nil {
		t.Fatal(err)
	}
	status, body := call(t, "GET", base+"/admin/v1/hooks", "Bearer "+strings.TrimSpace(string(token)), "")
	if status != 200 || !strings.Contains(body, `"name":"platform"`) || !strings.Contains(body, `"failures":0`) {
		t.Errorf("the hooks for operators: %d %s", status, body)
	}
	public, err := hex.DecodeString(field(t, body, "verify_key"))
	if err != nil || len(public) != ed25519.PublicKeySize {
		t.Fatalf("the key for operators: %s, %v", body, err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	counts := map[string]int{}
	for _, c := range p.calls {
		signature, _ := hex.DecodeString(c.signed)
		if !ed25519.Verify(public, append([]byte(c.timestamp), c.text...), signature) {
			t.Errorf("the signature of %s does not verify", c.text)
		}
		counts[c.Phase+" "+c.Event]++
	}
	for _, want := range []string{
		"before message", "after message", "before lobby.create", "after lobby.create", "before signin", "after signin", "before install", "after install",
		"before lobby.join", "after lobby.join", "before lobby.message", "after lobby.message", "before lobby.leave", "after lobby.leave", "before lobby.end",
	} {
		if counts[want] == 0 {
			t.Errorf("there was no call %s: %v", want, counts)
		}
	}
	if n := counts["after message"]; n != 2 {
		t.Errorf("there were %d calls after messages, want those of the 2 messages that were stored", n)
	}
	if counts["after lobby.end"] != 0 {
		t.Error("there was a call after the end of a lobby that was refused")
	}
}

// TestHookOverHTTPFails checks the policy for a hook over HTTP that answers an error, and that operators see it.
func TestHookOverHTTPFails(t *testing.T) {
	t.Parallel()
	for more, want := range map[string]int{"": 503, ", fail: open": 200} {
		p := newPlatform(t, func(hookCall) (int, string) { return 500, "" })
		base, data := hooked(t, p, more)
		status, body := call(t, "POST", base+"/api/v10/channels/310/messages", labBot, `{"content":"hello"}`)
		if status != want {
			t.Errorf("%q: %d %s, want %d", more, status, body, want)
		}
		token, err := os.ReadFile(filepath.Join(data, "operator-token"))
		if err != nil {
			t.Fatal(err)
		}
		operator := "Bearer " + strings.TrimSpace(string(token))
		if _, body = call(t, "GET", base+"/admin/v1/hooks", operator, ""); !strings.Contains(body, `"reason":"the hook answered 500"`) {
			t.Errorf("%q: operators see %s", more, body)
		}
		if _, body = call(t, "GET", base+"/metrics", operator, ""); !strings.Contains(body, `bellhop_hook_calls_total{hook="platform",outcome="failed"} 1`) {
			t.Errorf("%q: the metrics do not count the call", more)
		}
	}
}

func idOf(t *testing.T, body string) string { return field(t, body, "id") }

// field returns a text in a JSON object.
func field(t *testing.T, body, name string) string {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal([]byte(body), &v); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	text, ok := v[name].(string)
	if !ok {
		t.Fatalf("%s has no text %s", body, name)
	}
	return text
}

// TestNodeBackend runs the example backend in Node.js: it refuses, changes and counts messages, and accepts no forged calls.
func TestNodeBackend(t *testing.T) {
	t.Parallel()
	engines.Need(t, "node")
	var target atomic.Pointer[url.URL] // the service starts before the backend, which needs its key
	p := &platform{Server: httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target.Load()) }})}
	t.Cleanup(p.Close)
	base, data := hooked(t, p, "")
	token, err := os.ReadFile(filepath.Join(data, "operator-token"))
	if err != nil {
		t.Fatal(err)
	}
	_, hooks := call(t, "GET", base+"/admin/v1/hooks", "Bearer "+strings.TrimSpace(string(token)), "")
	at := startNode(t, "VERIFY_KEY="+field(t, hooks, "verify_key"), "PORT=0")
	target.Store(&url.URL{Scheme: "http", Host: at})
	messages := base + "/api/v10/channels/310/messages"
	for _, tt := range []struct {
		content string
		status  int
		want    string
	}{
		{"hello", 200, `"content":"hello"`},
		{"a darn word", 200, `"content":"a **** word"`},
		{"see https://spam.example", 403, `"message":"Links are not allowed here."`},
	} {
		if status, body := call(t, "POST", messages, labBot, `{"content":"`+tt.content+`"}`); status != tt.status || !strings.Contains(body, tt.want) {
			t.Errorf("%s: %d %s, want %d with %s", tt.content, status, body, tt.status, tt.want)
		}
	}
	if status, body := call(t, "POST", "http://"+at, "", `{"phase":"after","id":"1","data":{"channel_id":"310"}}`); status != 401 {
		t.Errorf("a call without a signature: %d %s, want 401", status, body)
	}
	deadline := time.Now().Add(30 * time.Second)
	for {
		_, counts := call(t, "GET", "http://"+at, "", "")
		if counts == `{"310":2}` {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("waited 30 s until the backend counted 2 messages, it counts %s", counts)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// startNode starts the example backend and returns its address.
func startNode(t *testing.T, env ...string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	cmd := exec.CommandContext(ctx, "node", "examples/hooks/backend.mjs")
	cmd.Env, cmd.Stderr = append(os.Environ(), env...), t.Output()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = cmd.Wait() // it was killed
	})
	late := time.AfterFunc(30*time.Second, cancel) // ends the line below
	defer late.Stop()
	line, err := bufio.NewReader(out).ReadString('\n')
	port, ok := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	if err != nil || !ok {
		t.Fatalf("waited 30 s for the backend, it printed %q, %v", line, err)
	}
	return "127.0.0.1:" + port
}
