package botrun_test

import (
	"context"
	"io"
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
	"github.com/bellhop/bellhop/internal/testkit/engines"
	"github.com/bellhop/bellhop/internal/tools/botrun"
)

// refusals are the hosts that a front has refused.
type refusals struct {
	mu    sync.Mutex
	hosts []string
}

func (r *refusals) add(host string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hosts = append(r.hosts, host)
}

// open opens a front for a service that answers with the path of each request. It returns the variables of programs.
func open(t *testing.T) ([]string, *refusals) {
	t.Helper()
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.Method+" "+r.URL.RequestURI()+" "+r.Header.Get("Authorization"))
	}))
	t.Cleanup(service.Close)
	refused := &refusals{}
	env, end, err := botrun.Open(t.Context(), service.URL, time.Now(), nil, refused.add)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := end(); err != nil {
			t.Error(err)
		}
	})
	return env, refused
}

// runScript runs a program with the variables of a front, and returns its output.
func runScript(t *testing.T, env []string, program, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := botrun.Program(program, file)
	var out strings.Builder
	cmd.Env, cmd.Stdout, cmd.Stderr = slices.Concat(os.Environ(), env), &out, &out
	p, err := botrun.Start(cmd, clock.System{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Stop()
	select {
	case <-p.Ended:
	case <-time.After(30 * time.Second):
		t.Fatalf("%s has not ended after 30 s; its output: %s", program, out.String())
	}
	if p.Err != nil {
		t.Fatalf("%s: %v\n%s", program, p.Err, out.String())
	}
	return strings.TrimSpace(out.String())
}

// A Node.js program that names Discord's hosts talks to the service, whichever of Node's clients it uses.
func TestNodeProgram(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("make check runs it")
	}
	engines.Need(t, "node")
	env, refused := open(t)
	got := runScript(t, env, "node", "bot.mjs", `
		import https, { get } from 'node:https';
		const text = (open, url) => new Promise((done, fail) => open(url, { headers: { Authorization: 'Bot x' } }, (r) => {
			let all = ''; r.on('data', (d) => { all += d; }); r.on('end', () => done(all));
		}).on('error', fail));
		console.log(await (await fetch('https://discord.com/api/v10/users/@me?a=b', { method: 'POST', headers: { Authorization: 'Bot x' } })).text());
		console.log(await text(https.get, 'https://ptb.discord.com/api/v9/gateway'));
		console.log(await text(get, 'https://gateway.discord.gg/?v=10&encoding=json'));
		const other = await fetch('https://bellhop.example/');
		console.log(other.status);
	`)
	want := "POST /api/v10/users/@me?a=b Bot x\nGET /api/v9/gateway Bot x\nGET /gateway/?v=10&encoding=json Bot x\n403"
	if got != want {
		t.Errorf("output %q, want %q", got, want)
	}
	if !slices.Equal(refused.hosts, []string{"bellhop.example"}) {
		t.Errorf("refused %q", refused.hosts)
	}
}

// A Python program that names Discord's hosts talks to the service, with and without the variables of a proxy.
func TestPythonProgram(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("make check runs it")
	}
	engines.Need(t, "pytest") // and Python with it
	env, _ := open(t)
	script := `
import urllib.request, http.client
for opener in (urllib.request.build_opener(), urllib.request.build_opener(urllib.request.ProxyHandler({}))):
    print(opener.open("https://discord.com/api/v10/gateway").read().decode())
`
	if got, want := runScript(t, env, "python3", "bot.py", script), "GET /api/v10/gateway \nGET /api/v10/gateway"; got != want {
		t.Errorf("output %q, want %q", got, want)
	}
}

