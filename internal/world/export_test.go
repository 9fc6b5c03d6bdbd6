package world_test

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/rules/locale"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// written returns a world without its secrets, as YAML writes it.
func written(w world.World) world.World {
	w.Users = append([]world.User(nil), w.Users...)
	for i := range w.Users {
		w.Users[i].Token = ""
	}
	w.Applications = append([]world.Application(nil), w.Applications...)
	for i := range w.Applications {
		w.Applications[i].BotToken, w.Applications[i].ClientSecret = "", ""
	}
	return w
}

func export(t interface {
	Helper()
	Fatalf(format string, args ...any)
}, w world.World,
) []byte {
	t.Helper()
	text, err := w.YAML()
	if err != nil {
		t.Fatalf("YAML() = %v", err)
	}
	return text
}

func TestYAML(t *testing.T) {
	t.Parallel()

	t.Run("reads as the same world without its secrets", func(t *testing.T) {
		t.Parallel()
		for _, w := range []world.World{world.Demo(), parse(t, sample), {}} {
			if diff := cmp.Diff(written(w), parse(t, string(export(t, w)))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		}
	})

	t.Run("writes permissions as names", func(t *testing.T) {
		t.Parallel()
		w := parse(t, sample)
		w.Guilds[0].Installs[0].Permissions = 1 << 47
		text := string(export(t, w))
		for _, want := range []string{`everyone: [VIEW_CHANNEL, SEND_MESSAGES]`, `permissions: [MANAGE_GUILD]`, `permissions: "140737488355328"`} {
			if !strings.Contains(text, want) {
				t.Errorf("YAML() lacks %s:\n%s", want, text)
			}
		}
	})

	t.Run("contains no secret and does not change the world", func(t *testing.T) {
		t.Parallel()
		w := parse(t, sample)
		text := string(export(t, w))
		for _, secret := range []string{"dev-user-ada", "dev-bot-echo", "dev-secret-echo", "token", "secret"} {
			if strings.Contains(text, secret) {
				t.Errorf("YAML() contains %q", secret)
			}
		}
		if w.Users[0].Token == "" || w.Applications[0].BotToken == "" {
			t.Error("YAML() removed the secrets from its receiver")
		}
	})

	t.Run("any world reads as itself", func(t *testing.T) {
		t.Parallel()
		rapid.Check(t, func(t *rapid.T) {
			w, err := anyWorld().Draw(t, "world").Complete()
			if err != nil {
				t.Fatalf("Complete() = %v", err)
			}
			text := export(t, w)
			again, err := world.Parse("world.yaml", text)
			if err != nil {
				t.Fatalf("Parse() = %v of\n%s", err, text)
			}
			if diff := cmp.Diff(written(w), again); diff != "" {
				t.Fatalf("(-want +got):\n%s\nof\n%s", diff, text)
			}
		})
	})
}

func TestDemo(t *testing.T) {
	t.Parallel()
	w := world.Demo()
	app := w.Applications[0]
	id, _, ok := strings.Cut(app.BotToken, ".")
	if text, err := base64.RawStdEncoding.DecodeString(id); !ok || err != nil || string(text) != app.ID.String() {
		t.Errorf("bot token %q does not begin with the id %v", app.BotToken, app.ID)
	}
	if strings.Count(app.BotToken, ".") != 2 {
		t.Errorf("bot token %q does not have three parts", app.BotToken)
	}
	for _, id := range []string{app.ID.String(), w.Users[0].ID.String(), w.Guilds[0].ID.String(), w.Guilds[0].Channels[0].ID.String()} {
		if len(id) < 17 || len(id) > 19 {
			t.Errorf("id %s has %d digits, want 17 to 19 as clients expect", id, len(id))
		}
	}
}

// word draws strings that are hard to quote.
func word(limit int) *rapid.Generator[string] {
	hard := rapid.SampledFrom([]string{
		"null", "~", "true", "no", "1e3", "0x1", "- a", "a: b", "#c", "'", `"`, " x ", "{}", "[a]", "*a", "&a", "!a", "%", "@",
		"`", "|", ">", "---", "...", "?", ": ", "\\n", "é", "日本", "😀", "2026-01-02", "12345678901234567890", "a #b", "-", ".inf",
		"<<", "=", "\u2028x", "\ufeffx", "a\u00a0b", "y", "0o7", "1_000", ",", "a,b",
	})
	plain := rapid.StringMatching(`[ -~à-ÿ]{1,20}`)
	return rapid.OneOf(hard, plain).Filter(func(s string) bool { return len([]rune(s)) <= limit })
}

// prose draws strings with several lines, or empty ones.
func prose() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.OneOf(word(20), rapid.Just("")), 0, 4).Draw(t, "lines"),
			rapid.SampledFrom([]string{"\n", "\n\n", "\t", "\r\n"}).Draw(t, "between"))
	})
}

