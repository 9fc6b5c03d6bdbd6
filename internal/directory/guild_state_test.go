package directory_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/testkit/lab"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/google/go-cmp/cmp"
)

func TestGuildState(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.ApplyText(t, lab.World)
	p := lab.Get[*directory.GuildState](t)(d.Guilds.State(t.Context(), 300))

	t.Run("a thread has the overwrites of its parent", func(t *testing.T) {
		t.Parallel()
		parent, thread := p.Channel(311), p.Channel(312)
		if !thread.Thread || thread.Parent != 311 || parent.Thread || parent.Parent != 0 {
			t.Errorf("parent %+v, thread %+v", parent, thread)
		}
		if diff := cmp.Diff(parent.Overwrites, thread.Overwrites); diff != "" || len(parent.Overwrites) != 4 {
			t.Errorf("overwrites of parent and thread differ:\n%s", diff)
		}
		if p.Channel(310).TakesCommands() || !parent.TakesCommands() || !thread.TakesCommands() || p.Channel(5) != nil {
			t.Error("TakesCommands() is wrong")
		}
	})

	t.Run("members have roles and timeouts", func(t *testing.T) {
		t.Parallel()
		m := store.Member{Guild: 300, User: 201, Roles: []snowflake.Role{301}, TimeoutUntil: lab.Start.Add(time.Hour)}
		if rights := p.Member(m, lab.Start.Add(time.Hour)).Permissions(); !rights.Has(permission.ManageGuild) {
			t.Errorf("Permissions() = %v after the timeout", rights)
		}
		if rights := p.Member(m, lab.Start).Permissions(); rights.Has(permission.ManageGuild) {
			t.Errorf("Permissions() = %v during the timeout", rights)
		}
	})

	t.Run("installed applications may have commands", func(t *testing.T) {
		t.Parallel()
		if !p.Installed(100) || p.Installed(101) {
			t.Errorf("Installs = %+v", p.Installs)
		}
	})

	t.Run("unknown guild and channel", func(t *testing.T) {
		t.Parallel()
		if _, err := d.Guilds.State(t.Context(), 5); !errors.Is(err, directory.ErrUnknownGuild) {
			t.Errorf("State() = %v", err)
		}
		if _, err := d.Channels.Channel(t.Context(), 5); !errors.Is(err, directory.ErrUnknownChannel) {
			t.Errorf("Channel() = %v", err)
		}
	})
}

// cachedReads are the results of reads that use the cache.
type cachedReads struct {
	Name     string
	Channels []snowflake.Channel
	Installs []snowflake.Application
	Rights   permission.Bits // of user 201
	Member   bool            // whether user 201 is a member
	Nick     string
	Roles    []snowflake.Role // of member 200
	Guild    snowflake.Guild  // of channel 312
	Own      []snowflake.Application
}

func (d *fixture) cachedReads(t *testing.T) (g cachedReads) {
	t.Helper()
	ctx := t.Context()
	m, err := d.Guilds.Member(ctx, 300, 201)
	g.Member, g.Nick = err == nil, m.Nick
	if ada, err := d.Guilds.Member(ctx, 300, 200); err == nil {
		g.Roles = ada.Roles
	}
	if p, err := d.Guilds.State(ctx, 300); err == nil {
		g.Name = p.Name
		for _, c := range p.Channels {
			g.Channels = append(g.Channels, c.ID)
		}
		for _, i := range p.Installs {
			g.Installs = append(g.Installs, i.Application)
		}
		g.Rights = p.Member(m, d.Now.Time).Permissions()
	}
	if c, err := d.Channels.Channel(ctx, 312); err == nil {
		g.Guild = c.Guild
	}
	if own, err := d.Users.Installs(ctx, 201); err == nil {
		for _, i := range own {
			g.Own = append(g.Own, i.Application)
		}
	}
	return g
}

