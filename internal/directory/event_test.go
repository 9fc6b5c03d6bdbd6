package directory_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/internal/testkit/lab"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	echoApp  snowflake.Application = 1300000000000000001
	labGuild snowflake.Guild       = 900000000000000001
	adaUser  snowflake.User        = 700000000000000001
	bobUser  snowflake.User        = 700000000000000002
)

const eventWorld = `
users:
  - {id: "700000000000000001", username: ada}
  - {id: "700000000000000002", username: bob}
applications:
  - {id: "1300000000000000001", name: Echo, owner: "700000000000000001"}
guilds:
  - {id: "900000000000000001", name: Lab, owner: "700000000000000001", channels: [{id: "900000000000000010", name: general}]}
`

// recorded keeps the events of commits.
type recorded struct {
	mu    sync.Mutex
	list  []events.Event
	stray []store.Subject // of events whose change does not write to the subject
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

// take returns the events since the last call, one line each: the name, the audience, and the change of the audience.
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
		lines = append(lines, eventLine(e))
	}
	if len(r.stray) > 0 {
		t.Errorf("events about %v, but their changes do not write to these subjects", r.stray)
	}
	r.list = nil
	return lines
}

func eventLine(e events.Event) string {
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

// openRecorded returns a directory that holds eventWorld, and records its events from then on.
func openRecorded(t *testing.T) (*fixture, *recorded) {
	t.Helper()
	d, events := open(t), &recorded{}
	d.Store.Subscribe(events.committed)
	d.ApplyText(t, eventWorld)
	events.take(t)
	return d, events
}

// TestEvents makes every kind of change and compares the events.
func TestEvents(t *testing.T) {
	t.Parallel()
	d, recorded := openRecorded(t)
	ctx := t.Context()
	const general snowflake.Channel = 900000000000000010
	member := world.Member{User: bobUser}
	for _, tt := range []struct {
		name string
		do   func() error
		want []string
	}{
		{"create member", func() error { _, err := d.PutMember(ctx, labGuild, member); return err }, []string{
			"GUILD_MEMBER_ADD guild but [700000000000000002] intents 2 change {Guild:900000000000000001 Joined:700000000000000002 Left:0 Closed:false Everything:false Recheck:false}",
		}},
		{"same member again", func() error { _, err := d.PutMember(ctx, labGuild, member); return err }, nil},
		{"update member", func() error {
			_, err := d.PutMember(ctx, labGuild, world.Member{User: bobUser, Nick: "B"})
			return err
		}, []string{
			"GUILD_MEMBER_UPDATE guild but [700000000000000002] intents 2", "GUILD_MEMBER_UPDATE user 700000000000000002",
		}},
		{"create role", func() error {
			_, err := d.PutRole(ctx, labGuild, world.Role{ID: 900000000000000301, Name: "mods"})
			return err
		}, []string{"GUILD_ROLE_CREATE guild intents 1"}},
		{"update role", func() error {
			_, err := d.PutRole(ctx, labGuild, world.Role{ID: 900000000000000301, Name: "mod"})
			return err
		}, []string{"GUILD_ROLE_UPDATE guild intents 1"}},
		{"delete role", func() error { return d.Guilds.DeleteRole(ctx, labGuild, 900000000000000301) }, []string{"GUILD_ROLE_DELETE guild intents 1"}},
		{"create channel", func() error {
			_, err := d.PutChannel(ctx, labGuild, world.Channel{ID: 900000000000000020, Name: "random"})
			return err
		}, []string{"CHANNEL_CREATE guild intents 1"}},
		{"update channel", func() error {
			_, err := d.PutChannel(ctx, labGuild, world.Channel{ID: 900000000000000020, Name: "off-topic"})
			return err
		}, []string{"CHANNEL_UPDATE guild intents 1"}},
		{"create thread", func() error {
			_, err := d.PutChannel(ctx, labGuild, world.Channel{ID: 900000000000000021, Name: "talk", Type: world.PublicThread, Parent: general})
			return err
		}, []string{"THREAD_CREATE guild intents 1"}},
		{"delete channel with threads", func() error { return d.Guilds.DeleteChannel(ctx, labGuild, general) }, []string{
			"CHANNEL_DELETE guild intents 1",
		}},
		{"install bot", func() error {
			_, err := d.PutGuildInstall(ctx, labGuild, world.GuildInstall{Application: echoApp, Scopes: []string{"bot"}, Permissions: 8})
			return err
		}, []string{
			"INTEGRATION_CREATE guild intents 16", "GUILD_INTEGRATIONS_UPDATE guild intents 16",
			"GUILD_APPLICATION_COMMAND_INDEX_UPDATE guild kinds 2", "GUILD_ROLE_CREATE guild intents 1",
			"GUILD_MEMBER_ADD guild but [1300000000000000001] intents 2 change {Guild:900000000000000001 Joined:1300000000000000001 Left:0 Closed:false Everything:false Recheck:false}",
		}},
		{"update bot member", func() error {
			_, err := d.PutMember(ctx, labGuild, world.Member{User: snowflake.User(echoApp), Nick: "E"})
			return err
		}, []string{
			"GUILD_MEMBER_UPDATE guild but [1300000000000000001] intents 2", "GUILD_MEMBER_UPDATE bot 1300000000000000001",
		}},
		{"delete install", func() error { return d.Guilds.DeleteInstall(ctx, labGuild, echoApp) }, []string{
			"GUILD_ROLE_DELETE guild intents 1", "INTEGRATION_DELETE guild intents 16", "GUILD_INTEGRATIONS_UPDATE guild intents 16",
			"GUILD_APPLICATION_COMMAND_INDEX_UPDATE guild kinds 2",
			"GUILD_MEMBER_REMOVE guild but [1300000000000000001] intents 2 change {Guild:900000000000000001 Joined:0 Left:1300000000000000001 Closed:false Everything:false Recheck:false}",
		}},
		{"open direct message", func() error {
			_, err := d.Channels.OpenDirect(ctx, adaUser, []snowflake.User{snowflake.User(echoApp)})
			return err
		}, []string{
			"CHANNEL_CREATE user 700000000000000001",
		}},
		{"update user", func() error { _, err := d.PutUser(ctx, world.User{ID: bobUser, Username: "bobby"}); return err }, []string{
			"USER_UPDATE user 700000000000000002",
		}},
		{"delete user", func() error { return d.Users.Delete(ctx, bobUser) }, []string{
			" user 700000000000000002 change {Guild:0 Joined:0 Left:0 Closed:false Everything:false Recheck:true}",
			"GUILD_MEMBER_REMOVE guild but [700000000000000002] intents 2 change {Guild:900000000000000001 Joined:0 Left:700000000000000002 Closed:false Everything:false Recheck:false}",
		}},
		{"update guild", func() error {
			_, err := d.PutGuild(ctx, world.Guild{ID: labGuild, Name: "Labs", Owner: adaUser})
			return err
		}, []string{
			"GUILD_UPDATE guild intents 1",
		}},
		{"create guild", func() error {
			_, err := d.PutGuild(ctx, world.Guild{ID: 900000000000000002, Name: "New", Owner: adaUser})
			return err
		}, []string{
			"GUILD_MEMBER_ADD guild but [700000000000000001] intents 2 change {Guild:900000000000000002 Joined:700000000000000001 Left:0 Closed:false Everything:false Recheck:false}",
		}},
		{"delete guild", func() error { return d.Guilds.Delete(ctx, labGuild) }, []string{
			"GUILD_DELETE guild intents 1 change {Guild:900000000000000001 Joined:0 Left:0 Closed:true Everything:false Recheck:false}",
		}},
		{"failed deletion", func() error {
			if d.Guilds.Delete(ctx, labGuild) == nil {
				t.Error("a deleted guild can be deleted again")
			}
			return nil
		}, nil},
		{"reset", func() error { _, err := d.Reset(ctx, lab.Parse(t, eventWorld)); return err }, []string{
			" change {Guild:0 Joined:0 Left:0 Closed:false Everything:true Recheck:true}",
		}},
	} {
		if err := tt.do(); err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if diff := cmp.Diff(slices.Concat([]string{}, tt.want), slices.Concat([]string{}, recorded.take(t))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// TestManyEvents writes more records in one transaction than are announced one by one.
func TestManyEvents(t *testing.T) {
	t.Parallel()
	d, recorded := openRecorded(t)
	var w world.World
	g := world.Guild{ID: labGuild, Name: "Lab", Owner: adaUser}
	for i := range 1100 {
		id := snowflake.User(700000000000001000 + i)
		w.Users = append(w.Users, world.User{ID: id, Username: fmt.Sprint("user", i)})
		g.Members = append(g.Members, world.Member{User: id})
	}
	w.Guilds = []world.Guild{g}
	if _, err := d.Apply(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	if got := recorded.take(t); len(got) != 1 || !strings.Contains(got[0], "Everything:true") {
		t.Errorf("%d events, want one that says that everything changed", len(got))
	}
}
