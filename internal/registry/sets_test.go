package registry_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/events"
	"github.com/bellhop/bellhop/internal/registry"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/wire"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
)

// The people and places of the guild.
const (
	owner, manager, member, stranger snowflake.User    = 700000000000000001, 700000000000000002, 700000000000000003, 700000000000000004
	boss                             snowflake.User    = 700000000000000005
	low, middle, high                snowflake.Role    = 1200000000000000011, 1200000000000000012, 1200000000000000013
	general, secret, thread          snowflake.Channel = 1200000000000000021, 1200000000000000022, 1200000000000000023
)

// furnish makes the guild, its people and the application.
func (d desk) furnish(t *testing.T) desk {
	t.Helper()
	const manage = permission.ManageGuild | permission.ManageRoles
	everyone := permission.ViewChannel | permission.SendMessages | permission.UseApplicationCommands
	err := store.Decide(t.Context(), d.store, func(tx *store.Tx) error {
		return tx.Put(
			store.Application{ID: app, Name: "Echo", Owner: owner, Activities: true},
			store.Guild{ID: guild, Name: "Lab", Owner: owner, Everyone: everyone},
			store.Role{ID: low, Guild: guild, Position: 1},
			store.Role{ID: middle, Guild: guild, Position: 2, Permissions: manage | permission.ManageChannels},
			store.Role{ID: high, Guild: guild, Position: 3, Permissions: permission.Administrator},
			store.Member{Guild: guild, User: owner},
			store.Member{Guild: guild, User: manager, Roles: []snowflake.Role{middle}},
			store.Member{Guild: guild, User: member, Roles: []snowflake.Role{low}},
			store.Member{Guild: guild, User: boss, Roles: []snowflake.Role{high}},
			store.Channel{ID: general, Guild: guild},
			store.Channel{ID: secret, Guild: guild, Overwrites: []store.ChannelOverwrite{
				{ID: snowflake.Target(middle), Type: world.RoleOverwrite, Deny: permission.ManageChannels},
			}},
			store.Channel{ID: thread, Guild: guild, Type: world.PublicThread, Parent: general},
		)
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
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

// put replaces a permission set as somebody.
func (d desk) put(t *testing.T, by snowflake.User, id snowflake.Command, entries ...permission.Entry) error {
	t.Helper()
	_, err := d.SetOverwrites(t.Context(), registry.Edit{Application: app, Guild: guild, ID: id, By: by, Entries: entries})
	return err
}

func (d desk) mustPut(t *testing.T, id snowflake.Command, entries ...permission.Entry) {
	t.Helper()
	if err := d.put(t, owner, id, entries...); err != nil {
		t.Fatalf("SetOverwrites(%v) = %v", id, err)
	}
}

// withSets returns which commands have permission sets, and checks that single reads say the same.
func (d desk) withSets(t *testing.T) []snowflake.Command {
	t.Helper()
	sets, err := d.Overwrites(t.Context(), app, guild)
	if err != nil {
		t.Fatalf("Overwrites() = %v", err)
	}
	var ids []snowflake.Command
	for _, s := range sets {
		ids = append(ids, s.ID)
		one, err := d.OverwritesOf(t.Context(), &store.Application{ID: app, Activities: true}, guild, s.ID)
		if diff := cmp.Diff(s, one); err != nil || diff != "" {
			t.Errorf("OverwritesOf(%v) = %v, and Overwrites() differs (-all +one):\n%s", s.ID, err, diff)
		}
	}
	return ids
}

// TestWhoMayPut goes through the conditions for editing permissions, each with what fails it alone.
func TestWhoMayPut(t *testing.T) {
	t.Parallel()
	everyone := permission.Entry{ID: permission.Everyone(guild), Type: permission.ForRole}
	allChannels := permission.Entry{ID: permission.AllChannels(guild), Type: permission.ForChannel}
	for _, tt := range []struct {
		name    string
		by      snowflake.User
		stored  []permission.Entry // by the owner, before
		ofApp   bool
		entries []permission.Entry
		want    error
	}{
		{name: "2: not a member", by: stranger, want: registry.ErrMayNotEdit},
		{name: "3: a member who manages nothing", by: member, want: registry.ErrMissingManage},
		{name: "3 to 5: the owner passes", by: owner, entries: []permission.Entry{forRole(high, false), forUser(boss, true), forChannel(secret, true), allChannels}},
		{name: "3 to 5: an administrator passes", by: boss, entries: []permission.Entry{forRole(high, false), forChannel(secret, true), allChannels}},
		{name: "4: cannot run the command", by: manager, stored: []permission.Entry{forRole(middle, false)}, want: registry.ErrMayNotEdit},
		{name: "4: of the application too", by: manager, ofApp: true, stored: []permission.Entry{forUser(manager, false)}, want: registry.ErrMayNotEdit},
		{name: "4: a channel that denies is no matter", by: manager, stored: []permission.Entry{allChannels}, entries: []permission.Entry{allChannels}},
		{name: "5: a role below", by: manager, entries: []permission.Entry{forRole(low, false)}},
		{name: "5: the own highest role", by: manager, entries: []permission.Entry{forRole(middle, true)}, want: registry.ErrMayNotEdit},
		{name: "5: a role above", by: manager, entries: []permission.Entry{forRole(high, true)}, want: registry.ErrMayNotEdit},
		{name: "5: everyone", by: manager, entries: []permission.Entry{everyone}},
		{name: "5: a user below", by: manager, entries: []permission.Entry{forUser(member, false)}},
		{name: "5: oneself", by: manager, entries: []permission.Entry{forUser(manager, true)}},
		{name: "5: a user above", by: manager, entries: []permission.Entry{forUser(boss, true)}, want: registry.ErrMayNotEdit},
		{name: "5: a channel that one manages", by: manager, entries: []permission.Entry{forChannel(general, false)}},
		{name: "5: a channel that one does not manage", by: manager, entries: []permission.Entry{forChannel(secret, false)}, want: registry.ErrMayNotEdit},
		{name: "5: all channels, of which one is not managed", by: manager, entries: []permission.Entry{allChannels}, want: registry.ErrMayNotEdit},
		{
			name: "what stays as it is is not affected", by: manager,
			stored: []permission.Entry{forRole(high, true), forChannel(secret, false)}, entries: []permission.Entry{forChannel(secret, false), forRole(high, true), forRole(low, true)},
		},
		{
			name: "what goes is affected", by: manager,
			stored: []permission.Entry{forRole(high, true)}, entries: []permission.Entry{forRole(low, true)}, want: registry.ErrMayNotEdit,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := open(t).furnish(t)
			id := d.create(t, global, definition("roll", "Roll dice")).ID
			if tt.ofApp {
				id = snowflake.Command(app)
			}
			d.mustPut(t, id, tt.stored...)
			if err := d.put(t, tt.by, id, tt.entries...); !errors.Is(err, tt.want) {
				t.Errorf("SetOverwrites() = %v, want %v", err, tt.want)
			}
		})
	}
}

// TestWhatEntriesSpeakOf holds entries to what the guild has.
func TestWhatEntriesSpeakOf(t *testing.T) {
	t.Parallel()
	d := open(t).furnish(t)
	id := d.create(t, global, definition("roll", "Roll dice")).ID
	for _, tt := range []struct {
		name  string
		entry permission.Entry
		want  error
	}{
		{"unknown role", forRole(5, true), registry.ErrNoSuchRole},
		{"a channel's id for a role", forRole(snowflake.Role(general), true), registry.ErrNoSuchRole},
		{"user who is no member", forUser(stranger, true), registry.ErrNoSuchMember},
		{"unknown channel", forChannel(5, true), registry.ErrNoSuchChannel},
		{"thread", forChannel(thread, true), registry.ErrNoSuchChannel},
		{"everyone as a channel", permission.Entry{ID: permission.Everyone(guild), Type: permission.ForChannel}, registry.ErrNoSuchChannel},
		{"all channels as a role", permission.Entry{ID: permission.AllChannels(guild), Type: permission.ForRole}, registry.ErrNoSuchRole},
	} {
		if err := d.put(t, owner, id, tt.entry); !errors.Is(err, tt.want) {
			t.Errorf("%s: SetOverwrites() = %v, want %v", tt.name, err, tt.want)
		}
		if err := d.put(t, manager, id, tt.entry); !errors.Is(err, tt.want) {
			t.Errorf("%s, by somebody who is no administrator: %v, want %v", tt.name, err, tt.want)
		}
	}
	if err := d.put(t, member, id, forRole(5, true)); !errors.Is(err, registry.ErrMissingManage) {
		t.Errorf("who may edit nothing learns what exists: %v", err)
	}
	if sets := d.withSets(t); len(sets) != 0 {
		t.Errorf("refused edits left sets of %v", sets)
	}
}

func TestSetOverwrites(t *testing.T) {
	t.Parallel()

	t.Run("the last entry for the same thing counts, in the order given", func(t *testing.T) {
		t.Parallel()
		d := open(t).furnish(t)
		id := d.create(t, global, definition("roll", "Roll dice")).ID
		given := []permission.Entry{forUser(member, true), forRole(low, false), forUser(member, false), forChannel(general, true)}
		got, err := d.SetOverwrites(t.Context(), registry.Edit{Application: app, Guild: guild, ID: id, By: owner, Entries: given})
		want := store.OverwriteSet{Guild: guild, Application: app, ID: id, Entries: []store.OverwriteEntry{
			{ID: snowflake.Target(low), Type: 1}, {ID: snowflake.Target(member), Type: 2}, {ID: snowflake.Target(general), Type: 3, Allow: true},
		}}
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("SetOverwrites() = %v (-want +got):\n%s", err, diff)
		}
		again, err := d.OverwritesOf(t.Context(), &store.Application{ID: app}, guild, id)
		if diff := cmp.Diff(want, again); err != nil || diff != "" {
			t.Errorf("OverwritesOf() = %v (-want +got):\n%s", err, diff)
		}
	})

	t.Run("no entries remove the set", func(t *testing.T) {
		t.Parallel()
		d := open(t).furnish(t)
		id := d.create(t, inGuild, definition("roll", "Roll dice")).ID
		d.mustPut(t, id, forRole(low, true))
		d.mustPut(t, snowflake.Command(app), forRole(low, true))
		d.mustPut(t, id)
		if _, err := d.OverwritesOf(t.Context(), &store.Application{ID: app}, guild, id); !errors.Is(err, registry.ErrUnknownPermissions) {
			t.Errorf("OverwritesOf() = %v", err)
		}
		if got := d.withSets(t); !slices.Equal(got, []snowflake.Command{snowflake.Command(app)}) {
			t.Errorf("sets of %v are left", got)
		}
	})

	t.Run("only commands in reach and the application have sets", func(t *testing.T) {
		t.Parallel()
		d := open(t).furnish(t)
		elsewhere := d.create(t, command.Scope{Application: app, Guild: guild + 100}, definition("roll", "Roll dice")).ID
		others := d.create(t, command.Scope{Application: app + 1}, definition("roll", "Roll dice")).ID
		hidden := d.create(t, global, `{"type":4,"name":"launch","handler":2}`).ID
		for _, id := range []snowflake.Command{elsewhere, others, 5, snowflake.Command(guild)} {
			if err := d.put(t, owner, id, forRole(low, true)); !errors.Is(err, registry.ErrUnknownCommand) {
				t.Errorf("SetOverwrites(%v) = %v, want %v", id, err, registry.ErrUnknownCommand)
			}
			if _, err := d.OverwritesOf(t.Context(), &store.Application{ID: app}, guild, id); !errors.Is(err, registry.ErrUnknownCommand) {
				t.Errorf("OverwritesOf(%v) = %v, want %v", id, err, registry.ErrUnknownCommand)
			}
		}
		d.mustPut(t, hidden, forRole(low, true)) // while the application has Activities
		if err := d.Editable(t.Context(), &store.Application{ID: app}, guild, hidden); !errors.Is(err, registry.ErrUnknownCommand) {
			t.Errorf("Editable() = %v of a hidden entry point", err)
		}
	})
}

// TestSetsGoWithCommands holds the transitions of the specification: deleting and renaming drop permission sets, for good.
func TestSetsGoWithCommands(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		scope  command.Scope
		change func(t *testing.T, d desk, c *command.Command)
		stays  bool
	}{
		{"delete", global, func(t *testing.T, d desk, c *command.Command) {
			if err := d.Delete(t.Context(), c.Scope, c.ID); err != nil {
				t.Fatal(err)
			}
		}, false},
		{"delete in a guild", inGuild, func(t *testing.T, d desk, c *command.Command) {
			if err := d.Delete(t.Context(), c.Scope, c.ID); err != nil {
				t.Fatal(err)
			}
		}, false},
		{"rename", global, func(t *testing.T, d desk, c *command.Command) {
			for _, name := range []string{"throw", "roll"} {
				if _, err := d.Patch(t.Context(), c.Scope, env(c.Scope), c.ID, value(t, `{"name":"`+name+`"}`)); err != nil {
					t.Fatal(err)
				}
			}
		}, false},
		{"edit without a rename", global, func(t *testing.T, d desk, c *command.Command) {
			if _, err := d.Patch(t.Context(), c.Scope, env(c.Scope), c.ID, value(t, `{"name":"roll","description":"Throw dice"}`)); err != nil {
				t.Fatal(err)
			}
		}, true},
		{"overwrite by create", inGuild, func(t *testing.T, d desk, c *command.Command) {
			d.create(t, c.Scope, definition("roll", "Throw dice"))
		}, true},
		{"bulk without it", inGuild, func(t *testing.T, d desk, c *command.Command) {
			if _, err := d.Overwrite(t.Context(), c.Scope, env(c.Scope), value(t, `[`+definition("other", "x")+`]`)); err != nil {
				t.Fatal(err)
			}
		}, false},
		{"bulk that renames it", global, func(t *testing.T, d desk, c *command.Command) {
			list := `[{"id":"` + c.ID.String() + `","name":"throw","description":"x"}]`
			if _, err := d.Overwrite(t.Context(), c.Scope, env(c.Scope), value(t, list)); err != nil {
				t.Fatal(err)
			}
		}, false},
		{"bulk with it", global, func(t *testing.T, d desk, c *command.Command) {
			if _, err := d.Overwrite(t.Context(), c.Scope, env(c.Scope), value(t, `[`+definition("roll", "y")+`,`+definition("other", "x")+`]`)); err != nil {
				t.Fatal(err)
			}
		}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := open(t).furnish(t)
			c := d.create(t, tt.scope, definition("roll", "Roll dice"))
			d.mustPut(t, c.ID, forRole(low, true))
			d.mustPut(t, snowflake.Command(app), forRole(low, true))
			d.withSets(t) // they are in memory from here on
			tt.change(t, d, c)
			want := []snowflake.Command{snowflake.Command(app)}
			if tt.stays {
				want = append(want, c.ID)
			}
			if got := d.withSets(t); !slices.Equal(got, want) {
				t.Errorf("States and transitions: sets of %v are left, want %v", got, want)
			}
		})
	}
}

