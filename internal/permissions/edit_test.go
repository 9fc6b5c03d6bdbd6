package permissions_test

import (
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/permissions"
	"github.com/bellhop/bellhop/internal/registry"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/cache"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/google/go-cmp/cmp"
)

// The users, roles and channels of the guild that the editing tests use.
const (
	owner, manager, member, stranger snowflake.User    = 210, 211, 212, 213
	boss                             snowflake.User    = 214
	low, middle, high                snowflake.Role    = 321, 322, 323
	secret                           snowflake.Channel = 315
)

var (
	globalScope = command.Scope{Application: echo}
	guildScope  = command.Scope{Application: echo, Guild: guild}
)

// editFixture is an Editor over its own store, with a guild.
type editFixture struct {
	*permissions.Editor

	store  store.Store
	events *recordedEvents
}

func openEditor(t *testing.T) editFixture {
	t.Helper()
	db, err := sqlite.OpenVolatile(t.Context(), filepath.Join(t.TempDir(), "bellhop.db"), clock.System{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	recorded := &recordedEvents{}
	db.Subscribe(recorded.committed)
	now := clock.NewMovable(clock.System{})
	ids := store.NewIDs(1, now.Now, time.Time{})
	commands := registry.New(cache.New(db, 64<<20), now, ids)
	f := editFixture{&permissions.Editor{Store: db, Commands: commands, Clock: now}, db, recorded}
	f.addGuild(t)
	return f
}

// addGuild stores the application, the guild and its members.
func (d editFixture) addGuild(t *testing.T) {
	t.Helper()
	const manage = permission.ManageGuild | permission.ManageRoles
	everyone := permission.ViewChannel | permission.SendMessages | permission.UseApplicationCommands
	err := store.Decide(t.Context(), d.store, func(tx *store.Tx) error {
		return tx.Put(
			store.Application{ID: echo, Name: "Echo", Owner: owner, Activities: true},
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
}

func (d editFixture) create(t *testing.T, scope command.Scope, body string) *command.Command {
	t.Helper()
	c, _, err := d.Commands.Create(t.Context(), scope, envOf(scope), []byte(body))
	if err != nil {
		t.Fatalf("Create(%s) = %v", body, err)
	}
	return c
}

func envOf(s command.Scope) command.Env {
	return command.Env{Guild: !s.Global(), Supported: []command.IntegrationType{command.GuildInstall, command.UserInstall}, Embedded: true}
}

// put replaces a permission set as a user.
func (d editFixture) put(t *testing.T, by snowflake.User, id snowflake.Command, entries ...permission.Entry) error {
	t.Helper()
	_, err := d.Replace(t.Context(), permissions.Edit{Application: echo, Guild: guild, ID: id, By: by, Entries: entries})
	return err
}

func (d editFixture) mustPut(t *testing.T, id snowflake.Command, entries ...permission.Entry) {
	t.Helper()
	if err := d.put(t, owner, id, entries...); err != nil {
		t.Fatalf("Replace(%v) = %v", id, err)
	}
}

// setIDs returns the ids that have permission sets, and checks that Set returns the same sets as Sets.
func (d editFixture) setIDs(t *testing.T) []snowflake.Command {
	t.Helper()
	sets, err := d.Sets(t.Context(), echo, guild)
	if err != nil {
		t.Fatalf("Sets() = %v", err)
	}
	var ids []snowflake.Command
	for _, s := range sets {
		ids = append(ids, s.ID)
		one, err := d.Set(t.Context(), &store.Application{ID: echo, Activities: true}, guild, s.ID)
		if diff := cmp.Diff(s, one); err != nil || diff != "" {
			t.Errorf("Set(%v) = %v, differs from Sets() (-all +one):\n%s", s.ID, err, diff)
		}
	}
	return ids
}

// TestWhoMayEdit checks the conditions for editing permissions one by one. The numbers refer to the specification.
func TestWhoMayEdit(t *testing.T) {
	t.Parallel()
	everyone := permission.Entry{ID: permission.Everyone(guild), Type: permission.ForRole}
	allChannels := permission.Entry{ID: permission.AllChannels(guild), Type: permission.ForChannel}
	for _, tt := range []struct {
		name    string
		by      snowflake.User
		stored  []permission.Entry // by the owner, before the edit
		ofApp   bool
		entries []permission.Entry
		want    error
	}{
		{name: "2: not a member", by: stranger, want: permissions.ErrMayNotEdit},
		{name: "3: a member who manages nothing", by: member, want: permissions.ErrMissingManage},
		{name: "3 to 5: the owner passes", by: owner, entries: []permission.Entry{forRole(high, false), forUser(boss, true), forChannel(secret, true), allChannels}},
		{name: "3 to 5: an administrator passes", by: boss, entries: []permission.Entry{forRole(high, false), forChannel(secret, true), allChannels}},
		{name: "4: cannot run the command", by: manager, stored: []permission.Entry{forRole(middle, false)}, want: permissions.ErrMayNotEdit},
		{name: "4: of the application too", by: manager, ofApp: true, stored: []permission.Entry{forUser(manager, false)}, want: permissions.ErrMayNotEdit},
		{name: "4: a denied channel does not count", by: manager, stored: []permission.Entry{allChannels}, entries: []permission.Entry{allChannels}},
		{name: "5: a role below", by: manager, entries: []permission.Entry{forRole(low, false)}},
		{name: "5: the editor's highest role", by: manager, entries: []permission.Entry{forRole(middle, true)}, want: permissions.ErrMayNotEdit},
		{name: "5: a role above", by: manager, entries: []permission.Entry{forRole(high, true)}, want: permissions.ErrMayNotEdit},
		{name: "5: everyone", by: manager, entries: []permission.Entry{everyone}},
		{name: "5: a user below", by: manager, entries: []permission.Entry{forUser(member, false)}},
		{name: "5: the editor", by: manager, entries: []permission.Entry{forUser(manager, true)}},
		{name: "5: a user above", by: manager, entries: []permission.Entry{forUser(boss, true)}, want: permissions.ErrMayNotEdit},
		{name: "5: a channel that the editor manages", by: manager, entries: []permission.Entry{forChannel(general, false)}},
		{name: "5: a channel that the editor does not manage", by: manager, entries: []permission.Entry{forChannel(secret, false)}, want: permissions.ErrMayNotEdit},
		{name: "5: all channels, with one that the editor does not manage", by: manager, entries: []permission.Entry{allChannels}, want: permissions.ErrMayNotEdit},
		{
			name: "unchanged entries are not affected", by: manager,
			stored: []permission.Entry{forRole(high, true), forChannel(secret, false)}, entries: []permission.Entry{forChannel(secret, false), forRole(high, true), forRole(low, true)},
		},
		{
			name: "removed entries are affected", by: manager,
			stored: []permission.Entry{forRole(high, true)}, entries: []permission.Entry{forRole(low, true)}, want: permissions.ErrMayNotEdit,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := openEditor(t)
			id := d.create(t, globalScope, `{"name":"roll","description":"Roll dice"}`).ID
			if tt.ofApp {
				id = snowflake.Command(echo)
			}
			d.mustPut(t, id, tt.stored...)
			if err := d.put(t, tt.by, id, tt.entries...); !errors.Is(err, tt.want) {
				t.Errorf("Replace() = %v, want %v", err, tt.want)
			}
		})
	}
}

// TestEntryTargets checks that the guild must have the target of an entry.
func TestEntryTargets(t *testing.T) {
	t.Parallel()
	d := openEditor(t)
	id := d.create(t, globalScope, `{"name":"roll","description":"Roll dice"}`).ID
	for _, tt := range []struct {
		name  string
		entry permission.Entry
		want  error
	}{
		{"unknown role", forRole(5, true), permissions.ErrNoSuchRole},
		{"a channel's id for a role", forRole(snowflake.Role(general), true), permissions.ErrNoSuchRole},
		{"user who is not a member", forUser(stranger, true), permissions.ErrNoSuchMember},
		{"unknown channel", forChannel(5, true), permissions.ErrNoSuchChannel},
		{"thread", forChannel(thread, true), permissions.ErrNoSuchChannel},
		{"everyone as a channel", permission.Entry{ID: permission.Everyone(guild), Type: permission.ForChannel}, permissions.ErrNoSuchChannel},
		{"all channels as a role", permission.Entry{ID: permission.AllChannels(guild), Type: permission.ForRole}, permissions.ErrNoSuchRole},
	} {
		if err := d.put(t, owner, id, tt.entry); !errors.Is(err, tt.want) {
			t.Errorf("%s: Replace() = %v, want %v", tt.name, err, tt.want)
		}
		if err := d.put(t, manager, id, tt.entry); !errors.Is(err, tt.want) {
			t.Errorf("%s, by an editor who is not an administrator: %v, want %v", tt.name, err, tt.want)
		}
	}
	if err := d.put(t, member, id, forRole(5, true)); !errors.Is(err, permissions.ErrMissingManage) {
		t.Errorf("an editor who may edit nothing learns which targets exist: %v", err)
	}
	if sets := d.setIDs(t); len(sets) != 0 {
		t.Errorf("refused edits stored sets of %v", sets)
	}
}

func TestReplace(t *testing.T) {
	t.Parallel()

	t.Run("the last entry for a target counts, in the given order", func(t *testing.T) {
		t.Parallel()
		d := openEditor(t)
		id := d.create(t, globalScope, `{"name":"roll","description":"Roll dice"}`).ID
		given := []permission.Entry{forUser(member, true), forRole(low, false), forUser(member, false), forChannel(general, true)}
		got, err := d.Replace(t.Context(), permissions.Edit{Application: echo, Guild: guild, ID: id, By: owner, Entries: given})
		want := store.OverwriteSet{Guild: guild, Application: echo, ID: id, Entries: []store.OverwriteEntry{
			{ID: snowflake.Target(low), Type: 1}, {ID: snowflake.Target(member), Type: 2}, {ID: snowflake.Target(general), Type: 3, Allow: true},
		}}
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("Replace() = %v (-want +got):\n%s", err, diff)
		}
		again, err := d.Set(t.Context(), &store.Application{ID: echo}, guild, id)
		if diff := cmp.Diff(want, again); err != nil || diff != "" {
			t.Errorf("Set() = %v (-want +got):\n%s", err, diff)
		}
	})

	t.Run("an edit without entries deletes the set", func(t *testing.T) {
		t.Parallel()
		d := openEditor(t)
		id := d.create(t, guildScope, `{"name":"roll","description":"Roll dice"}`).ID
		d.mustPut(t, id, forRole(low, true))
		d.mustPut(t, snowflake.Command(echo), forRole(low, true))
		d.mustPut(t, id)
		if _, err := d.Set(t.Context(), &store.Application{ID: echo}, guild, id); !errors.Is(err, permissions.ErrUnknownPermissions) {
			t.Errorf("Set() = %v", err)
		}
		if got := d.setIDs(t); !slices.Equal(got, []snowflake.Command{snowflake.Command(echo)}) {
			t.Errorf("sets left: %v", got)
		}
	})

	t.Run("only commands of the guild and the application have sets", func(t *testing.T) {
		t.Parallel()
		d := openEditor(t)
		elsewhere := d.create(t, command.Scope{Application: echo, Guild: guild + 100}, `{"name":"roll","description":"Roll dice"}`).ID
		others := d.create(t, command.Scope{Application: echo + 1}, `{"name":"roll","description":"Roll dice"}`).ID
		hidden := d.create(t, globalScope, `{"type":4,"name":"launch","handler":2}`).ID
		for _, id := range []snowflake.Command{elsewhere, others, 5, snowflake.Command(guild)} {
			if err := d.put(t, owner, id, forRole(low, true)); !errors.Is(err, registry.ErrUnknownCommand) {
				t.Errorf("Replace(%v) = %v, want %v", id, err, registry.ErrUnknownCommand)
			}
			if _, err := d.Set(t.Context(), &store.Application{ID: echo}, guild, id); !errors.Is(err, registry.ErrUnknownCommand) {
				t.Errorf("Set(%v) = %v, want %v", id, err, registry.ErrUnknownCommand)
			}
		}
		d.mustPut(t, hidden, forRole(low, true)) // while the application has activities
		if err := d.CheckTarget(t.Context(), &store.Application{ID: echo}, guild, hidden); !errors.Is(err, registry.ErrUnknownCommand) {
			t.Errorf("CheckTarget() of a hidden entry point = %v", err)
		}
	})
}

// TestSetsDeletedWithCommands checks that deleting and renaming a command deletes its permission sets.
func TestSetsDeletedWithCommands(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		scope  command.Scope
		change func(t *testing.T, d editFixture, c *command.Command)
		stays  bool
	}{
		{"delete", globalScope, func(t *testing.T, d editFixture, c *command.Command) {
			if err := d.Commands.Delete(t.Context(), c.Scope, c.ID); err != nil {
				t.Fatal(err)
			}
		}, false},
		{"delete in a guild", guildScope, func(t *testing.T, d editFixture, c *command.Command) {
			if err := d.Commands.Delete(t.Context(), c.Scope, c.ID); err != nil {
				t.Fatal(err)
			}
		}, false},
		{"rename", globalScope, func(t *testing.T, d editFixture, c *command.Command) {
			for _, name := range []string{"throw", "roll"} {
				if _, err := d.Commands.Patch(t.Context(), c.Scope, envOf(c.Scope), c.ID, []byte(`{"name":"`+name+`"}`)); err != nil {
					t.Fatal(err)
				}
			}
		}, false},
		{"edit without a rename", globalScope, func(t *testing.T, d editFixture, c *command.Command) {
			if _, err := d.Commands.Patch(t.Context(), c.Scope, envOf(c.Scope), c.ID, []byte(`{"name":"roll","description":"Throw dice"}`)); err != nil {
				t.Fatal(err)
			}
		}, true},
		{"overwrite by create", guildScope, func(t *testing.T, d editFixture, c *command.Command) {
			d.create(t, c.Scope, `{"name":"roll","description":"Throw dice"}`)
		}, true},
		{"bulk without it", guildScope, func(t *testing.T, d editFixture, c *command.Command) {
			if _, err := d.Commands.Overwrite(t.Context(), c.Scope, envOf(c.Scope), []byte(`[`+`{"name":"other","description":"x"}`+`]`)); err != nil {
				t.Fatal(err)
			}
		}, false},
		{"bulk that renames it", globalScope, func(t *testing.T, d editFixture, c *command.Command) {
			list := `[{"id":"` + c.ID.String() + `","name":"throw","description":"x"}]`
			if _, err := d.Commands.Overwrite(t.Context(), c.Scope, envOf(c.Scope), []byte(list)); err != nil {
				t.Fatal(err)
			}
		}, false},
		{"bulk with it", globalScope, func(t *testing.T, d editFixture, c *command.Command) {
			if _, err := d.Commands.Overwrite(t.Context(), c.Scope, envOf(c.Scope), []byte(`[`+`{"name":"roll","description":"y"}`+`,`+`{"name":"other","description":"x"}`+`]`)); err != nil {
				t.Fatal(err)
			}
		}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := openEditor(t)
			c := d.create(t, tt.scope, `{"name":"roll","description":"Roll dice"}`)
			d.mustPut(t, c.ID, forRole(low, true))
			d.mustPut(t, snowflake.Command(echo), forRole(low, true))
			d.setIDs(t) // fill the cache
			tt.change(t, d, c)
			want := []snowflake.Command{snowflake.Command(echo)}
			if tt.stays {
				want = append(want, c.ID)
			}
			if got := d.setIDs(t); !slices.Equal(got, want) {
				t.Errorf("sets left: %v, want %v", got, want)
			}
		})
	}
}

// TestSetsConcurrently renames a command and replaces its set concurrently with reads. A read must never show a new
// name with the set of the old one, and the last event must match the stored set.
func TestSetsConcurrently(t *testing.T) {
	t.Parallel()
	d := openEditor(t)
	c := d.create(t, globalScope, `{"name":"a0","description":"x"}`)
	d.mustPut(t, c.ID, forUser(member, true))
	var wg sync.WaitGroup
	done := make(chan struct{})
	for range 2 {
		wg.Go(func() { // the name that ends in 1 comes by a rename, which deletes the set
			for {
				select {
				case <-done:
					return
				default:
				}
				commands, err := d.Commands.GuildCommands(t.Context(), echo, guild)
				if err != nil {
					t.Error(err)
					return
				}
				if name := commands.Global.Commands[0].Name; commands.Sets.Of(c.ID) != nil && !strings.HasSuffix(name, "0") {
					t.Errorf("%q has the set of the other name", name)
				}
			}
		})
	}
	for range 40 {
		for _, name := range []string{"b1", "a0"} {
			if _, err := d.Commands.Patch(t.Context(), globalScope, envOf(globalScope), c.ID, []byte(`{"name":"`+name+`"}`)); err != nil {
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
		set, err := d.Set(t.Context(), &store.Application{ID: echo}, guild, c.ID)
		if err != nil {
			t.Fatalf("Set() = %v", err)
		}
		if last := d.events.list[len(d.events.list)-1]; set.Entries[0].Allow != last.Permissions[0].Permission {
			t.Fatalf("stored %v, last event %v", set.Entries, last.Permissions)
		}
	}
	close(done)
	wg.Wait()
}

// TestSetsAndDeletesConcurrently deletes a command while its permission set is replaced. No set may be left.
func TestSetsAndDeletesConcurrently(t *testing.T) {
	t.Parallel()
	d := openEditor(t)
	for round := range 30 {
		c := d.create(t, globalScope, fmt.Sprintf(`{"name":"c%d","description":"x"}`, round))
		var wg sync.WaitGroup
		for _, entries := range [][]permission.Entry{{forRole(low, true)}, {forUser(member, true)}} {
			wg.Go(func() {
				if err := d.put(t, owner, c.ID, entries...); err != nil && !errors.Is(err, registry.ErrUnknownCommand) {
					t.Error(err)
				}
			})
		}
		wg.Go(func() {
			if err := d.Commands.Delete(t.Context(), globalScope, c.ID); err != nil {
				t.Error(err)
			}
		})
		wg.Wait()
		var sets []store.OverwriteSet
		err := d.store.Read(t.Context(), func(r store.Reader) (err error) {
			sets, err = r.Commands.OverwritesOf(echo, 10)
			return err
		})
		if err != nil || len(sets) != 0 {
			t.Fatalf("round %d: %d sets of a deleted command are left, %v", round, len(sets), err)
		}
		if got := d.setIDs(t); len(got) != 0 {
			t.Fatalf("round %d: the cache shows sets of %v", round, got)
		}
	}
}
