package directory_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/google/go-cmp/cmp"
)

func TestPlace(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.apply(t, lab)
	p := get[*directory.Place](t)(d.Place(t.Context(), 300))

	t.Run("a thread has what its parent has", func(t *testing.T) {
		t.Parallel()
		parent, thread := p.Channel(311), p.Channel(312)
		if !thread.Thread || thread.Parent != 311 || parent.Thread || parent.Parent != 0 {
			t.Errorf("parent %+v, thread %+v", parent, thread)
		}
		if diff := cmp.Diff(parent.Overwrites, thread.Overwrites); diff != "" || len(parent.Overwrites) != 4 {
			t.Errorf("overwrites of parent and thread differ:\n%s", diff)
		}
		if p.Channel(310).TakesCommands() || !parent.TakesCommands() || !thread.TakesCommands() || p.Channel(5) != nil {
			t.Error("commands are for channels that people can be in")
		}
	})

	t.Run("members have their roles, and a timeout until it ends", func(t *testing.T) {
		t.Parallel()
		m := store.Member{Guild: 300, User: 201, Roles: []snowflake.Role{301}, TimeoutUntil: start.Add(time.Hour)}
		if rights := p.Member(m, start.Add(time.Hour)).Permissions(); !rights.Has(permission.ManageGuild) {
			t.Errorf("Permissions() = %v after the timeout", rights)
		}
		if rights := p.Member(m, start).Permissions(); rights.Has(permission.ManageGuild) {
			t.Errorf("Permissions() = %v during the timeout", rights)
		}
	})

	t.Run("installed is what may have commands", func(t *testing.T) {
		t.Parallel()
		if !p.Installed(100) || p.Installed(101) {
			t.Errorf("Installs = %+v", p.Installs)
		}
	})

	t.Run("there is none of an unknown guild", func(t *testing.T) {
		t.Parallel()
		if _, err := d.Place(t.Context(), 5); !errors.Is(err, directory.ErrUnknownGuild) {
			t.Errorf("Place() = %v", err)
		}
		if _, err := d.Where(t.Context(), 5); !errors.Is(err, directory.ErrUnknownChannel) {
			t.Errorf("Where() = %v", err)
		}
	})
}

// glance is everything about places that is kept in memory, as it is shown.
type glance struct {
	Name     string
	Channels []snowflake.Channel
	Installs []snowflake.Application
	Rights   permission.Bits // of member 201
	Member   bool            // 201 is one
	Nick     string
	Roles    []snowflake.Role // of member 200
	Where    snowflake.Guild  // is channel 312
	Own      []snowflake.Application
}

func (d *desk) glance(t *testing.T) (g glance) {
	t.Helper()
	ctx := t.Context()
	m, err := d.Member(ctx, 300, 201)
	g.Member, g.Nick = err == nil, m.Nick
	if ada, err := d.Member(ctx, 300, 200); err == nil {
		g.Roles = ada.Roles
	}
	if p, err := d.Place(ctx, 300); err == nil {
		g.Name = p.Name
		for _, c := range p.Channels {
			g.Channels = append(g.Channels, c.ID)
		}
		for _, i := range p.Installs {
			g.Installs = append(g.Installs, i.Application)
		}
		g.Rights = p.Member(m, d.clock.now).Permissions()
	}
	if w, err := d.Where(ctx, 312); err == nil {
		g.Where = w.Guild
	}
	if own, err := d.UserInstalls(ctx, 201); err == nil {
		for _, i := range own {
			g.Own = append(g.Own, i.Application)
		}
	}
	return g
}

