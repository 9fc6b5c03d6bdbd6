package main

import (
	"cmp"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/bellhop/bellhop/internal/world"
	gocmp "github.com/google/go-cmp/cmp"
)

const pulledWorld = `
users:
  - {id: "200", username: ada, global_name: Ada, locale: de, token: dev-user-ada}
  - {id: "201", username: bob}
  - {id: "202", username: cleo}
applications:
  - {id: "100", name: Echo, description: Repeats, owner: "201", bot_token: dev-bot-echo, integration_types: [0, 1], redirect_uris: ["http://127.0.0.1/back"]}
  - {id: "101", name: Other, owner: "200", bot_token: dev-bot-other}
guilds:
  - id: "300"
    name: Lab
    owner: "200"
    preferred_locale: de
    everyone: [VIEW_CHANNEL, SEND_MESSAGES]
    roles:
      - {id: "301", name: mods, permissions: [MANAGE_GUILD], position: 2, color: 255, hoist: true, mentionable: true}
      - {id: "302", name: Echo, permissions: [MANAGE_ROLES], position: 1, managed: "100"}
    channels:
      - {id: "310", name: top, type: 4}
      - id: "311"
        name: general
        topic: "All: of it"
        parent: "310"
        nsfw: true
        permission_overwrites: [{id: "300", deny: [SEND_MESSAGES]}, {id: "301", allow: [SEND_MESSAGES]}, {id: "100", type: 1, allow: [SEND_MESSAGES]}, {id: "202", type: 1, deny: [VIEW_CHANNEL]}]
    members:
      - {user: "200", roles: ["301"], nick: Countess, joined_at: 2026-01-02T15:04:05Z}
      - {user: "201", joined_at: 2026-01-03T15:04:05Z}
      - {user: "202", joined_at: 2026-01-04T15:04:05Z}
      - {user: "100", roles: ["302"], joined_at: 2026-01-05T15:04:05Z}
      - {user: "101", joined_at: 2026-01-06T15:04:05Z}
    installs:
      - {application: "100", scopes: [bot], permissions: [MANAGE_ROLES]}
      - {application: "101", scopes: [bot]}
commands:
  - application: "100"
    definitions:
      - {id: "900", name: roll, name_localizations: {de: wirf}, description: "Roll: dice", integration_types: [0, 1], options: [{type: 4, name: sides, description: Sides, min_value: 2}]}
      - {id: "901", type: 2, name: Report, integration_types: [0, 1]}
  - {application: "100", guild: "300", definitions: [{id: "902", default_member_permissions: "4", name: ban, description: Ban}]}
command_permissions:
  - {application: "100", guild: "300", command: "900", permissions: [{id: "301", type: 1, permission: true}, {id: "202", type: 2}, {id: "311", type: 3}, {id: "299", type: 3, permission: true}]}
  - {application: "100", guild: "300", command: "100", permissions: [{id: "300", type: 1}]}
`

// pull runs "bellhop world pull" and returns its output.
func pull(t *testing.T, args ...string) (out, errs string) {
	t.Helper()
	var stdout, stderr strings.Builder
	if code := run(t.Context(), append([]string{"world", "pull"}, args...), &stdout, &stderr); code != exitOK {
		t.Fatalf("exit code %d: %s", code, stderr.String())
	}
	return stdout.String(), stderr.String()
}

