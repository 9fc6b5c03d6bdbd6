package main

import (
	"crypto/ed25519"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bellhop/bellhop/client"
)

// faultyBot is a bot with an endpoint, and the faults that a test gives it.
type faultyBot struct {
	key    func() ed25519.PublicKey
	mu     sync.Mutex
	refuse int           // status for a wrong signature
	ahead  time.Duration // of its clock
}

// ServeHTTP answers interactions.
func (b *faultyBot) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	signature, hexErr := hex.DecodeString(r.Header.Get("X-Signature-Ed25519"))
	w.Header().Set("Date", time.Now().Add(b.ahead).UTC().Format(http.TimeFormat))
	w.Header().Set("Content-Type", "application/json")
	if err != nil || hexErr != nil || !ed25519.Verify(b.key(), append([]byte(r.Header.Get("X-Signature-Timestamp")), body...), signature) {
		w.WriteHeader(b.refuse)
		return
	}
	_, _ = io.WriteString(w, `{"type":4,"data":{"content":"You rolled a 4."}}`) // the test sees a missing answer
}

// set changes the faults.
func (b *faultyBot) set(refuse int, ahead time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refuse, b.ahead = refuse, ahead
}

const doctorWorld = `
users:
  - {id: "1200000000000000200", username: ada}
  - {id: "1200000000000000201", username: bob}
applications:
  - {id: "1200000000000000100", name: Dice, bot_token: dice-token, interactions_endpoint_url: %q}
  - {id: "1200000000000000101", name: Mute, bot_token: mute-token}
guilds:
  - id: "1200000000000000300"
    name: Lab
    owner: "1200000000000000200"
    channels: [{id: "1200000000000000310", name: general}]
    members: [{user: "1200000000000000201"}]
    installs:
      - {application: "1200000000000000100", scopes: [bot, applications.commands]}
      - {application: "1200000000000000101", scopes: [bot, applications.commands]}
`

// TestDoctorApp runs the checks on a bot that works, and on bots with one fault each.
func TestDoctorApp(t *testing.T) {
	t.Parallel()
	bot := &faultyBot{refuse: http.StatusUnauthorized}
	app := httptest.NewServer(bot)
	t.Cleanup(app.Close)
	file := filepath.Join(t.TempDir(), "world.yaml")
	if err := os.WriteFile(file, fmt.Appendf(nil, doctorWorld, app.URL), 0o600); err != nil {
		t.Fatal(err)
	}
	p := start(t, "dev", "--world", file, "--listen", "127.0.0.1:0")
	base := p.Base + "/api/v10"
	bot.key = sync.OnceValue(func() ed25519.PublicKey {
		a, err := (&client.Client{BaseURL: base, Authorization: "Bot dice-token"}).Application(t.Context())
		key, hexErr := hex.DecodeString(a.VerifyKey)
		if err != nil || hexErr != nil {
			t.Errorf("verify key: %v, %v", err, hexErr)
		}
		return key
	})
	examine := func(t *testing.T, code int, args []string, want ...string) {
		t.Helper()
		var out, errs strings.Builder
		args = append([]string{"doctor", "app", "--base-url", base}, args...)
		if got := run(t.Context(), args, &out, &errs); got != code {
			t.Errorf("exit code %d, want %d\n%s%s", got, code, out.String(), errs.String())
		}
		for _, line := range want {
			if !strings.Contains(out.String(), line) {
				t.Errorf("the output has no line %q:\n%s", line, out.String())
			}
		}
	}
	dice := []string{"--token", "dice-token"}
	examine(t, exitFailed, dice, "failed   commands     the application has no commands", "                      fix: bellhop commands push commands.yaml", "1 problem found.")
	for _, definition := range []string{
		`{"name":"roll","description":"Roll dice"}`, `{"name":"ban","description":"Ban","default_member_permissions":"4"}`,
	} {
		status, body, err := p.Send(t.Context(), http.MethodPost, "/api/v10/applications/1200000000000000100/commands", "Bot dice-token", definition)
		if err != nil || status != http.StatusCreated {
			t.Fatalf("create a command: %d %s %v", status, body, err)
		}
	}
	examine(t, exitOK, append(dice, "--as", "ada", "--in", "Lab/general", "--try", "/roll"),
		"ok       token        application Dice (1200000000000000100)",
		"ok       clock        the service has the time of this machine",
		"ok       commands     2 commands: /roll, /ban",
		"ok       endpoint     "+app.URL+" can be reached",
		"ok       signature    the app refuses a wrong signature with 401",
		"ok       answer       /roll: answered after ")
	examine(t, exitFailed, append(dice, "--as", "bob", "--in", "Lab/general"),
		"                      fix: give the user a role with the permissions, or change the permissions of the command", "1 problem found.")
	bot.set(http.StatusOK, time.Hour)
	examine(t, exitFailed, dice, "failed   signature    the app accepts a wrong signature (200)", "failed   clock        the clock of the endpoint differs by ")
	bot.set(http.StatusInternalServerError, 0)
	examine(t, exitFailed, dice, "failed   signature    the app answers 500 to a wrong signature, not 401")
	app.Close()
	examine(t, exitFailed, dice, "failed   endpoint     "+app.URL+": connection refused: no program listens there")
	examine(t, exitFailed, []string{"--token", "wrong"}, "failed   token        the service refuses the token (401)", "1 problem found.")
	examine(t, exitFailed, append(dice, "--app", "5"), "failed   token        the token belongs to application 1200000000000000100, not to 5")
	examine(t, exitFailed, []string{"--token", "mute-token"}, "skipped  endpoint     the app has no endpoint URL: it receives interactions through the gateway",
		"failed   gateway      the bot is offline: ")
	examine(t, exitFailed, append(dice, "--base-url", "http://127.0.0.1:1/api/v10"), "                      fix: start the service, or correct --base-url")
	for _, args := range [][]string{{}, {"--token", "x", "--as", "ada"}, {"--token", "x", "--try", "/roll"}} {
		examine(t, exitUsage, args)
	}
}
