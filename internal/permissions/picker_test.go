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
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/permissions"
	"github.com/bellhop/bellhop/internal/provision"
	"github.com/bellhop/bellhop/internal/registry"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/cache"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// countedStore counts reads.
type countedStore struct {
	store.Store

	reads atomic.Int64
}

func (s *countedStore) Read(ctx context.Context, fn func(store.Reader) error) error {
	s.reads.Add(1)
	return s.Store.Read(ctx, fn)
}

func (s *countedStore) Load(ctx context.Context, of store.Subject, fn func(store.Reader) error) (uint64, error) {
	s.reads.Add(1)
	return s.Store.Load(ctx, of, fn)
}

func (s *countedStore) Revisions(ctx context.Context, subjects ...store.Subject) ([]uint64, error) {
	s.reads.Add(1)
	return s.Store.Revisions(ctx, subjects...)
}

// fixture is a Picker over its own store.
type fixture struct {
	*permissions.Picker

	editor *permissions.Editor
	db     *countedStore
}

// start is the time at which tests begin.
var start = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// fixedClock shows the time that a test sets.
type fixedClock struct {
	clock.Clock

	now time.Time
}

func (c *fixedClock) Now() time.Time { return c.now }

func open(t testing.TB, file string) *fixture {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	db, err := sqlite.OpenVolatile(t.Context(), filepath.Join(t.TempDir(), "bellhop.db"), clock.System{}, log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	counted, now := &countedStore{Store: db}, &fixedClock{now: start}
	ids := store.NewIDs(1, now.Now, time.Time{})
	states := cache.New(counted, 64<<20)
	commands := registry.New(states, now, ids)
	dir := directory.New(directory.Config{
		Store: counted, Cache: states, Clock: now, IDs: ids,
	})
	dir.Removals.Dependents = []directory.Dependent{commands}
	d := &fixture{
		&permissions.Picker{Directory: dir, Commands: commands, Clock: now},
		&permissions.Editor{Store: counted, Commands: commands, Clock: now}, counted,
	}
	d.apply(t, file)
	return d
}

func (d *fixture) apply(t testing.TB, file string) {
	t.Helper()
	w, err := world.Parse("world.yaml", []byte(file))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.provision().Apply(t.Context(), w); err != nil {
		t.Fatal(err)
	}
}

// The users, channels and applications of the tests. @everyone may view channels, send messages, and use
// commands and activities.
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
    everyone: "551903300608"
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

// openLab opens a fixture with the world lab, direct messages and a group channel.
func openLab(t testing.TB) *fixture {
	t.Helper()
	d := open(t, lab)
	err := store.Decide(t.Context(), d.db, func(tx *store.Tx) error {
		for id, users := range map[snowflake.Channel][]snowflake.User{
			withEcho: {100, 201}, withBob: {200, 201}, withTool: {102, 203}, group: {200, 201, 203},
		} {
			kind := wire.DM
			if len(users) > 2 {
				kind = wire.GroupDM
			}
			if err := tx.Put(store.Channel{ID: id, Type: kind, Recipients: users}); err != nil {
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

// create creates a command, in a guild when g is not 0.
func (d *fixture) create(t testing.TB, app snowflake.Application, g snowflake.Guild, body string) *command.Command {
	t.Helper()
	record, err := d.Directory.Applications.Application(t.Context(), app)
	if err != nil {
		t.Fatal(err)
	}
	scope := command.Scope{Application: app, Guild: g}
	c, _, err := d.Commands.Create(t.Context(), scope, registry.Env(scope, record), []byte(body))
	if err != nil {
		t.Fatalf("Create(%s) = %v", body, err)
	}
	return c
}

// slash returns a CHAT_INPUT definition. more are further JSON members.
func slash(name, more string) string {
	return fmt.Sprintf(`{"name":%q,"description":"x"%s}`, name, more)
}

// put replaces a permission set as the owner of the guild.
func (d *fixture) put(t testing.TB, app snowflake.Application, id snowflake.Command, entries ...permission.Entry) {
	t.Helper()
	_, err := d.editor.Replace(t.Context(), permissions.Edit{Application: app, Guild: guild, ID: id, By: ada, Entries: entries})
	if err != nil {
		t.Fatalf("Replace() = %v", err)
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

// index is a decoded index.
type index struct {
	Applications []struct {
		ID          snowflake.Application `json:"id"`
		Name        string                `json:"name"`
		Icon        *string               `json:"icon"`
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

// read decodes an index and checks its version and applications.
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
			t.Errorf("application %s has no command in the index", a.Name)
		}
		delete(used, a.ID)
	}
	if len(used) != 0 {
		t.Errorf("applications %v are missing", used)
	}
	return x
}

func (d *fixture) guildIndex(t testing.TB, user snowflake.User) index {
	t.Helper()
	body, err := d.GuildIndex(t.Context(), user, guild, "en-US")
	return read(t, body, err)
}

func (d *fixture) channelIndex(t testing.TB, user snowflake.User, channel snowflake.Channel) index {
	t.Helper()
	body, err := d.ChannelIndex(t.Context(), user, channel, "en-US")
	return read(t, body, err)
}

// same compares names, ignoring their order.
func same(t testing.TB, what string, got []string, want ...string) {
	t.Helper()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%s has %q, want %q", what, got, want)
	}
}

// provision returns what writes worlds to the directory.
func (d *fixture) provision() *provision.Provisioner {
	return &provision.Provisioner{Directory: d.Directory, Clock: d.Clock}
}
