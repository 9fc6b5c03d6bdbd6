package bellhop_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bellhop/bellhop"
	"github.com/bellhop/bellhop/internal/testkit/engines"
	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/goleak"
)

const labWorld = `
users:
  - {id: "200", username: ada, token: kR3vZq81Lm5tXw9PbNf2Ys6A}
applications:
  - {id: "100", name: Echo, owner: "200", bot_token: Qe7uHs40Jc8yRv2TgDk5Wn1B}
guilds:
  - id: "300"
    name: Lab
    owner: "200"
    channels: [{id: "310", name: general}]
    installs: [{application: "100", scopes: [bot, applications.commands]}]
`

// start opens a server with a world and runs it until the test ends.
func start(t *testing.T, cfg bellhop.Config) *bellhop.Server {
	t.Helper()
	cfg.Data = t.TempDir()
	cfg.World = filepath.Join(t.TempDir(), "world.yaml")
	if err := os.WriteFile(cfg.World, []byte(labWorld), 0o600); err != nil {
		t.Fatal(err)
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
	t.Cleanup(func() {
		if err := srv.Close(); err != nil {
			t.Errorf("Close() = %v", err)
		}
		running.Wait()
	})
	return srv
}

// get returns the status and the body of a GET request.
func get(t *testing.T, url, token string) (int, string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", token)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

// TestHandlerBelowPath checks that the handler works on the mux of a program, below a path that the mux removes or leaves.
func TestHandlerBelowPath(t *testing.T) {
	t.Parallel()
	for _, strip := range []bool{false, true} {
		srv := start(t, bellhop.Config{PublicURL: "https://game.example/chat/"})
		handler := srv.Handler()
		if strip {
			handler = http.StripPrefix("/chat", handler)
		}
		mux := http.NewServeMux()
		mux.Handle("/chat/", handler)
		web := httptest.NewServer(mux)
		t.Cleanup(web.Close)
		status, body := get(t, web.URL+"/chat/api/v10/users/@me", "Bot Qe7uHs40Jc8yRv2TgDk5Wn1B")
		if status != http.StatusOK || !strings.Contains(body, `"id":"100"`) {
			t.Errorf("strip %v: %d %s, want the bot", strip, status, body)
		}
		if status, body = get(t, web.URL+"/chat/api/v10/gateway", ""); !strings.Contains(body, `"wss://game.example/chat/gateway/"`) {
			t.Errorf("strip %v: %d %s, want the URL of the gateway below the path", strip, status, body)
		}
		if status, _ = get(t, web.URL+"/other", ""); status != http.StatusNotFound {
			t.Errorf("strip %v: %d for a path of the program, want 404 of its mux", strip, status)
		}
		if srv.URL() != "https://game.example/chat" {
			t.Errorf("URL() = %q", srv.URL())
		}
	}
}

// TestCloseLeavesNothing checks that Close leaves no goroutine, no metric and no lock on the folder, with and without Run.
func TestCloseLeavesNothing(t *testing.T) { //nolint:paralleltest // it looks at all goroutines
	ignore := goleak.IgnoreCurrent()
	registry := prometheus.NewRegistry()
	data := t.TempDir()
	for _, run := range []bool{false, true} {
		ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		srv, err := bellhop.New(bellhop.Config{Data: data, Listener: ln, Metrics: registry, Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		found, err := registry.Gather()
		if err != nil || len(found) < 10 {
			t.Errorf("the registry has %d metrics, %v, want those of the service", len(found), err)
		}
		ended := make(chan error, 1)
		if run {
			go func() { ended <- srv.Run(t.Context()) }()
			if status, body := get(t, srv.URL()+"/readyz", ""); status != http.StatusOK {
				t.Errorf("/readyz answers %d %s", status, body)
			}
		}
		if err := errors.Join(srv.Close(), srv.Close()); err != nil {
			t.Errorf("Close() = %v", err)
		}
		if run {
			if err := <-ended; err != nil {
				t.Errorf("Run() = %v", err)
			}
		}
		if err := srv.Run(t.Context()); !errors.Is(err, bellhop.ErrRunning) {
			t.Errorf("Run() after Close() = %v, want %v", err, bellhop.ErrRunning)
		}
		if found, err = registry.Gather(); err != nil || len(found) != 0 {
			t.Errorf("after Close() the registry has %d metrics, %v", len(found), err)
		}
	}
	http.DefaultClient.CloseIdleConnections()
	goleak.VerifyNone(t, ignore)
}

// TestCloseAnswers checks that a request that waits for Run is answered when the server is closed instead.
func TestCloseAnswers(t *testing.T) {
	t.Parallel()
	srv, err := bellhop.New(bellhop.Config{Data: t.TempDir(), PublicURL: "https://game.example"})
	if err != nil {
		t.Fatal(err)
	}
	arrived, answered := make(chan struct{}), make(chan int, 1)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(arrived)
		srv.Handler().ServeHTTP(w, r)
	}))
	defer web.Close()
	go func() {
		status, _ := get(t, web.URL+"/api/v10/gateway", "")
		answered <- status
	}()
	<-arrived
	if err := srv.Close(); err != nil {
		t.Fatal(err)
	}
	if status := <-answered; status != http.StatusServiceUnavailable { // get has a deadline
		t.Errorf("the request got %d, want 503", status)
	}
}

// TestHooks checks that a hook before refuses with its reason, that the refused message is not stored, that a hook changes another
// one, and that the hook after is called in the order of the messages.
func TestHooks(t *testing.T) {
	t.Parallel()
	after := make(chan string, 16)
	srv := start(t, bellhop.Config{PublicURL: "https://game.example", Hooks: []bellhop.Hook{{
		Name: "words", Events: []string{bellhop.EventMessage},
		Before: func(_ context.Context, c *bellhop.Call) error {
			if strings.Contains(string(c.Data), "secret") {
				return bellhop.Refuse("no secrets here")
			}
			if strings.Contains(string(c.Data), "darn") {
				c.Change = []byte(`{"content":"two"}`)
			}
			return nil
		},
		After: func(_ context.Context, c bellhop.Call) error {
			after <- string(c.Data)
			return nil
		},
	}}})
	web := httptest.NewServer(srv.Handler())
	t.Cleanup(web.Close)
	for _, tt := range []struct {
		content string
		status  int
		text    string
	}{{"one", 200, `"content":"one"`}, {"a secret", 403, `"message":"no secrets here"`}, {"darn", 200, `"content":"two"`}} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, web.URL+"/api/v10/channels/310/messages", strings.NewReader(`{"content":"`+tt.content+`"}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bot Qe7uHs40Jc8yRv2TgDk5Wn1B")
		r.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil || resp.StatusCode != tt.status || !strings.Contains(string(body), tt.text) {
			t.Errorf("%s: %d %s, %v, want %d with %s", tt.content, resp.StatusCode, body, err, tt.status, tt.text)
		}
	}
	for _, want := range []string{`"content":"one"`, `"content":"two"`} {
		select {
		case got := <-after:
			if !strings.Contains(got, want) {
				t.Errorf("After got %s, want %s", got, want)
			}
		case <-time.After(30 * time.Second):
			t.Fatalf("waited 30 s for a call of After with %s", want)
		}
	}
	if len(after) > 0 {
		t.Errorf("After got %s too", <-after)
	}
}

// TestConfigErrors checks that New names the field that is wrong.
func TestConfigErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		cfg  bellhop.Config
		want string
	}{
		{"no folder", bellhop.Config{}, "Config.Data"},
		{"PostgreSQL without Redis", bellhop.Config{Data: "x", Postgres: "postgres://127.0.0.1/x"}, "Config.Redis"},
		{"a URL without a scheme", bellhop.Config{Data: "x", PublicURL: "game.example"}, "Config.PublicURL"},
		{"an unknown choice", bellhop.Config{Data: "x", LobbyUsers: "all"}, "Config.LobbyUsers"},
		{"an unknown activity", bellhop.Config{Data: "x", LobbyActivity: "all"}, "Config.LobbyActivity"},
		{"half of a provider", bellhop.Config{Data: "x", OIDC: bellhop.OIDC{Issuer: "https://id.example"}}, "Config.OIDC"},
		{"a hook without a function", bellhop.Config{Data: "x", Hooks: []bellhop.Hook{{Name: "a"}}}, "Config.Hooks"},
		{"limits that are missing", bellhop.Config{Data: "x", Limits: "/nonexistent/limits.yaml"}, "Config.Limits"},
	} {
		if _, err := bellhop.New(tt.cfg); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: New() = %v, want an error that names %s", tt.name, err, tt.want)
		}
	}
}

// TestOutsideProgram builds and runs a program in a module of its own that embeds the service on its own mux and forbids a command.
// It can use only what the module exports. Its packages come from the build cache of this test, so the flags of the compiler are
// the same.
func TestOutsideProgram(t *testing.T) {
	t.Parallel()
	engines.Long(t)
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "run", "-mod=mod", ".", t.TempDir())
	cmd.Dir = "testdata/embedder"
	cmd.Env = append(os.Environ(), "GOWORK=off")
	out, err := cmd.CombinedOutput()
	for _, want := range []string{
		"GET /score: 200\n",
		"POST /play/api/v10/interactions: 403\n/reset: {\"message\":\"Nobody resets the season.\",\"code\":0}",
		"POST /play/api/v10/interactions: 20",
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the output has no %q", want)
		}
	}
	if err != nil || t.Failed() {
		t.Errorf("%v\n%s", err, out)
	}
}