// All other programs use the proxy, which forwards Discord's hosts to the service and refuses the rest.
func TestProxy(t *testing.T) {
	t.Parallel()
	env, refused := open(t)
	get := func(url string) (int, string) {
		t.Helper()
		c := proxied(t, env)
		r, err := c.Get(url)
		if err != nil {
			if strings.Contains(err.Error(), "Forbidden") {
				return 403, ""
			}
			t.Fatalf("%s: %v", url, err)
		}
		defer func() { _ = r.Body.Close() }()
		text, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		return r.StatusCode, string(text)
	}
	for _, tt := range []struct {
		url    string
		status int
		body   string
	}{
		{"https://discord.com/api/v10/gateway", 200, "GET /api/v10/gateway "},
		{"https://canary.discord.com/api/gateway", 200, "GET /api/gateway "},
		{"http://discordapp.com/api/v10/gateway", 200, "GET /api/v10/gateway "},
		{"https://cdn.discordapp.com/avatars/1/a.png", 200, "GET /avatars/1/a.png "},
		{"https://notdiscord.com/api", 403, ""},
		{"https://discord.com.example/api", 403, ""},
	} {
		status, body := get(tt.url)
		if status != tt.status || body != tt.body {
			t.Errorf("%s: %d %q, want %d %q", tt.url, status, body, tt.status, tt.body)
		}
	}
	if want := []string{"notdiscord.com", "discord.com.example"}; !slices.Equal(refused.hosts, want) {
		t.Errorf("refused %q, want %q", refused.hosts, want)
	}
}

func TestVariables(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	example := "# settings\nMY_TOKEN=put it here\nexport DISCORD_CLIENT_ID=\nTEST_GUILD_ID = 1\nAPP_PUBLIC_KEY=\nDATABASE_URL=postgres://\n\nnot a line\n"
	if err := os.WriteFile(filepath.Join(folder, ".env.example"), []byte(example), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, ".env.sample"), []byte("SAMPLE_TOKEN=<YOUR_BOT_TOKEN>\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	bot := botrun.Bot{URL: "http://127.0.0.1:8080", Token: "T", Application: "1", PublicKey: "K", Guild: "9"}
	env, err := bot.Variables(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"BELLHOP_URL=http://127.0.0.1:8080", "BELLHOP_BASE_URL=http://127.0.0.1:8080/api/v10", "BELLHOP_GATEWAY_URL=ws://127.0.0.1:8080/gateway/",
		"DISCORD_TOKEN=T", "TOKEN=T", "BOT_TOKEN=T", "CLIENT_ID=1", "APPLICATION_ID=1", "GUILD_ID=9", "PUBLIC_KEY=K",
		"MY_TOKEN=T", "SAMPLE_TOKEN=T", "APP_ID=1", "DISCORD_CLIENT_ID=1", "TEST_GUILD_ID=9", "APP_PUBLIC_KEY=K",
	} {
		if !slices.Contains(env, want) {
			t.Errorf("no %s in %q", want, env)
		}
	}
	if slices.ContainsFunc(env, func(e string) bool { return strings.HasPrefix(e, "DATABASE_URL") }) {
		t.Errorf("DATABASE_URL is set in %q", env)
	}
	if _, err := bot.Variables(t.TempDir()); err != nil {
		t.Errorf("a folder without .env.example: %v", err)
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	lines := &botrun.Lines{Out: &out}
	a, b := lines.Writer("a | "), lines.Writer("b | ")
	for _, part := range []struct {
		to   *botrun.LineWriter
		text string
	}{{a, "one\ntw"}, {b, "first\r\n"}, {a, "o\n\nrest"}} {
		if _, err := io.WriteString(part.to, part.text); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Flush(); err != nil {
		t.Fatal(err)
	}
	if want := "a | one\nb | first\na | two\na | \na | rest\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}

// Runner returns the exit code of the bot, and ends it when the context ends.
func TestRunner(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	lines := &botrun.Lines{Out: &out}
	r := botrun.Runner{
		Command: []string{"sh", "-c", "echo $TOKEN; exit 7"}, Clock: clock.System{}, Environment: os.Environ(),
		Service: lines.Writer("service | "), Output: lines.Writer("bot | "),
	}
	bot := botrun.Bot{URL: "http://127.0.0.1:1", Token: "secret"}
	code, err := r.Run(t.Context(), bot)
	if code != 7 || err != nil || !strings.Contains(out.String(), "bot | secret\n") || !strings.Contains(out.String(), "exit code 7") {
		t.Errorf("%d %v\n%s", code, err, out.String())
	}
	r.Command = []string{"sleep", "600"}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if code, err := r.Run(ctx, bot); code != 0 || err != nil {
		t.Errorf("ended by the user: %d %v", code, err)
	}
	r.Command = []string{"./no-such-program"}
	if _, err := r.Run(t.Context(), bot); err == nil {
		t.Error("a program that does not exist was started")
	}
}