// recorded keeps events in the order in which they came.
type recorded struct {
	mu   sync.Mutex
	list []wire.CommandPermissions
	// pickers are the guilds whose people were told that other commands may be offered.
	pickers []snowflake.Guild
}

// committed notes the events of a change, each about a subject that the change writes to.
func (r *recorded) committed(c *store.Change) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range c.Events {
		if c.Expects(e.Subject) == nil {
			panic(fmt.Sprintf("%s is about %v, to which its change does not write", e.Name, e.Subject))
		}
		r.note(e.Event)
	}
}

func (r *recorded) note(e events.Event) {
	if e.Name == "GUILD_APPLICATION_COMMAND_INDEX_UPDATE" && e.To.Kinds == events.People && string(e.Data) == `{"guild_id":"`+e.To.Guild.String()+`"}` {
		r.pickers = append(r.pickers, e.To.Guild)
		return
	}
	var p wire.CommandPermissions
	if err := json.Unmarshal(e.Data, &p); err != nil || e.Name != "APPLICATION_COMMAND_PERMISSIONS_UPDATE" || e.To.Guild != p.GuildID || e.To.Kinds != events.Bots {
		panic(fmt.Sprintf("%s %s to %+v: %v", e.Name, e.Data, e.To, err))
	}
	r.list = append(r.list, p)
}

