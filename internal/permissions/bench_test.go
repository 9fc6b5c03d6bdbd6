package permissions_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/permissions"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// The size of the guild in the benchmarks.
const (
	manyApps     = 50
	commandsEach = 50
)

var words = []string{"role", "ban", "color", "music", "server", "weather", "ticket", "poll", "game", "level"}

// openLarge opens a fixture with a guild that has many applications with many commands each.
func openLarge(b *testing.B) *fixture {
	b.Helper()
	var apps, installs strings.Builder
	for n := range manyApps {
		fmt.Fprintf(&apps, "  - {id: %d, name: App %d, owner: 200}\n", 1000+n, n)
		fmt.Fprintf(&installs, "{application: %d},", 1000+n)
	}
	d := open(b, `
users: [{id: 200, username: ada}, {id: 201, username: bob}]
applications:
`+apps.String()+`
guilds:
  - id: 300
    name: Lab
    owner: 200
    everyone: "2147486720"
    roles: [{id: 301, name: mods}]
    channels: [{id: 311, name: general}, {id: 312, name: other}, {id: 313, name: third, permission_overwrites: [{id: 301, deny: "2048"}]}]
    members: [{user: 200}, {user: 201, roles: [301]}]
    installs: [`+installs.String()+`]
`)
	for n := range manyApps {
		list := make([]string, commandsEach)
		for i := range list {
			list[i] = fmt.Sprintf(`{"name":"%s-%s-%d","description":"What this command does, in a few words",
				"options":[{"type":3,"name":"target","description":"What it does it to","required":true}]}`,
				words[i%len(words)], words[(i/len(words)+n)%len(words)], i)
		}
		body := []byte("[" + strings.Join(list, ",") + "]")
		scope := command.Scope{Application: snowflake.Application(1000 + n)}
		if _, err := d.Commands.Overwrite(b.Context(), scope, command.Env{}, body); err != nil {
			b.Fatal(err)
		}
	}
	return d
}

// putSets stores a permission set with one entry for every command of an application.
func (d *fixture) putSets(b *testing.B, app snowflake.Application, entry permission.Entry) {
	b.Helper()
	list, err := d.Commands.Commands(b.Context(), command.Scope{Application: app})
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range list {
		_, err := d.editor.Replace(b.Context(), permissions.Edit{Application: app, Guild: 300, ID: c.ID, By: 200, Entries: []permission.Entry{entry}})
		if err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkGuildIndex measures the index of a guild with 2,500 commands for a member: first without entries, then with
// entries for the commands of two applications.
func BenchmarkGuildIndex(b *testing.B) {
	d := openLarge(b)
	measure := func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			body, err := d.GuildIndex(b.Context(), 201, 300, "en-US")
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(body)))
		}
	}
	b.Run("plain", measure)
	d.putSets(b, 1000, forRole(301, false))
	d.putSets(b, 1001, forRole(301, true))
	b.Run("entries", measure)
}

// BenchmarkSearch measures a search over 2,500 commands with various queries, and reports the 99th percentile.
func BenchmarkSearch(b *testing.B) {
	d := openLarge(b)
	queries := []string{"", "r", "role", "col", "mus-", "5", "ser", "zebra", "ÉR", "level-game"}
	var took []time.Duration
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		began := time.Now()
		_, err := d.Search(b.Context(), 201, 311, permissions.Search{Type: command.ChatInput, Query: queries[n%len(queries)], Limit: 25}, "de")
		took = append(took, time.Since(began))
		if err != nil {
			b.Fatal(err)
		}
		n++
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
}