func anyBits() *rapid.Generator[permission.Bits] {
	return rapid.Map(rapid.Uint64Range(0, uint64(permission.MaxBits)), func(n uint64) permission.Bits { return permission.Bits(n) })
}

func anyTime() *rapid.Generator[time.Time] {
	return rapid.Map(rapid.Int64Range(0, 1<<42), func(n int64) time.Time {
		if n%3 == 0 {
			return time.Time{}
		}
		return time.UnixMilli(n)
	})
}

func anyLocale() *rapid.Generator[locale.Code] { return rapid.SampledFrom(append(locale.All(), "")) }

// anyWorld draws valid worlds. Their ids ascend, so that there are no duplicates.
func anyWorld() *rapid.Generator[world.World] {
	return rapid.Custom(func(t *rapid.T) world.World {
		last := rapid.Uint64Range(1, 1<<62).Draw(t, "first id")
		next := func() uint64 { last += 2; return last }
		times := func(label string) int { return rapid.IntRange(0, 3).Draw(t, label) }
		var w world.World
		for range times("users") + 1 {
			w.Users = append(w.Users, world.User{
				ID: snowflake.User(next()), Username: word(32).Draw(t, "username"), GlobalName: word(32).Draw(t, "global name"),
				Locale: anyLocale().Draw(t, "locale"), Minor: rapid.Bool().Draw(t, "minor"), Token: "token" + snowflake.User(last).String(),
			})
		}
		for range times("applications") {
			w.Applications = append(w.Applications, world.Application{
				ID: snowflake.Application(next()), Name: word(32).Draw(t, "name"), Description: prose().Draw(t, "description"),
				IntegrationTypes: rapid.SampledFrom([][]int{nil, {0}, {1}, {1, 0}}).Draw(t, "integration types"),
				RedirectURIs:     rapid.SliceOfN(rapid.SampledFrom([]string{"https://a.example/?b=c&d", "x:/y"}), 0, 3).Draw(t, "uris"),
				Activities:       rapid.Bool().Draw(t, "activities"), BotToken: "bot" + snowflake.User(last).String(),
			})
			w.UserInstalls = append(w.UserInstalls, world.UserInstall{User: w.Users[0].ID, Application: snowflake.Application(last)})
		}
		for range times("guilds") {
			w.Guilds = append(w.Guilds, anyGuild(t, next, w))
		}
		return w
	})
}

func anyGuild(t *rapid.T, next func() uint64, w world.World) world.Guild {
	next() // a channel cannot have the id before the guild's
	everyone := anyBits().Draw(t, "everyone")
	g := world.Guild{ID: snowflake.Guild(next()), Name: word(100).Draw(t, "name"), Everyone: &everyone}
	for range rapid.IntRange(0, 3).Draw(t, "roles") {
		g.Roles = append(g.Roles, world.Role{
			ID: snowflake.Role(next()), Name: word(100).Draw(t, "role"), Permissions: anyBits().Draw(t, "permissions"),
			Color: rapid.IntRange(0, 0xFFFFFF).Draw(t, "color"), Hoist: rapid.Bool().Draw(t, "hoist"),
		})
	}
	for range rapid.IntRange(0, 3).Draw(t, "channels") {
		g.Channels = append(g.Channels, world.Channel{
			ID: snowflake.Channel(next()), Name: word(100).Draw(t, "channel"), Topic: prose().Draw(t, "topic"),
			Type: rapid.SampledFrom([]int{0, 2, 5, 13, 15, 16}).Draw(t, "type"), NSFW: rapid.Bool().Draw(t, "nsfw"),
			Overwrites: []world.Overwrite{{ID: snowflake.Target(g.ID), Allow: anyBits().Draw(t, "allow"), Deny: anyBits().Draw(t, "deny")}},
		})
	}
	for _, u := range w.Users {
		m := world.Member{
			User: u.ID, Nick: word(32).Draw(t, "nick"), JoinedAt: anyTime().Draw(t, "joined"), TimeoutUntil: anyTime().Draw(t, "timeout"),
		}
		for _, r := range g.Roles {
			m.Roles = append([]snowflake.Role{r.ID}, m.Roles...)
		}
		g.Members = append(g.Members, m)
	}
	for _, a := range w.Applications {
		g.Installs = append(g.Installs, world.GuildInstall{
			Application: a.ID, Permissions: anyBits().Draw(t, "permissions"), InstalledAt: anyTime().Draw(t, "installed"),
			Scopes: rapid.SampledFrom([][]string{nil, {"bot"}, {"bot", "applications.commands"}}).Draw(t, "scopes"),
		})
	}
	return g
}
