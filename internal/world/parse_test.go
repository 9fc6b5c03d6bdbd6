package world_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func parse(t *testing.T, text string) world.World {
	t.Helper()
	w, err := world.Parse("world.yaml", []byte(text))
	if err != nil {
		t.Fatalf("Parse() = %v", err)
	}
	return w
}

// sample is a world file as in the documentation.
const sample = `
users:
  - {id: "200", username: ada, locale: de, token: dev-user-ada}      # token: a fixed credential, created when absent
  - {id: "201", username: bob}
applications:
  - id: "100"
    name: Echo
    owner: "200"
    bot_token: dev-bot-echo            # created when absent, printed once
    client_secret: dev-secret-echo
    public_client: false
    integration_types: [0, 1]          # what the app supports; default [0]
    activities: false                  # true: the embedded flag, and the entry point command "Launch" appears
    interactions_endpoint_url: ""      # empty: interactions travel by the gateway
    redirect_uris: ["http://127.0.0.1:9000/callback"]
    requests_per_second: 50            # raised limit, up to 1200
guilds:
  - id: "300"
    name: Lab
    owner: "200"
    preferred_locale: en-US
    everyone: "3072"                   # permissions of @everyone (role id = guild id); default: view and send
    roles:    [{id: "301", name: mods, permissions: "32"}]
    channels: [{id: "310", name: general, type: 0, nsfw: false, permission_overwrites: []}]
    members:  [{user: "200", roles: ["301"], nick: Countess}, {user: "201"}]
    installs: [{application: "100", scopes: [bot, applications.commands], permissions: "0"}]
user_installs:
  - {user: "201", application: "100"}
`

func TestParseSample(t *testing.T) {
	t.Parallel()
	want := world.World{
		Users: []world.User{
			{ID: 200, Username: "ada", Locale: "de", Token: "dev-user-ada"},
			{ID: 201, Username: "bob", Locale: "en-US"},
		},
		Applications: []world.Application{{
			ID: 100, Name: "Echo", Owner: 200, BotToken: "dev-bot-echo", ClientSecret: "dev-secret-echo",
			IntegrationTypes: []int{0, 1}, RedirectURIs: []string{"http://127.0.0.1:9000/callback"}, RequestsPerSecond: 50,
		}},
		Guilds: []world.Guild{{
			ID: 300, Name: "Lab", Owner: 200, PreferredLocale: "en-US", Everyone: new(permission.Bits(3072)),
			Roles:    []world.Role{{ID: 301, Name: "mods", Permissions: 32, Position: 1}},
			Channels: []world.Channel{{ID: 310, Name: "general"}},
			Members:  []world.Member{{User: 200, Nick: "Countess", Roles: []snowflake.Role{301}}, {User: 201}},
			Installs: []world.GuildInstall{{Application: 100, Scopes: []string{"applications.commands", "bot"}}},
		}},
		UserInstalls: []world.UserInstall{{User: 201, Application: 100, Scopes: []string{"applications.commands"}}},
	}
	if diff := cmp.Diff(want, parse(t, sample)); diff != "" {
		t.Errorf("Parse() (-want +got):\n%s", diff)
	}
}

