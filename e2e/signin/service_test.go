// Package signin_test tests sign-in with the running binary: the pages in Chromium, and the endpoints with independent
// clients.
package signin_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Ids and secrets of the test world.
const (
	ada, bob  = "1100000000000000001", "1100000000000000002"
	echo      = "1300000000000000001"
	game      = "1300000000000000002"
	labGuild  = "1200000000000000001"
	denGuild  = "1200000000000000002"
	secret    = "e2e-secret"
	echoToken = "e2e-bot"
)

const world = `
users:
  - {id: "` + ada + `", username: ada, global_name: Ada, email: ada@example.com, token: e2e-ada}
  - {id: "` + bob + `", username: bob, global_name: Bob, token: e2e-bob}
applications:
  - {id: "` + echo + `", name: Echo, description: Says back what it hears., owner: "` + ada + `", bot_token: ` + echoToken + `, client_secret: ` + secret + `, integration_types: [0, 1], redirect_uris: ["http://127.0.0.1/callback"]}
  - {id: "` + game + `", name: Game, owner: "` + bob + `", bot_token: e2e-game, public_client: true, redirect_uris: ["http://127.0.0.1/callback", "mygame:/authorize/callback"]}
guilds:
  - {id: "` + labGuild + `", name: Lab, owner: "` + ada + `", members: [{user: "` + bob + `"}], installs: [{application: "` + echo + `", scopes: [applications.commands]}]}
  - {id: "` + denGuild + `", name: Den, owner: "` + ada + `"}
  - {id: "1200000000000000003", name: Club, owner: "` + bob + `", members: [{user: "` + ada + `"}]}
`

// service is a running Bellhop.
type service struct {
	origin string
	log    bytes.Buffer
	ended  chan error
	cmd    *exec.Cmd
}

func (s *service) api(path string) string { return s.origin + "/api/v10" + path }

// start builds Bellhop and runs it until the test ends. It must exit with code 0.
func start(t *testing.T) *service {
	t.Helper()
	dir := t.TempDir()
	binary, file := filepath.Join(dir, "bellhop"), filepath.Join(dir, "world.yaml")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "./cmd/bellhop")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	if err := os.WriteFile(file, []byte(world), 0o600); err != nil {
		t.Fatal(err)
	}
	s := &service{ended: make(chan error, 1)}
	// The test's own context ends before its cleanups run; the service is stopped by a signal.
	s.cmd = exec.CommandContext(context.WithoutCancel(t.Context()), binary, "dev", "--listen", "127.0.0.1:0", "--world", file, "--limits", "off")
	s.cmd.Stderr = &s.log
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	origin := make(chan string, 1)
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if found, ok := strings.CutPrefix(lines.Text(), "listening on "); ok {
				origin <- found
			}
		}
		s.ended <- s.cmd.Wait()
	}()
	t.Cleanup(func() { s.stop(t) })
	select {
	case s.origin = <-origin:
	case err := <-s.ended:
		t.Fatalf("bellhop ended before it listened: %v\n%s", err, &s.log)
	case <-time.After(30 * time.Second):
		t.Fatalf("waited 30 s for bellhop to listen, it logged\n%s", &s.log)
	}
	return s
}

func (s *service) stop(t *testing.T) {
	t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Errorf("stop bellhop: %v", err)
	}
	select {
	case err := <-s.ended:
		if err != nil {
			t.Errorf("bellhop ended with %v, want exit code 0", err)
		}
	case <-time.After(30 * time.Second):
		t.Error("bellhop does not end after SIGTERM")
		if err := s.cmd.Process.Kill(); err != nil {
			t.Error(err)
		}
		<-s.ended
	}
	if t.Failed() {
		t.Logf("the log of bellhop:\n%s", &s.log)
	}
}

// call sends a request to the API, decodes the response into to, unless to is nil, and returns the status.
func (s *service) call(t *testing.T, method, path, token, body string, to any) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.api(path), strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", token)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if to != nil {
		if err := json.Unmarshal(data, to); err != nil {
			t.Fatalf("%s %s: %s: %v", method, path, data, err)
		}
	}
	return resp.StatusCode
}

// consent approves an authorization request as a user, without a browser, and returns the redirect address.
func (s *service) consent(t *testing.T, userToken, page, more string) *url.URL {
	t.Helper()
	asked, err := url.Parse(page)
	if err != nil {
		t.Fatal(err)
	}
	var out struct {
		URL string `json:"url"`
	}
	status := s.call(t, http.MethodPost, "/oauth2/authorize?"+asked.RawQuery, userToken, `{"authorize":true`+more+`}`, &out)
	if status != http.StatusOK {
		t.Fatalf("consent to %s: %d", page, status)
	}
	back, err := url.Parse(out.URL)
	if err != nil {
		t.Fatal(err)
	}
	return back
}

// drive runs one scenario in Chromium and decodes its report into to. Unexpected errors in the browser's log fail the test.
func drive(t *testing.T, scenario string, given map[string]any, to any) {
	t.Helper()
	given["artifacts"] = "../artifacts"
	text, err := json.Marshal(given)
	if err != nil {
		t.Fatal(err)
	}
	// A scenario has many steps, and drive.mjs bounds each of them. This bounds the whole program.
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", "drive.mjs", scenario, string(text))
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v (%v)\n%s", scenario, err, ctx.Err(), &errs)
	}
	var seen struct {
		ConsoleErrors []string `json:"consoleErrors"`
	}
	if err := json.Unmarshal(out.Bytes(), &seen); err != nil {
		t.Fatalf("%s: %v in %s", scenario, err, &out)
	}
	expected, _ := given["expected"].(string)
	for _, line := range seen.ConsoleErrors {
		if !strings.Contains(line, "status of 4") && (expected == "" || !strings.Contains(line, expected)) {
			t.Errorf("%s: error in the browser console: %s", scenario, line)
		}
	}
	if to != nil {
		if err := json.Unmarshal(out.Bytes(), to); err != nil {
			t.Fatal(err)
		}
	}
}

// install installs the npm packages of the driver, unless they are installed.
func install(t *testing.T) {
	t.Helper()
	if _, err := os.Stat("../node_modules/playwright-core/package.json"); err == nil {
		return
	}
	cmd := exec.CommandContext(t.Context(), "npm", "ci")
	cmd.Dir = ".."
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("npm ci: %v\n%s", err, out)
	}
}

// page returns the address of an authorization request.
func (s *service) page(pairs ...string) string {
	values := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		values.Set(pairs[i], pairs[i+1])
	}
	return fmt.Sprintf("%s/oauth2/authorize?%s", s.origin, values.Encode())
}