// TestPlacesFollow makes every kind of change with everything in memory. What is shown afterwards is what a directory
// shows that has nothing in memory.
func TestPlacesFollow(t *testing.T) {
	t.Parallel()
	everyone := permission.ViewChannel
	for _, tt := range []struct {
		name   string
		change func(ctx context.Context, d *desk) error
		same   bool // nothing that is shown changes
	}{
		{name: "guild", change: func(ctx context.Context, d *desk) error {
			_, err := d.PutGuild(ctx, world.Guild{ID: 300, Name: "Shed", Owner: 200, Everyone: &everyone})
			return err
		}},
		{name: "guild goes", change: func(ctx context.Context, d *desk) error { return d.DeleteGuild(ctx, 300) }},
		{name: "role", change: func(ctx context.Context, d *desk) error {
			_, err := d.PutRole(ctx, 300, world.Role{ID: 301, Name: "mods", Permissions: permission.BanMembers})
			return err
		}, same: true},
		{name: "role goes", change: func(ctx context.Context, d *desk) error { return d.DeleteRole(ctx, 300, 301) }},
		{name: "channel", change: func(ctx context.Context, d *desk) error {
			_, err := d.PutChannel(ctx, 300, world.Channel{ID: 320, Name: "new"})
			return err
		}},
		{name: "channel goes with its threads", change: func(ctx context.Context, d *desk) error { return d.DeleteChannel(ctx, 300, 311) }},
		{name: "member", change: func(ctx context.Context, d *desk) error {
			_, err := d.PutMember(ctx, 300, world.Member{User: 201, Nick: "Bobby"})
			return err
		}},
		{name: "member goes", change: func(ctx context.Context, d *desk) error { return d.DeleteMember(ctx, 300, 201) }},
		{name: "user goes", change: func(ctx context.Context, d *desk) error { return d.DeleteUser(ctx, 201) }},
		{name: "install", change: func(ctx context.Context, d *desk) error {
			_, err := d.Apply(ctx, world.World{
				Applications: []world.Application{{ID: 101, Name: "Two", Owner: 200}},
				Guilds:       []world.Guild{{ID: 300, Name: "Lab", Owner: 200, Installs: []world.GuildInstall{{Application: 101}}}},
				UserInstalls: []world.UserInstall{{User: 201, Application: 101}},
			})
			return err
		}},
		{name: "install goes", change: func(ctx context.Context, d *desk) error { return d.DeleteGuildInstall(ctx, 300, 100) }},
		{name: "own install goes", change: func(ctx context.Context, d *desk) error { return d.DeleteUserInstall(ctx, 201, 100) }},
		{name: "application goes", change: func(ctx context.Context, d *desk) error { return d.DeleteApplication(ctx, 100) }},
		{name: "everything goes", change: func(ctx context.Context, d *desk) error {
			_, err := d.Reset(ctx, world.World{})
			return err
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := open(t)
			d.apply(t, lab)
			before := d.glance(t)
			views := d.db.views.Load()
			if again := d.glance(t); d.db.views.Load() != views || cmp.Diff(before, again) != "" {
				t.Fatalf("a second look reads the store %d times", d.db.views.Load()-views)
			}
			if err := tt.change(t.Context(), d); err != nil {
				t.Fatal(err)
			}
			after := d.glance(t)
			if same := cmp.Diff(before, after) == ""; same != tt.same {
				t.Errorf("the change is seen: %v", !same)
			}
			fresh := newDesk(d.db.Store)
			if diff := cmp.Diff(fresh.glance(t), after); diff != "" {
				t.Errorf("memory is wrong (-store +memory):\n%s", diff)
			}
		})
	}
}

// TestEntriesGo deletes what entries of permission sets speak of.
func TestEntriesGo(t *testing.T) {
	t.Parallel()
	role := store.OverwriteEntry{ID: 301, Type: 1, Allow: true}
	user := store.OverwriteEntry{ID: 201, Type: 2, Allow: true}
	channel := store.OverwriteEntry{ID: 311, Type: 3, Allow: true}
	sameID := store.OverwriteEntry{ID: 311, Type: 1, Allow: true} // of another kind
	for _, tt := range []struct {
		name   string
		change func(ctx context.Context, d *desk) error
		left   []store.OverwriteEntry
	}{
		{
			"role", func(ctx context.Context, d *desk) error { return d.DeleteRole(ctx, 300, 301) },
			[]store.OverwriteEntry{user, channel, sameID},
		},
		{
			"member", func(ctx context.Context, d *desk) error { return d.DeleteMember(ctx, 300, 201) },
			[]store.OverwriteEntry{role, channel, sameID},
		},
		{
			"user", func(ctx context.Context, d *desk) error { return d.DeleteUser(ctx, 201) },
			[]store.OverwriteEntry{role, channel, sameID},
		},
		{
			"channel", func(ctx context.Context, d *desk) error { return d.DeleteChannel(ctx, 300, 311) },
			[]store.OverwriteEntry{role, user, sameID},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := open(t)
			d.apply(t, lab)
			d.seed(t,
				store.OverwriteSet{Guild: 300, Application: 100, ID: 7, Entries: []store.OverwriteEntry{role, user, channel, sameID}},
				store.OverwriteSet{Guild: 300, Application: 101, ID: 8, Entries: []store.OverwriteEntry{role}})
			if err := tt.change(t.Context(), d); err != nil {
				t.Fatal(err)
			}
			var left []store.OverwriteEntry
			err := d.db.Read(t.Context(), func(r store.Reader) error {
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
