// Package compat_test runs unmodified client libraries against a running Bellhop.
package compat_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// program checks one library: a Go package of this module or a script in node/.
type program struct {
	name        string
	library     string // its name, if it differs from the name of the program
	source      string // the file that sets the service's address in the library
	extra       []string
	permissions []string // the steps for command permissions
}

const (
	inGerman       = "global: list in German"
	inGermanGuild  = "guild: list in German"
	equalsSync     = "sync by ApplicationCommand#equals writes nothing the second time"
	burst          = "limits: a burst is served in the end"
	comparingSync  = "sync writes nothing the second time"
	programTimeout = time.Minute // for a whole program with all its steps; a failure shows its output
)

// programs lists the programs. extra has the steps that a library supports beyond the common ones.
var programs = []program{
	{name: "discordgo", source: "discordgo/main.go", extra: []string{burst}, permissions: permissionSteps},
	{name: "disgo", source: "disgo/main.go", extra: []string{burst, inGerman, inGermanGuild}, permissions: permissionSteps},
	{name: "arikawa", source: "arikawa/main.go", extra: []string{burst, inGerman, inGermanGuild}, permissions: permissionSteps},
	{name: "discordjs-rest", library: "@discordjs/rest", source: "node/discordjs-rest.mjs", extra: []string{burst, inGerman, inGermanGuild}, permissions: permissionSteps},
	{name: "discordjs", library: "discord.js", source: "node/discordjs.mjs", extra: []string{burst, inGerman, inGermanGuild, equalsSync}, permissions: permissionSteps},
	{name: "oceanic", library: "oceanic.js", source: "node/oceanic.mjs", extra: []string{burst, inGerman, inGermanGuild}, permissions: permissionSteps},
	{name: "eris", source: "node/eris.mjs", extra: []string{burst}, permissions: permissionSteps},
	{name: "slash-create", source: "node/slash-create.mjs", extra: []string{burst, comparingSync}},
	{name: "discordeno", source: "node/discordeno.mjs", permissions: permissionReads},
	{name: "seyfert", source: "node/seyfert.mjs", extra: []string{burst}, permissions: permissionSteps},
}

// scopeSteps are the checks of the global commands and of the commands of a guild.
var (
	scopeSteps = []string{
		"clear", "overwrite", "overwrite again", "list", "get", "create", "create again", "create changed", "edit",
		"rename to a taken name", "delete", "broken definition", "broken definition in a list", "overwrite with nothing",
	}
	accessSteps = []string{
		"access: bearer token", "access: wrong token", "access: unknown application", "access: guild without the application",
	}
	permissionSteps = []string{
		"permissions: none", "permissions: edit", "permissions: get", "permissions: list", "permissions: edit again",
		"permissions: with the bot token", "permissions: unknown member", "permissions: edit with nothing",
		"permissions: deleted with the command",
	}
	permissionReads = []string{ // for a library whose method to edit permissions fails
		"permissions: none", "permissions: edit fails by itself", "permissions: get", "permissions: list",
		"permissions: deleted with the command",
	}
)

// steps returns the checks that the program has to report.
func (p program) steps() []string {
	steps := slices.Concat(p.extra, p.permissions, accessSteps)
	for _, step := range scopeSteps {
		steps = append(steps, "global: "+step, "guild: "+step)
	}
	slices.Sort(steps)
	return steps
}

// reportedName returns the library's own name.
func (p program) reportedName() string { return cmp.Or(p.library, p.name) }

// report is the line that a program prints.
type report struct {
	Library string         `json:"library"`
	Version string         `json:"version"`
	Steps   []string       `json:"steps"`
	Answers map[string]int `json:"answers"`
}

func TestLibraries(t *testing.T) {
	t.Parallel()
	binaries := build(t, ".", "compat", "./discordgo", "./disgo", "./arikawa")
	installPackages(t)
	s := startService(t)
	for i, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), programTimeout)
			defer cancel()
			cmd := exec.CommandContext(ctx, filepath.Join(binaries, p.name))
			if strings.HasPrefix(p.source, "node/") {
				cmd = exec.CommandContext(ctx, "node", p.source)
			}
			app := application(i)
			cmd.Env = append(os.Environ(),
				"BELLHOP_URL="+s.origin, "BELLHOP_APPLICATION_ID="+app, "BELLHOP_GUILD_ID="+guild,
				"BELLHOP_CHANNEL_ID="+channel, "BELLHOP_MEMBER_ID="+guest, "BELLHOP_BOT_TOKEN="+botToken(app),
				"BELLHOP_BEARER_TOKEN="+s.bearerToken(t, app), "BELLHOP_USER_BEARER_TOKEN="+s.userBearerToken(t, app))
			p.check(t, cmd)
		})
	}
}

// check runs the program and compares its report with the expected one.
func (p program) check(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s%s", err, &stdout, &stderr)
	}
	var r report
	if err := json.Unmarshal(stdout.Bytes(), &r); err != nil || bytes.Count(stdout.Bytes(), []byte("\n")) != 1 {
		t.Fatalf("printed %q, want one line of JSON (%v)", &stdout, err)
	}
	want := p.reportedName()
	if r.Library != want || r.Version == "" {
		t.Errorf("checked %s %q, want %s and its version", r.Library, r.Version, want)
	}
	slices.Sort(r.Steps)
	if steps := p.steps(); !slices.Equal(r.Steps, steps) {
		t.Errorf("steps = %q, want %q", r.Steps, steps)
	}
	t.Logf("%s %s: %v", r.Library, r.Version, r.Answers)
}

// installing is held by the test that installs packages.
var installing sync.Mutex

// installPackages installs the packages of node/package-lock.json, unless they are already installed from that file.
func installPackages(t *testing.T) {
	t.Helper()
	installing.Lock()
	defer installing.Unlock()
	for _, tool := range []string{"node", "npm"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Fatalf("%s is missing: install Node 20 or later and npm (Debian: apt-get install nodejs npm)", tool)
		}
	}
	lock, err := os.ReadFile("node/package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	const installed = "node/node_modules/installed-lock.json"
	if present, err := os.ReadFile(installed); err == nil && bytes.Equal(present, lock) {
		return
	}
	cmd := exec.CommandContext(t.Context(), "npm", "ci", "--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts")
	cmd.Dir = "node"
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("npm ci: %v\n%s", err, text)
	}
	if err := os.WriteFile(installed, lock, 0o600); err != nil {
		t.Fatal(err)
	}
}