func TestParseDefaults(t *testing.T) {
	t.Parallel()
	got := parse(t, `
users: [{id: 200, username: ada}]
applications: [{id: 100, name: Echo}]
guilds:
  - id: 300
    roles: [{id: 301}, {id: 302, position: 9}, {id: 303}]
    channels: [{id: 310}]
    installs: [{application: 100}, {application: 101, scopes: [bot]}]
user_installs: [{user: 200, application: 100}]
`)
	want := world.World{
		Users:        []world.User{{ID: 200, Username: "ada", Locale: "en-US"}},
		Applications: []world.Application{{ID: 100, Name: "Echo", Owner: 200, IntegrationTypes: []int{0}, RequestsPerSecond: 50}},
		Guilds: []world.Guild{{
			ID: 300, Name: "guild-300", Owner: 200, PreferredLocale: "en-US", Everyone: new(permission.Bits(2107735977479745)),
			Roles: []world.Role{
				{ID: 301, Name: "role-301", Position: 1},
				{ID: 302, Name: "role-302", Position: 9},
				{ID: 303, Name: "role-303", Position: 3},
			},
			Channels: []world.Channel{{ID: 310, Name: "channel-310"}},
			Installs: []world.GuildInstall{
				{Application: 100, Scopes: []string{"applications.commands"}},
				{Application: 101, Scopes: []string{"applications.commands", "bot"}},
			},
		}},
		UserInstalls: []world.UserInstall{{User: 200, Application: 100, Scopes: []string{"applications.commands"}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Parse() (-want +got):\n%s", diff)
	}
}

// TestParsePermissionNames checks that permissions can be written as names in every place, and what the default is.
func TestParsePermissionNames(t *testing.T) {
	t.Parallel()
	got := parse(t, `
users: [{id: 200, username: ada}]
applications: [{id: 100, name: Echo}]
guilds:
  - id: 300
    everyone: [VIEW_CHANNEL, SEND_MESSAGES, VIEW_CHANNEL]
    roles: [{id: 301, permissions: [MANAGE_GUILD]}, {id: 302, permissions: []}]
    channels: [{id: 310, permission_overwrites: [{id: 301, allow: [VIEW_CHANNEL], deny: [SEND_MESSAGES]}]}]
    installs: [{application: 100, permissions: [BYPASS_SLOWMODE]}]
  - id: 400
`).Guilds
	want := []permission.Bits{
		permission.ViewChannel | permission.SendMessages, permission.ManageGuild, 0, permission.ViewChannel, permission.SendMessages,
		permission.BypassSlowmode,
	}
	g := got[0]
	o := g.Channels[0].Overwrites[0]
	if diff := cmp.Diff(want, []permission.Bits{
		*g.Everyone, g.Roles[0].Permissions, g.Roles[1].Permissions, o.Allow, o.Deny, g.Installs[0].Permissions,
	}); diff != "" {
		t.Errorf("Parse() (-want +got):\n%s", diff)
	}
	for _, p := range []permission.Bits{permission.ReadMessageHistory, permission.UseEmbeddedActivities, permission.UseApplicationCommands} {
		if !got[1].Everyone.Has(p) {
			t.Errorf("the default of everyone lacks %v", p.Names())
		}
	}
	if unsafe := permission.Administrator | permission.ManageGuild | permission.KickMembers; *got[1].Everyone&unsafe != 0 {
		t.Errorf("the default of everyone is %v", got[1].Everyone.Names())
	}
}

func TestParseEverything(t *testing.T) {
	t.Parallel()
	got := parse(t, `
users: [{id: 200, username: ada, global_name: Ada, email: ada@example.com, minor: true}]
applications: [{id: 100, name: Echo, description: "Says\nback", public_client: true, activities: true, interactions_endpoint_url: "https://a.example/i"}]
guilds:
  - id: 300
    everyone: 0
    roles: [{id: 301, color: 255, hoist: true, mentionable: true, managed: 100}]
    channels:
      - {id: 309, type: 4, name: top}
      - id: 310
        topic: |
          Two
          lines
        position: 3
        parent: 309
        nsfw: true
        permission_overwrites: [{id: 300, deny: "2048"}, {id: 200, type: 1, allow: 2048}]
      - {id: 311, type: 11, parent: 310, archived: true}
    members: [{user: 200, roles: [302, 300, 301], joined_at: 2024-05-06T07:08:09.123456+02:00, communication_disabled_until: "2030-01-01T00:00:00Z"}]
    installs: [{application: 100, permissions: 8, installed_at: "2024-01-01T00:00:00Z"}]
`)
	want := world.World{
		Users: []world.User{{ID: 200, Username: "ada", GlobalName: "Ada", Locale: "en-US", Email: "ada@example.com", Minor: true}},
		Applications: []world.Application{{
			ID: 100, Name: "Echo", Description: "Says\nback", Owner: 200, PublicClient: true, Activities: true,
			IntegrationTypes: []int{0}, InteractionsEndpointURL: "https://a.example/i", RequestsPerSecond: 50,
		}},
		Guilds: []world.Guild{{
			ID: 300, Name: "guild-300", Owner: 200, PreferredLocale: "en-US", Everyone: new(permission.Bits(0)),
			Roles: []world.Role{{ID: 301, Name: "role-301", Position: 1, Color: 255, Hoist: true, Mentionable: true, Managed: 100}},
			Channels: []world.Channel{
				{ID: 309, Type: 4, Name: "top"},
				{
					ID: 310, Name: "channel-310", Topic: "Two\nlines\n", Position: 3, Parent: 309, NSFW: true,
					Overwrites: []world.Overwrite{{ID: 300, Deny: 2048}, {ID: 200, Type: 1, Allow: 2048}},
				},
				{ID: 311, Type: 11, Name: "channel-311", Parent: 310, Archived: true},
			},
			Members: []world.Member{{
				User: 200, Roles: []snowflake.Role{301, 302},
				JoinedAt:     time.Date(2024, 5, 6, 5, 8, 9, 123e6, time.UTC),
				TimeoutUntil: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC),
			}},
			Installs: []world.GuildInstall{{
				Application: 100, Scopes: []string{"applications.commands"}, Permissions: 8,
				InstalledAt: time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC),
			}},
		}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Parse() (-want +got):\n%s", diff)
	}
}

func TestParseForms(t *testing.T) {
	t.Parallel()
	want := world.World{Users: []world.User{{ID: 9007199254740993, Username: "ada", Locale: "en-US"}}}
	for name, give := range map[string]string{
		"a large plain id is exact":                 "users: [{id: 9007199254740993, username: ada}]",
		"a large plain id in JSON is exact":         `{"users":[{"id":9007199254740993,"username":"ada"}]}`,
		"an id in quotes":                           `users: [{id: "9007199254740993", username: ada}]`,
		"an id in single quotes":                    `users: [{id: '9007199254740993', username: ada}]`,
		"null is absent":                            "users: [{id: 9007199254740993, username: ada, locale: null, email: ~, token: }]\nguilds:\n",
		"a byte order mark":                         "\xef\xbb\xbfusers: [{id: 9007199254740993, username: ada}]",
		"a byte order mark before JSON":             "\xef\xbb\xbf{\"users\":[{\"id\":9007199254740993,\"username\":\"ada\"}]}",
		"Windows line ends":                         "users:\r\n  - id: 9007199254740993\r\n    username: ada\r\n",
		"a document with markers":                   "---\nusers: [{id: 9007199254740993, username: ada}]\n...\n",
		"an alias":                                  "users: [{id: 9007199254740993, username: &a ada, global_name: *a}]",
		"flow style that is not JSON":               "{users: [{id: 9007199254740993, username: ada}]}",
		"JSON with escapes and tabs":                "{\n\t\"users\": [\n\t\t{\"id\": \"9007199254740993\", \"username\": \"\\u0061da\"}\n\t]\n}",
		"explicit keys":                             "? users\n: - ? id\n    : 9007199254740993\n    ? username\n    : ada\n",
		"a string that YAML 1.1 reads as a boolean": "users: [{id: 9007199254740993, username: ada, global_name: no}]",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := parse(t, give)
			for i := range got.Users {
				got.Users[i].GlobalName = ""
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("Parse() (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseEmpty(t *testing.T) {
	t.Parallel()
	for _, give := range []string{"", "# nothing\n", "null", "{}", "---\n", " {} "} {
		if diff := cmp.Diff(world.World{}, parse(t, give)); diff != "" {
			t.Errorf("Parse(%q) (-want +got):\n%s", give, diff)
		}
	}
}

// TestProblems compares the reported problems of invalid files with golden files.
func TestProblems(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/errors/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			_, err = world.Parse("world.yaml", archive.Files[0].Data)
			if _, ok := errors.AsType[*world.FileError](err); !ok {
				t.Fatalf("Parse() = %v, want a *FileError", err)
			}
			if _, ok := errors.AsType[*jsonbody.Tree](err); !ok {
				t.Error("the error wraps no *jsonbody.Tree")
			}
			got := err.Error() + "\n"
			if *update {
				archive.Files[1].Data = []byte(got)
				if err := os.WriteFile(name, txtar.Format(archive), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(string(archive.Files[1].Data), got); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}
