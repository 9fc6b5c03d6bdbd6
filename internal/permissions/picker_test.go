package permissions_test

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/cache"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/internal/permissions"
	"github.com/bellhop/bellhop/internal/registry"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// countedStore counts how often it is read.
type countedStore struct {
	store.Store

	views atomic.Int64
}

func (s *countedStore) Read(ctx context.Context, fn func(store.Reader) error) error {
	s.views.Add(1)
	return s.Store.Read(ctx, fn)
}

func (s *countedStore) Revisions(ctx context.Context, subjects ...store.Subject) ([]uint64, error) {
	s.views.Add(1)
	return s.Store.Revisions(ctx, subjects...)
}

// desk is a picker over a store of its own.
type desk struct {
	*permissions.Picker

	db *countedStore
}

// start is when the tests begin.
var start = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// handClock shows the time that a test sets.
type handClock struct {
	clock.Clock

	now time.Time
}

func (c *handClock) Now() time.Time { return c.now }

func open(t testing.TB, file string) *desk {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	db, err := sqlite.OpenVolatile(t.Context(), filepath.Join(t.TempDir(), "bellhop.db"), log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	counted, now := &countedStore{Store: db}, &handClock{now: start}
	ids := snowflake.NewGenerator(1, now.Now, time.Time{})
	states := cache.New(counted, 64<<20)
	commands := registry.New(states, now, ids)
	dir := &directory.Directory{
		Store: counted, Cache: states, Clock: now, IDs: ids,
		Dependents: []directory.Dependent{commands},
	}
	d := &desk{&permissions.Picker{Directory: dir, Commands: commands, Clock: now}, counted}
	d.apply(t, file)
	return d
}

func (d *desk) apply(t testing.TB, file string) {
	t.Helper()
	w, err := world.Parse("world.yaml", []byte(file))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Directory.Apply(t.Context(), w); err != nil {
		t.Fatal(err)
	}
}

// The people, places and apps of the tests. Everyone may see, send and use commands.
const (
	ada, bob, cleo, dora, eve          snowflake.User        = 200, 201, 202, 203, 204
	echo, game, tool                   snowflake.Application = 100, 101, 102
	guild                              snowflake.Guild       = 300
	mods                               snowflake.Role        = 301
	general, hidden, dark, thread      snowflake.Channel     = 311, 312, 313, 314
	withEcho, withBob, withTool, group snowflake.Channel     = 501, 502, 503, 504
)

const lab = `
users:
  - {id: 200, username: ada}
  - {id: 201, username: bob, locale: de}
  - {id: 202, username: cleo, minor: true}
  - {id: 203, username: dora}
  - {id: 204, username: eve}
applications:
  - {id: 100, name: Echo, owner: 200, integration_types: [0, 1]}
  - {id: 101, name: Game, owner: 200, activities: true}
  - {id: 102, name: Tool, owner: 200, integration_types: [0, 1]}
guilds:
  - id: 300
    name: Lab
    owner: 200
    everyone: "2147486720"
    roles: [{id: 301, name: mods, permissions: "32"}]
    channels:
      - {id: 310, name: top, type: 4}
      - {id: 311, name: general, parent: 310}
      - {id: 312, name: hidden, permission_overwrites: [{id: 300, deny: "1024"}, {id: 301, allow: "1028"}]}
      - {id: 313, name: dark, nsfw: true}
      - {id: 314, name: talk, type: 11, parent: 311}
    members: [{user: 200}, {user: 201}, {user: 202}, {user: 203, roles: [301]}]
    installs: [{application: 100}, {application: 101}]
user_installs:
  - {user: 201, application: 102}
  - {user: 201, application: 100}
`

// openLab opens a desk with channels between people too.
func openLab(t testing.TB) *desk {
	t.Helper()
	d := open(t, lab)
	err := store.Decide(t.Context(), d.db, func(tx *store.Tx) error {
		for id, users := range map[snowflake.Channel][]snowflake.User{
			withEcho: {100, 201}, withBob: {200, 201}, withTool: {102, 203}, group: {200, 201, 203},
		} {
			kind := command.DM
			if len(users) > 2 {
				kind = command.GroupDM
			}
			if err := tx.Put(store.Channel{ID: id, Type: int(kind), Recipients: users}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// create registers a command, in the guild when guild is not 0.
func (d *desk) create(t testing.TB, app snowflake.Application, g snowflake.Guild, body string) *command.Command {
	t.Helper()
	v, err := jsonbody.Parse([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	record, err := d.Directory.Application(t.Context(), app)
	if err != nil {
		t.Fatal(err)
	}
	scope := command.Scope{Application: app, Guild: g}
	c, _, err := d.Commands.Create(t.Context(), scope, registry.Env(scope, record), v)
	if err != nil {
		t.Fatalf("Create(%s) = %v", body, err)
	}
	return c
}

// slash is a CHAT_INPUT command with more members than a name.
func slash(name, more string) string {
	return fmt.Sprintf(`{"name":%q,"description":"x"%s}`, name, more)
}

// put replaces a permission set as the owner.
func (d *desk) put(t testing.TB, app snowflake.Application, id snowflake.Command, entries ...permission.Entry) {
	t.Helper()
	_, err := d.Commands.SetOverwrites(t.Context(), registry.Edit{Application: app, Guild: guild, ID: id, By: ada, Entries: entries})
	if err != nil {
		t.Fatalf("SetOverwrites() = %v", err)
	}
}

func forRole(id snowflake.Role, allow bool) permission.Entry {
	return permission.Entry{ID: snowflake.Target(id), Type: permission.ForRole, Allow: allow}
}

func forUser(id snowflake.User, allow bool) permission.Entry {
	return permission.Entry{ID: snowflake.Target(id), Type: permission.ForUser, Allow: allow}
}

func forChannel(id snowflake.Channel, allow bool) permission.Entry {
	return permission.Entry{ID: snowflake.Target(id), Type: permission.ForChannel, Allow: allow}
}

// index is an index as a client reads it.
type index struct {
	Applications []struct {
		ID          snowflake.Application `json:"id"`
		Name        string                `json:"name"`
		Permissions map[string]any        `json:"permissions"`
	} `json:"applications"`
	Commands []struct {
		ID          snowflake.Command     `json:"id"`
		Application snowflake.Application `json:"application_id"`
		Version     snowflake.Version     `json:"version"`
		Name        string                `json:"name"`
		NameDefault string                `json:"name_default"`
		Permissions map[string]any        `json:"permissions"`
	} `json:"application_commands"`
	Version snowflake.Version `json:"version"`
}

func (x index) names() []string {
	var names []string
	for _, c := range x.Commands {
		names = append(names, c.Name)
	}
	return names
}

// read decodes an index and checks what holds for all of them.
func read(t testing.TB, body []byte, err error) index {
	t.Helper()
	var x index
	if err != nil {
		t.Fatalf("index: %v", err)
	}
	if err := json.Unmarshal(body, &x); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	var newest snowflake.Version
	used := map[snowflake.Application]bool{}
	for _, c := range x.Commands {
		newest = max(newest, c.Version)
		used[c.Application] = true
	}
	if x.Version != newest {
		t.Errorf("version %v, the largest of a command is %v", x.Version, newest)
	}
	for _, a := range x.Applications {
		if !used[a.ID] {
			t.Errorf("application %s has no command here", a.Name)
		}
		delete(used, a.ID)
	}
	if len(used) != 0 {
		t.Errorf("applications %v are missing", used)
	}
	return x
}

func (d *desk) guildIndex(t testing.TB, user snowflake.User) index {
	t.Helper()
	body, err := d.GuildIndex(t.Context(), user, guild, "en-US")
	return read(t, body, err)
}

func (d *desk) channelIndex(t testing.TB, user snowflake.User, channel snowflake.Channel) index {
	t.Helper()
	body, err := d.ChannelIndex(t.Context(), user, channel, "en-US")
	return read(t, body, err)
}

// same compares names in any order.
func same(t testing.TB, what string, got []string, want ...string) {
	t.Helper()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%s has %q, want %q", what, got, want)
	}
}
