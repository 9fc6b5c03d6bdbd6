package announce_test

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/announce"
	"github.com/bellhop/bellhop/internal/cache"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/events"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	echo snowflake.Application = 1300000000000000001
	lab  snowflake.Guild       = 900000000000000001
	ada  snowflake.User        = 700000000000000001
	bob  snowflake.User        = 700000000000000002
)

const testWorld = `
users:
  - {id: "700000000000000001", username: ada}
  - {id: "700000000000000002", username: bob}
applications:
  - {id: "1300000000000000001", name: Echo, owner: "700000000000000001"}
guilds:
  - {id: "900000000000000001", name: Lab, owner: "700000000000000001", channels: [{id: "900000000000000010", name: hall}]}
`

// recorded keeps the events of commits.
type recorded struct {
	mu    sync.Mutex
	list  []events.Event
	stray []store.Subject // of events about what their change does not write to
}

func (r *recorded) committed(c *store.Change) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range c.Events {
		r.list = append(r.list, e.Event)
		if c.Expects(e.Subject) == nil {
			r.stray = append(r.stray, e.Subject)
		}
	}
}

// take returns what was told since the last call, each in one line: the name, who hears it, what it changes about that.
func (r *recorded) take(t *testing.T) []string {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	lines := make([]string, 0, len(r.list))
	for _, e := range r.list {
		if e.Name != "" {
			var shape map[string]any
			if err := json.Unmarshal(e.Data, &shape); err != nil {
				t.Errorf("%s: %v in %s", e.Name, err, e.Data)
			}
			if e.To.Guild != 0 && e.To.Application == 0 && e.Name != "GUILD_UPDATE" && e.Name != "GUILD_DELETE" && shape["guild_id"] != e.To.Guild.String() {
				t.Errorf("%s does not name its guild: %s", e.Name, e.Data)
			}
		}
		lines = append(lines, line(e))
	}
	if len(r.stray) > 0 {
		t.Errorf("events about %v, which their changes do not write to", r.stray)
	}
	r.list = nil
	return lines
}

func line(e events.Event) string {
	var b strings.Builder
	b.WriteString(e.Name)
	for _, u := range e.To.Users {
		fmt.Fprintf(&b, " user %v", u)
	}
	if e.To.Application != 0 {
		fmt.Fprintf(&b, " bot %v", e.To.Application)
	}
	if e.To.Guild != 0 && len(e.To.Users) == 0 && e.To.Application == 0 {
		b.WriteString(" guild")
	}
	if len(e.To.Except) > 0 {
		fmt.Fprintf(&b, " but %v", e.To.Except)
	}
	if e.To.Kinds != 0 {
		fmt.Fprintf(&b, " kinds %d", e.To.Kinds)
	}
	if e.To.Intents != 0 {
		fmt.Fprintf(&b, " intents %d", e.To.Intents)
	}
	if c := e.Change; c != nil && *c != (events.Change{Guild: c.Guild}) {
		fmt.Fprintf(&b, " change %+v", *c)
	}
	return b.String()
}

func open(t *testing.T) (*directory.Directory, *recorded) {
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
	now, heard := clock.System{}, &recorded{}
	db.Subscribe(heard.committed)
	d := &directory.Directory{
		Store: db, Cache: cache.New(db, 1<<20), Clock: now, IDs: snowflake.NewGenerator(0, now.Now, time.Time{}), Describe: announce.Events,
	}
	if _, err := d.Apply(t.Context(), parse(t, testWorld)); err != nil {
		t.Fatal(err)
	}
	heard.take(t)
	return d, heard
}