func writeText(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func readText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestWorldPull pulls a guild of one service, runs another service with the file, and pulls from that one.
func TestWorldPull(t *testing.T) {
	t.Parallel()
	first := start(t, "dev", "--listen", "127.0.0.1:0", "--world", writeText(t, "first.yaml", pulledWorld))
	file := filepath.Join(t.TempDir(), "world.yaml")
	args := func(p *process, token string) []string {
		return []string{"--base-url", p.Base + "/api/v10", "--token", token, "--guild", "300", "-o", file}
	}
	out, notes := pull(t, args(first, "dev-bot-echo")...)
	if !strings.HasSuffix(out, "world.yaml: Lab with 2 roles, 2 channels, 4 members and 3 commands\n") || notes != "note: 1 bot of other applications left out\n" {
		t.Errorf("output %q, %q", out, notes)
	}
	text := readText(t, file)
	w, err := world.Parse("world.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	want, err := world.Parse("want.yaml", []byte(pulledWorld))
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(expectPulled(want), w); diff != "" {
		t.Errorf("pulled world (-want +got):\n%s", diff)
	}
	for _, secret := range []string{"dev-bot", "dev-user", "token", "secret"} {
		if strings.Contains(text, secret) {
			t.Errorf("the file contains %s:\n%s", secret, text)
		}
	}

	// A token that is added to the file stays. Nothing else changes.
	added := strings.Replace(text, "    name: Echo\n", "    name: Echo\n    bot_token: dev-bot-copy\n", 1)
	if err := os.WriteFile(file, []byte(added), 0o600); err != nil {
		t.Fatal(err)
	}
	second := start(t, "dev", "--listen", "127.0.0.1:0", "--world", file)
	pull(t, args(first, "dev-bot-echo")...)
	again := readText(t, file)
	if !strings.Contains(again, "bot_token: dev-bot-copy") {
		t.Errorf("the token is lost:\n%s", again)
	}
	pull(t, args(second, "dev-bot-copy")...)
	if diff := gocmp.Diff(again, readText(t, file)); diff != "" {
		t.Errorf("the copy differs (-first +second):\n%s", diff)
	}
}

// expectPulled returns what a pull with the token of Echo shows of a world.
func expectPulled(w world.World) world.World {
	w.Applications = w.Applications[:1]
	w.Applications[0].BotToken = ""
	w.Users[0].Token, w.Users[0].Locale = "", "en-US" // a bot does not see languages
	g := &w.Guilds[0]
	g.Members = append(g.Members[3:4:4], g.Members[:3]...)
	g.Installs = g.Installs[:1]
	for i := range g.Channels {
		slices.SortFunc(g.Channels[i].Overwrites, func(a, b world.Overwrite) int { return cmp.Compare(a.ID, b.ID) })
	}
	w.CommandPermissions[0], w.CommandPermissions[1] = w.CommandPermissions[1], w.CommandPermissions[0]
	return w
}

func TestWorldPullMembersAndPseudonyms(t *testing.T) {
	t.Parallel()
	p := start(t, "dev", "--listen", "127.0.0.1:0", "--world", writeText(t, "first.yaml", pulledWorld))
	args := []string{"--base-url", p.Base + "/api/v10", "--token", "dev-bot-echo", "--guild", "300"}
	few, _ := pull(t, append(args, "--members", "1")...)
	w, err := world.Parse("few.yaml", []byte(few))
	if err != nil {
		t.Fatal(err)
	}
	// The owner is the first member. The app's owner is a user, but no member.
	if len(w.Guilds[0].Members) != 2 || len(w.Users) != 2 || strings.Contains(few, "cleo") || strings.Contains(few, `"202"`) {
		t.Errorf("--members 1:\n%s", few)
	}
	hidden, _ := pull(t, append(args, "--pseudonyms")...)
	if w, err = world.Parse("hidden.yaml", []byte(hidden)); err != nil {
		t.Fatal(err)
	}
	for _, person := range []string{"ada", "Ada", "bob", "cleo", "Countess", `"200"`, `"201"`, `"202"`, "2026-01-02"} {
		if strings.Contains(hidden, person) {
			t.Errorf("the file contains %s:\n%s", person, hidden)
		}
	}
	if len(w.Users) != 3 || len(w.Guilds[0].Members) != 4 || len(w.Guilds[0].Channels[1].Overwrites) != 4 || len(w.CommandPermissions[1].Permissions) != 4 {
		t.Errorf("--pseudonyms:\n%s", hidden)
	}
	if again, _ := pull(t, append(args, "--pseudonyms")...); again != hidden {
		t.Errorf("the pseudonyms differ (-first +second):\n%s", gocmp.Diff(hidden, again))
	}
}

// shapesService starts a server that answers with objects in the shapes of Discord's documentation. The bot has another id
// than its application, the application belongs to a team, and a rate limit refuses the first request. asked counts the
// requests.
func shapesService(t *testing.T) (base string, asked *atomic.Int64) {
	t.Helper()
	asked = new(atomic.Int64)
	answers := map[string]string{}
	for _, name := range []string{"application", "guild", "channels", "members", "commands", "guild_commands", "permissions"} {
		answers[name] = readText(t, filepath.Join("testdata", "pull", name+".json"))
	}
	const app, guild = "/applications/845027738276462632", "/guilds/197038439483310086"
	routes := map[string]string{
		"/applications/@me": "application", guild: "guild", guild + "/channels": "channels", guild + "/members": "members",
		app + "/commands": "commands", app + guild + "/commands": "guild_commands", app + guild + "/commands/permissions": "permissions",
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bot secret-token" || !strings.HasPrefix(r.UserAgent(), "DiscordBot (") {
			t.Errorf("headers %v", r.Header)
		}
		w.Header().Set("Content-Type", "application/json")
		name, known := routes[strings.TrimPrefix(r.URL.Path, "/api/v10")]
		switch {
		case asked.Add(1) == 1:
			w.WriteHeader(http.StatusTooManyRequests)
			_, _ = w.Write([]byte(`{"message":"You are being rate limited.","retry_after":0.01,"global":false}`)) // the client reports it
		case !known:
			w.WriteHeader(http.StatusNotFound)
			_, _ = w.Write([]byte(`{"message":"Unknown Member","code":10007}`)) // as above
		default:
			_, _ = w.Write([]byte(answers[name])) // as above
		}
	}))
	t.Cleanup(srv.Close)
	return srv.URL + "/api/v10", asked
}

// TestWorldPullShapes pulls from a server that answers with objects in the shapes of Discord's documentation.
func TestWorldPullShapes(t *testing.T) {
	t.Parallel()
	base, asked := shapesService(t)
	out, notes := pull(t, "--base-url", base, "--token", "secret-token", "--guild", "197038439483310086")
	if diff := gocmp.Diff(readText(t, filepath.Join("testdata", "pull", "world.yaml")), out); diff != "" {
		t.Errorf("world (-want +got):\n%s", diff)
	}
	if want := "note: 1 bot of other applications left out\nnote: channel 41771983423143999 left out: a world file has no such channel\n"; notes != want {
		t.Errorf("notes %q, want %q", notes, want)
	}
	start(t, "dev", "--listen", "127.0.0.1:0", "--world", writeText(t, "world.yaml", out)).StopCleanly(t)
	if n := asked.Load(); n != 9 { // seven objects, the refused request, and the owner, who is not in the list
		t.Errorf("%d requests", n)
	}
}

// TestWorldPullSendsTokensEncrypted checks that the token is sent only by https or to this machine.
func TestWorldPullSendsTokensEncrypted(t *testing.T) {
	t.Parallel()
	var stdout, stderr strings.Builder
	args := []string{"world", "pull", "--base-url", "http://192.0.2.1/api/v10", "--token", "t", "--guild", "300"}
	if code := run(t.Context(), args, &stdout, &stderr); code != exitUsage || !strings.Contains(stderr.String(), "use https") {
		t.Errorf("exit code %d: %s", code, stderr.String())
	}
}
