package compat_test

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"text/template"
	"time"
)

// Ids of the world. Every program has its own application, so that the programs can run in parallel.
const (
	owner            = "1100000000000000001"
	ownerToken       = "compat-owner"
	guest            = "1100000000000000002"
	channel          = "1200000000000000010"
	guild            = "1200000000000000001"
	firstApplication = 1300000000000000001
)

// world is a world file: a guild in which the applications of all programs are installed.
var world = template.Must(template.New("world").Parse(`
users:
  - {id: "{{.Owner}}", username: ada, token: "{{.OwnerToken}}"}
  - {id: "{{.Guest}}", username: bob}
applications:
{{- range .Programs}}
  - {id: "{{.Application}}", name: "{{.Name}}", owner: "{{$.Owner}}", bot_token: "{{.BotToken}}", integration_types: [0, 1], requests_per_second: 1000}
{{- end}}
{{- range .Bots}}
  - {id: "{{.Application}}", name: "{{.Name}} bot", owner: "{{$.Owner}}", bot_token: "{{.BotToken}}"}
{{- end}}
guilds:
  - id: "{{.Guild}}"
    name: Restaurant
    owner: "{{.Owner}}"
    channels: [{id: "{{.Channel}}", name: kitchen}]
    members: [{user: "{{.Owner}}"}, {user: "{{.Guest}}"}]
    installs:
{{- range .Programs}}
      - {application: "{{.Application}}", scopes: [applications.commands]}
{{- end}}
{{- range .Bots}}
      - {application: "{{.Application}}", scopes: [bot]}
{{- end}}
`))

// application returns the id of the application of the program with an index.
func application(index int) string { return strconv.Itoa(firstApplication + index) }

// botToken returns a token as libraries expect it: its first part is the application's id.
func botToken(application string) string {
	return base64.RawStdEncoding.EncodeToString([]byte(application)) + ".compat.token"
}

// service is a running Bellhop.
type service struct {
	origin string
	// secured is the address over TLS; certificate is the file of its certificate.
	secured, certificate string

	binary string
	args   []string
	log    *bytes.Buffer
	ended  chan error
	cmd    *exec.Cmd
}

// startService builds Bellhop and runs it on the world of the programs until the test ends, with further flags. It must
// exit with code 0.
func startService(t *testing.T, flags ...string) *service {
	t.Helper()
	dir := t.TempDir()
	s := &service{binary: filepath.Join(build(t, "..", ".", "./cmd/bellhop"), "bellhop"), log: &bytes.Buffer{}}
	file := filepath.Join(dir, "world.yaml")
	writeWorld(t, file)
	s.args = append([]string{
		"dev", "--listen", "127.0.0.1:0", "--tls-listen", "127.0.0.1:0", "--data", filepath.Join(dir, "data"),
		"--world", file, "--limits", "testdata/limits.yaml",
	}, flags...)
	if dir := os.Getenv("BELLHOP_TEST_TRAFFIC"); dir != "" {
		s.args = append(s.args, "--record", filepath.Join(dir, "compat.jsonl"))
	}
	s.run(t)
	t.Cleanup(func() {
		s.stop(t)
		if t.Failed() {
			t.Logf("the log of bellhop:\n%s", s.log)
		}
	})
	return s
}

// run starts the service and waits until it listens.
func (s *service) run(t *testing.T) {
	t.Helper()
	// The test's own context ends before its cleanups run; the service is stopped by a signal.
	s.ended = make(chan error, 1)
	s.cmd = exec.CommandContext(context.WithoutCancel(t.Context()), s.binary, s.args...)
	s.cmd.Stderr = s.log
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	origin := make(chan string, 1)
	go func() {
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			if found, ok := strings.CutPrefix(lines.Text(), "secured on "); ok {
				address, file, _ := strings.Cut(found, " with the certificate in ")
				s.secured, s.certificate = address, cmp.Or(file, s.certificate)
			}
			if found, ok := strings.CutPrefix(lines.Text(), "listening on "); ok {
				origin <- found
			}
		}
		s.ended <- s.cmd.Wait()
	}()
	select {
	case s.origin = <-origin:
	case err := <-s.ended:
		s.ended <- err
		t.Fatalf("bellhop ended before it listened: %v", err)
	case <-time.After(30 * time.Second):
		t.Fatal("bellhop does not listen")
	}
}

// stop sends SIGTERM and checks that the service exits with code 0.
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
	case <-time.After(15 * time.Second):
		t.Error("bellhop does not end after SIGTERM")
		s.kill(t)
	}
}

// kill kills the service, which simulates a power failure.
func (s *service) kill(t *testing.T) {
	t.Helper()
	if err := s.cmd.Process.Kill(); err != nil {
		t.Error(err)
	}
	<-s.ended
}

// bearerToken mints an access token of an application for its own commands.
func (s *service) bearerToken(t *testing.T, application string) string {
	t.Helper()
	return s.mint(t, fmt.Sprintf(`{"application":%q,"scopes":["applications.commands.update"]}`, application))
}

// userBearerToken mints an access token of the owner of the guild, with the scope to edit permissions.
func (s *service) userBearerToken(t *testing.T, application string) string {
	t.Helper()
	return s.mint(t, fmt.Sprintf(`{"application":%q,"user":%q,"scopes":["applications.commands.permissions.update"]}`, application, owner))
}

// mint asks for an access token.
func (s *service) mint(t *testing.T, body string) string {
	t.Helper()
	var made struct {
		AccessToken string `json:"access_token"`
	}
	s.call(t, http.MethodPost, "/_dev/token", "", body, &made)
	if made.AccessToken == "" {
		t.Fatal("POST /_dev/token: no token")
	}
	return made.AccessToken
}

func writeWorld(t *testing.T, file string) {
	t.Helper()
	type entry struct{ Name, Application, BotToken string }
	data := struct {
		Owner, OwnerToken, Guest, Guild, Channel string
		Programs, Bots                           []entry
	}{Owner: owner, OwnerToken: ownerToken, Guest: guest, Guild: guild, Channel: channel}
	for i, b := range bots {
		data.Bots = append(data.Bots, entry{b.name, botApplication(i), botToken(botApplication(i))})
	}
	for i, p := range programs {
		data.Programs = append(data.Programs, entry{p.name, application(i), botToken(application(i))})
	}
	var text bytes.Buffer
	if err := world.Execute(&text, data); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// building is held by the test that builds programs.
var building sync.Mutex

// build builds programs of the module in dir into a folder under ../bin, which it returns. A program that another test, or
// make, has built there is not linked again.
func build(t *testing.T, dir, under string, packages ...string) string {
	t.Helper()
	building.Lock()
	defer building.Unlock()
	out, err := filepath.Abs(filepath.Join("..", "bin", under))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"build", "-o", out + string(filepath.Separator)}, packages...)...)
	cmd.Dir = dir
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build %v: %v\n%s", packages, err, text)
	}
	return out
}