// TestCacheFollowsChanges makes every kind of change with a full cache, and compares the reads with those of an empty
// cache.
func TestCacheFollowsChanges(t *testing.T) {
	t.Parallel()
	everyone := permission.ViewChannel
	for _, tt := range []struct {
		name   string
		change func(ctx context.Context, d *fixture) error
		same   bool // the reads do not change
	}{
		{name: "guild", change: func(ctx context.Context, d *fixture) error {
			_, err := d.PutGuild(ctx, world.Guild{ID: 300, Name: "Workshop", Owner: 200, Everyone: &everyone})
			return err
		}},
		{name: "guild deleted", change: func(ctx context.Context, d *fixture) error { return d.Guilds.Delete(ctx, 300) }},
		{name: "role", change: func(ctx context.Context, d *fixture) error {
			_, err := d.PutRole(ctx, 300, world.Role{ID: 301, Name: "mods", Permissions: permission.BanMembers})
			return err
		}, same: true},
		{name: "role deleted", change: func(ctx context.Context, d *fixture) error { return d.Guilds.DeleteRole(ctx, 300, 301) }},
		{name: "channel", change: func(ctx context.Context, d *fixture) error {
			_, err := d.PutChannel(ctx, 300, world.Channel{ID: 320, Name: "new"})
			return err
		}},
		{name: "channel with threads deleted", change: func(ctx context.Context, d *fixture) error { return d.Guilds.DeleteChannel(ctx, 300, 311) }},
		{name: "member", change: func(ctx context.Context, d *fixture) error {
			_, err := d.PutMember(ctx, 300, world.Member{User: 201, Nick: "Bobby"})
			return err
		}},
		{name: "member deleted", change: func(ctx context.Context, d *fixture) error { return d.Guilds.DeleteMember(ctx, 300, 201) }},
		{name: "user deleted", change: func(ctx context.Context, d *fixture) error { return d.Users.Delete(ctx, 201) }},
		{name: "install", change: func(ctx context.Context, d *fixture) error {
			_, err := d.Apply(ctx, world.World{
				Applications: []world.Application{{ID: 101, Name: "Two", Owner: 200}},
				Guilds:       []world.Guild{{ID: 300, Name: "Lab", Owner: 200, Installs: []world.GuildInstall{{Application: 101}}}},
				UserInstalls: []world.UserInstall{{User: 201, Application: 101}},
			})
			return err
		}},
		{name: "install deleted", change: func(ctx context.Context, d *fixture) error { return d.Guilds.DeleteInstall(ctx, 300, 100) }},
		{name: "own install deleted", change: func(ctx context.Context, d *fixture) error { return d.Users.DeleteInstall(ctx, 201, 100) }},
		{name: "application deleted", change: func(ctx context.Context, d *fixture) error { return d.Applications.Delete(ctx, 100) }},
		{name: "reset", change: func(ctx context.Context, d *fixture) error {
			_, err := d.Reset(ctx, world.World{})
			return err
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := open(t)
			d.ApplyText(t, lab.World)
			before := d.cachedReads(t)
			views := d.Store.Reads.Load()
			if again := d.cachedReads(t); d.Store.Reads.Load() != views || cmp.Diff(before, again) != "" {
				t.Fatalf("repeated reads read the store %d times", d.Store.Reads.Load()-views)
			}
			if err := tt.change(t.Context(), d); err != nil {
				t.Fatal(err)
			}
			after := d.cachedReads(t)
			if same := cmp.Diff(before, after) == ""; same != tt.same {
				t.Errorf("the reads changed: %v", !same)
			}
			fresh := newFixture(d.Store.Store)
			if diff := cmp.Diff(fresh.cachedReads(t), after); diff != "" {
				t.Errorf("the cache is wrong (-store +cache):\n%s", diff)
			}
		})
	}
}

// TestPermissionEntriesRemoved deletes records that the permission entries of commands name.
func TestPermissionEntriesRemoved(t *testing.T) {
	t.Parallel()
	role := store.OverwriteEntry{ID: 301, Type: 1, Allow: true}
	user := store.OverwriteEntry{ID: 201, Type: 2, Allow: true}
	channel := store.OverwriteEntry{ID: 311, Type: 3, Allow: true}
	sameID := store.OverwriteEntry{ID: 311, Type: 1, Allow: true} // another type
	for _, tt := range []struct {
		name   string
		change func(ctx context.Context, d *fixture) error
		left   []store.OverwriteEntry
	}{
		{
			"role", func(ctx context.Context, d *fixture) error { return d.Guilds.DeleteRole(ctx, 300, 301) },
			[]store.OverwriteEntry{user, channel, sameID},
		},
		{
			"member", func(ctx context.Context, d *fixture) error { return d.Guilds.DeleteMember(ctx, 300, 201) },
			[]store.OverwriteEntry{role, channel, sameID},
		},
		{
			"user", func(ctx context.Context, d *fixture) error { return d.Users.Delete(ctx, 201) },
			[]store.OverwriteEntry{role, channel, sameID},
		},
		{
			"channel", func(ctx context.Context, d *fixture) error { return d.Guilds.DeleteChannel(ctx, 300, 311) },
			[]store.OverwriteEntry{role, user, sameID},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := open(t)
			d.ApplyText(t, lab.World)
			d.Seed(t,
				store.OverwriteSet{Guild: 300, Application: 100, ID: 7, Entries: []store.OverwriteEntry{role, user, channel, sameID}},
				store.OverwriteSet{Guild: 300, Application: 101, ID: 8, Entries: []store.OverwriteEntry{role}})
			if err := tt.change(t.Context(), d); err != nil {
				t.Fatal(err)
			}
			var left []store.OverwriteEntry
			err := d.Store.Read(t.Context(), func(r store.Reader) error {
				sets, err := r.Commands.Overwrites(100, 300)
				for _, s := range sets {
					left = append(left, s.Entries...)
				}
				return err
			})
			if err != nil || !slices.Equal(left, tt.left) {
				t.Errorf("%v are left, want %v (%v)", left, tt.left, err)
			}
		})
	}
}
