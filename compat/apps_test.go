package compat_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// app is a program that receives interactions over HTTP.
type app struct {
	name   string
	source string
	steps  []string
}

// answerSteps are the steps of an app for each of its two ways to answer.
var answerSteps = []string{
	"message", "deferred message, filled in, and a follow-up", "suggestions", "modal, and its submission",
	"component, deferred and updated", "activity",
}

var apps = []app{
	{"discord-interactions", "node/apps/discord-interactions.mjs", allSteps()},
	{"discordgo", "apps/discordgo", []string{"handshake", "message"}},
	{"disgo", "apps/disgo", []string{"handshake", "message"}},
	{"arikawa", "apps/arikawa", []string{"handshake", "message"}},
}

func allSteps() []string {
	steps := []string{"handshake", "a second answer is refused"}
	for _, step := range answerSteps {
		steps = append(steps, "at once: "+step, "by callback: "+step)
	}
	return steps
}

// The guild, channel and user of the invocations.
const (
	appGuild   = "1200000000000000009"
	appChannel = "1200000000000000090"
	eve        = "1100000000000000009"
	eveToken   = "compat-eve"
	firstApp   = 1390000000000000001
)

func appApplication(index int) string { return strconv.Itoa(firstApp + index) }

// TestApps invokes commands of apps that receive interactions over HTTP.
func TestApps(t *testing.T) {
	t.Parallel()
	installPackages(t)
	binaries := build(t, ".", "compat/apps", "./apps/discordgo", "./apps/disgo", "./apps/arikawa")
	s := startService(t)
	s.addApps(t)
	for i, a := range apps {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), programTimeout)
			defer cancel()
			cmd := exec.CommandContext(ctx, filepath.Join(binaries, a.name))
			if strings.HasSuffix(a.source, ".mjs") {
				cmd = exec.CommandContext(ctx, "node", a.source)
			}
			cmd.Env = append(os.Environ(),
				"BELLHOP_URL="+s.origin, "BELLHOP_APPLICATION_ID="+appApplication(i), "BELLHOP_GUILD_ID="+appGuild, "BELLHOP_CHANNEL_ID="+appChannel,
				"BELLHOP_BOT_TOKEN="+botToken(appApplication(i)), "BELLHOP_USER_TOKEN="+eveToken)
			a.check(t, cmd)
		})
	}
}

// addApps adds the apps to the world, and a guild in which they are installed.
func (s *service) addApps(t *testing.T) {
	t.Helper()
	var applications, installs []string
	for i, a := range apps {
		id := appApplication(i)
		applications = append(applications, fmt.Sprintf(
			`{"id":%q,"name":"%s app","owner":%q,"bot_token":%q,"activities":true}`, id, a.name, eve, botToken(id)))
		installs = append(installs, fmt.Sprintf(`{"application":%q,"scopes":["bot","applications.commands"]}`, id))
	}
	world := fmt.Sprintf(`{"users":[{"id":%q,"username":"eve","token":%q}],"applications":[%s],"guilds":[{"id":%q,"name":"Hotel","owner":%q,
		"channels":[{"id":%q,"name":"lobby"}],"members":[{"user":%q}],"installs":[%s]}]}`,
		eve, eveToken, strings.Join(applications, ","), appGuild, eve, appChannel, eve, strings.Join(installs, ","))
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.origin+"/_dev/world", strings.NewReader(world))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("POST /_dev/world: %s", answer.Status)
	}
}

// check runs the app and compares its report with the expected one.
func (a app) check(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s%s", err, &stdout, &stderr)
	}
	var r report
	if err := json.Unmarshal(stdout.Bytes(), &r); err != nil || r.Library != a.name || r.Version == "" {
		t.Fatalf("printed %q, want a report of %s (%v)", &stdout, a.name, err)
	}
	slices.Sort(r.Steps)
	slices.Sort(a.steps)
	if !slices.Equal(r.Steps, a.steps) {
		t.Errorf("steps = %q, want %q", r.Steps, a.steps)
	}
	t.Logf("%s %s: %d steps", r.Library, r.Version, len(r.Steps))
}