func TestPermissionEvents(t *testing.T) {
	t.Parallel()
	d := open(t).furnish(t)
	heard := d.heard
	c := d.create(t, global, definition("roll", "Roll dice"))
	d.mustPut(t, c.ID, forRole(low, true))
	d.mustPut(t, c.ID, forRole(low, true)) // as it was: told too
	d.mustPut(t, c.ID)
	if err := d.put(t, member, c.ID); err == nil {
		t.Fatal("a member may edit")
	}
	if err := d.Delete(t.Context(), global, c.ID); err != nil { // nothing is told of what goes with a command
		t.Fatal(err)
	}
	event := func(entries ...permission.Entry) wire.CommandPermissions {
		p := wire.CommandPermissions{ApplicationID: app, GuildID: guild, ID: c.ID, Permissions: []wire.PermissionEntry{}}
		for _, e := range entries {
			p.Permissions = append(p.Permissions, wire.PermissionEntry{ID: e.ID, Type: uint8(e.Type), Permission: e.Allow})
		}
		return p
	}
	want := []wire.CommandPermissions{event(forRole(low, true)), event(forRole(low, true)), event()}
	if diff := cmp.Diff(want, heard.list); diff != "" {
		t.Errorf("Gateway event (-want +got):\n%s", diff)
	}
}