func parse(t *testing.T, text string) world.World {
	t.Helper()
	w, err := world.Parse("world.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestTell changes the directory in every way and looks at what is told.
func TestTell(t *testing.T) {
	t.Parallel()
	d, heard := open(t)
	ctx := t.Context()
	const hall snowflake.Channel = 900000000000000010
	member := world.Member{User: bob}
	for _, tt := range []struct {
		name string
		do   func() error
		want []string
	}{
		{"a member comes", func() error { _, err := d.PutMember(ctx, lab, member); return err }, []string{
			"GUILD_MEMBER_ADD guild but [700000000000000002] intents 2 change {Guild:900000000000000001 Joined:700000000000000002 Left:0 Closed:false Everything:false Recheck:false}",
		}},
		{"the same again", func() error { _, err := d.PutMember(ctx, lab, member); return err }, nil},
		{"a member changes", func() error { _, err := d.PutMember(ctx, lab, world.Member{User: bob, Nick: "B"}); return err }, []string{
			"GUILD_MEMBER_UPDATE guild but [700000000000000002] intents 2", "GUILD_MEMBER_UPDATE user 700000000000000002",
		}},
		{"a role", func() error {
			_, err := d.PutRole(ctx, lab, world.Role{ID: 900000000000000301, Name: "mods"})
			return err
		}, []string{"GUILD_ROLE_CREATE guild intents 1"}},
		{"a role changes", func() error {
			_, err := d.PutRole(ctx, lab, world.Role{ID: 900000000000000301, Name: "mod"})
			return err
		}, []string{"GUILD_ROLE_UPDATE guild intents 1"}},
		{"a role goes", func() error { return d.DeleteRole(ctx, lab, 900000000000000301) }, []string{"GUILD_ROLE_DELETE guild intents 1"}},
		{"a channel", func() error {
			_, err := d.PutChannel(ctx, lab, world.Channel{ID: 900000000000000020, Name: "den"})
			return err
		}, []string{"CHANNEL_CREATE guild intents 1"}},
		{"a channel changes", func() error {
			_, err := d.PutChannel(ctx, lab, world.Channel{ID: 900000000000000020, Name: "lair"})
			return err
		}, []string{"CHANNEL_UPDATE guild intents 1"}},
		{"a thread", func() error {
			_, err := d.PutChannel(ctx, lab, world.Channel{ID: 900000000000000021, Name: "talk", Type: world.PublicThread, Parent: hall})
			return err
		}, []string{"THREAD_CREATE guild intents 1"}},
		{"a channel goes with its threads", func() error { return d.DeleteChannel(ctx, lab, hall) }, []string{
			"THREAD_DELETE guild intents 1", "CHANNEL_DELETE guild intents 1",
		}},
		{"a bot comes", func() error {
			_, err := d.PutGuildInstall(ctx, lab, world.GuildInstall{Application: echo, Scopes: []string{"bot"}, Permissions: 8})
			return err
		}, []string{
			"INTEGRATION_CREATE guild intents 16", "GUILD_INTEGRATIONS_UPDATE guild intents 16",
			"GUILD_APPLICATION_COMMAND_INDEX_UPDATE guild kinds 2", "GUILD_ROLE_CREATE guild intents 1",
			"GUILD_MEMBER_ADD guild but [1300000000000000001] intents 2 change {Guild:900000000000000001 Joined:1300000000000000001 Left:0 Closed:false Everything:false Recheck:false}",
		}},
		{"a bot changes", func() error {
			_, err := d.PutMember(ctx, lab, world.Member{User: snowflake.User(echo), Nick: "E"})
			return err
		}, []string{
			"GUILD_MEMBER_UPDATE guild but [1300000000000000001] intents 2", "GUILD_MEMBER_UPDATE bot 1300000000000000001",
		}},
		{"a bot goes", func() error { return d.DeleteGuildInstall(ctx, lab, echo) }, []string{
			"GUILD_ROLE_DELETE guild intents 1", "INTEGRATION_DELETE guild intents 16", "GUILD_INTEGRATIONS_UPDATE guild intents 16",
			"GUILD_APPLICATION_COMMAND_INDEX_UPDATE guild kinds 2",
			"GUILD_MEMBER_REMOVE guild but [1300000000000000001] intents 2 change {Guild:900000000000000001 Joined:0 Left:1300000000000000001 Closed:false Everything:false Recheck:false}",
		}},
		{"a conversation", func() error { _, err := d.OpenDirect(ctx, ada, []snowflake.User{snowflake.User(echo)}); return err }, []string{
			"CHANNEL_CREATE user 700000000000000001",
		}},
		{"a user changes", func() error { _, err := d.PutUser(ctx, world.User{ID: bob, Username: "bobby"}); return err }, []string{
			"USER_UPDATE user 700000000000000002",
		}},
		{"a user goes", func() error { return d.DeleteUser(ctx, bob) }, []string{
			" user 700000000000000002 change {Guild:0 Joined:0 Left:0 Closed:false Everything:false Recheck:true}",
			"GUILD_MEMBER_REMOVE guild but [700000000000000002] intents 2 change {Guild:900000000000000001 Joined:0 Left:700000000000000002 Closed:false Everything:false Recheck:false}",
		}},
		{"a guild changes", func() error { _, err := d.PutGuild(ctx, world.Guild{ID: lab, Name: "Labs", Owner: ada}); return err }, []string{
			"GUILD_UPDATE guild intents 1",
		}},
		{"a guild comes", func() error {
			_, err := d.PutGuild(ctx, world.Guild{ID: 900000000000000002, Name: "New", Owner: ada})
			return err
		}, []string{
			"GUILD_MEMBER_ADD guild but [700000000000000001] intents 2 change {Guild:900000000000000002 Joined:700000000000000001 Left:0 Closed:false Everything:false Recheck:false}",
		}},
		{"a guild goes", func() error { return d.DeleteGuild(ctx, lab) }, []string{
			"GUILD_DELETE guild intents 1 change {Guild:900000000000000001 Joined:0 Left:0 Closed:true Everything:false Recheck:false}",
		}},
		{"what fails", func() error {
			if d.DeleteGuild(ctx, lab) == nil {
				t.Error("a guild that is gone can be deleted")
			}
			return nil
		}, nil},
		{"everything", func() error { _, err := d.Reset(ctx, parse(t, testWorld)); return err }, []string{
			" change {Guild:0 Joined:0 Left:0 Closed:false Everything:true Recheck:true}",
		}},
	} {
		if err := tt.do(); err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if diff := cmp.Diff(slices.Concat([]string{}, tt.want), slices.Concat([]string{}, heard.take(t))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// TestTellMany writes more records at once than are told one by one.
func TestTellMany(t *testing.T) {
	t.Parallel()
	d, heard := open(t)
	var w world.World
	g := world.Guild{ID: lab, Name: "Lab", Owner: ada}
	for i := range 1100 {
		id := snowflake.User(700000000000001000 + i)
		w.Users = append(w.Users, world.User{ID: id, Username: fmt.Sprint("user", i)})
		g.Members = append(g.Members, world.Member{User: id})
	}
	w.Guilds = []world.Guild{g}
	if _, err := d.Apply(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	if got := heard.take(t); len(got) != 1 || !strings.Contains(got[0], "Everything:true") {
		t.Errorf("heard %d events, want that everything changed", len(got))
	}
}