// TestPickersHear: the people of a guild are told when its commands or who may use them change, and only then.
func TestPickersHear(t *testing.T) {
	t.Parallel()
	d := open(t).furnish(t)
	heard := d.heard
	want := func(what string, times int) {
		t.Helper()
		if len(heard.pickers) != times {
			t.Errorf("%s: told of %v, want %d times", what, heard.pickers, times)
		}
		heard.pickers = nil
	}
	c := d.create(t, global, definition("roll", "Roll dice"))
	want("a global command", 0)
	d.create(t, inGuild, definition("roll", "Roll dice"))
	want("a command of the guild", 1)
	d.create(t, inGuild, definition("roll", "Roll dice"))
	want("the same command again", 0)
	d.mustPut(t, c.ID, forRole(low, true))
	want("a permission set", 1)
}

// TestSetsConcurrently renames a command and puts its set from several sides while others read. A reader never sees the
// set of one name with another, and what was told last is what stands.
func TestSetsConcurrently(t *testing.T) {
	t.Parallel()
	d := open(t).furnish(t)
	heard := d.heard
	c := d.create(t, global, definition("a0", "x"))
	d.mustPut(t, c.ID, forUser(member, true))
	var wg sync.WaitGroup
	done := make(chan struct{})
	for range 2 {
		wg.Go(func() { // a set stands only beside a name that ends in 0: others are renamed to, which drops it
			for {
				select {
				case <-done:
					return
				default:
				}
				shelf, err := d.Shelf(t.Context(), app, guild)
				if err != nil {
					t.Error(err)
					return
				}
				if name := shelf.Global.Commands[0].Name; shelf.Sets.Of(c.ID) != nil && !strings.HasSuffix(name, "0") {
					t.Errorf("%q has the set of another name", name)
				}
			}
		})
	}
	for range 40 {
		for _, name := range []string{"b1", "a0"} {
			if _, err := d.Patch(t.Context(), global, env(global), c.ID, value(t, `{"name":"`+name+`"}`)); err != nil {
				t.Fatal(err)
			}
		}
		var puts sync.WaitGroup
		for _, allow := range []bool{true, false} {
			puts.Go(func() {
				if err := d.put(t, owner, c.ID, forUser(member, allow)); err != nil {
					t.Error(err)
				}
			})
		}
		puts.Wait()
		set, err := d.OverwritesOf(t.Context(), &store.Application{ID: app}, guild, c.ID)
		if err != nil {
			t.Fatalf("OverwritesOf() = %v", err)
		}
		if last := heard.list[len(heard.list)-1]; set.Entries[0].Allow != last.Permissions[0].Permission {
			t.Fatalf("%v stands, %v was told last", set.Entries, last.Permissions)
		}
	}
	close(done)
	wg.Wait()
}
