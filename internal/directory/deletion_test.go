package directory_test

import (
	"errors"
	"testing"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/testkit/lab"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/google/go-cmp/cmp"
)

// overwritten returns the ids in the overwrites of a channel.
func (d *fixture) overwritten(t *testing.T, id snowflake.Channel) []snowflake.Target {
	t.Helper()
	var ids []snowflake.Target
	for _, o := range lab.Get[*store.Channel](t)(d.Channels.Channel(t.Context(), id)).Overwrites {
		ids = append(ids, o.ID)
	}
	return ids
}

func TestDelete(t *testing.T) {
	t.Parallel()

	t.Run("a role is removed from members and channels", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		d.ApplyText(t, lab.World)
		if err := d.Guilds.DeleteRole(t.Context(), 300, 301); err != nil {
			t.Fatal(err)
		}
		if m := lab.Get[store.Member](t)(d.Guilds.Member(t.Context(), 300, 200)); len(m.Roles) != 0 {
			t.Errorf("Member() = %+v", m)
		}
		if diff := cmp.Diff([]snowflake.Target{300, 201, 100}, d.overwritten(t, 311)); diff != "" {
			t.Errorf("overwrites (-want +got):\n%s", diff)
		}
		if g := lab.Get[*directory.GuildState](t)(d.Guilds.State(t.Context(), 300)); len(g.Roles) != 1 {
			t.Errorf("Roles = %+v", g.Roles)
		}
	})

	t.Run("a member is removed from channels", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		d.ApplyText(t, lab.World)
		if err := d.Guilds.DeleteMember(t.Context(), 300, 201); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]snowflake.Target{300, 301, 100}, d.overwritten(t, 311)); diff != "" {
			t.Errorf("overwrites (-want +got):\n%s", diff)
		}
		if _, err := d.Users.Install(t.Context(), 201, 100); err != nil {
			t.Errorf("UserInstall() = %v: leaving a guild keeps the user's own installs", err)
		}
	})

	t.Run("a user is removed from guilds with tokens and installs", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		d.ApplyText(t, lab.World)
		if err := d.Users.Delete(t.Context(), 201); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]snowflake.Target{300, 301, 100}, d.overwritten(t, 311)); diff != "" {
			t.Errorf("overwrites (-want +got):\n%s", diff)
		}
		if _, err := d.Guilds.Member(t.Context(), 300, 201); !errors.Is(err, directory.ErrUnknownMember) {
			t.Errorf("Member() = %v", err)
		}
		if w := d.export(t); len(w.UserInstalls) != 0 || len(w.Users) != 1 {
			t.Errorf("Export() = %+v", w)
		}
		if d.Accepts(t, "user-bob") {
			t.Error("the token is still accepted")
		}
	})

	t.Run("the owner of an application cannot be deleted", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		d.ApplyText(t, lab.World)
		if _, err := d.PutApplication(t.Context(), world.Application{ID: 101, Name: "Two", Owner: 201}); err != nil {
			t.Fatal(err)
		}
		if err := d.Users.Delete(t.Context(), 201); !errors.Is(err, directory.ErrOwner) {
			t.Errorf("Users.Delete() = %v, want %v", err, directory.ErrOwner)
		}
		if _, err := d.Guilds.Member(t.Context(), 300, 201); err != nil {
			t.Errorf("Member() = %v after a refused delete", err)
		}
	})

	t.Run("channels of a category stay, threads of a channel are deleted", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		d.ApplyText(t, lab.World)
		if err := d.Guilds.DeleteChannel(t.Context(), 300, 310); err != nil {
			t.Fatal(err)
		}
		if c := lab.Get[*store.Channel](t)(d.Channels.Channel(t.Context(), 311)); c.Parent != 0 {
			t.Errorf("Channel() = %+v, want no parent", c)
		}
		if err := d.Guilds.DeleteChannel(t.Context(), 300, 311); err != nil {
			t.Fatal(err)
		}
		if c := lab.Get[[]store.Channel](t)(d.Guilds.Channels(t.Context(), 300)); len(c) != 0 {
			t.Errorf("Channels() = %+v, want none", c)
		}
	})

	t.Run("the roles that an application manages are deleted", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		d.ApplyText(t, lab.World)
		d.ApplyText(t, "guilds: [{id: 300, owner: 200, roles: [{id: 302, managed: 100}, {id: 303, managed: 100}]}]")
		if err := d.Applications.Delete(t.Context(), 100); err != nil {
			t.Fatal(err)
		}
		if applied, err := d.Apply(t.Context(), d.export(t)); err != nil || applied.Changed != 0 {
			t.Errorf("Apply(Export()) = %+v, %v, want no change", applied, err)
		}
	})

	t.Run("removing a bot deletes its install", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		d.ApplyText(t, lab.World)
		if err := d.Guilds.DeleteMember(t.Context(), 300, 100); err != nil {
			t.Fatal(err)
		}
		if _, err := d.Guilds.Install(t.Context(), 300, 100); !errors.Is(err, directory.ErrNotInstalled) {
			t.Errorf("Install() = %v", err)
		}
		if diff := cmp.Diff([]snowflake.Target{300, 301, 201}, d.overwritten(t, 311)); diff != "" {
			t.Errorf("overwrites (-want +got):\n%s", diff)
		}
	})

	t.Run("an application is removed from guilds and users", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		d.ApplyText(t, lab.World)
		if err := d.Applications.Delete(t.Context(), 100); err != nil {
			t.Fatal(err)
		}
		w := d.export(t)
		if len(w.Applications)+len(w.UserInstalls)+len(w.Guilds[0].Installs) != 0 || len(w.Guilds[0].Members) != 2 {
			t.Errorf("Export() = %+v", w)
		}
	})

	t.Run("deleting a guild keeps users and applications", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		d.ApplyText(t, lab.World)
		if err := d.Guilds.Delete(t.Context(), 300); err != nil {
			t.Fatal(err)
		}
		w := d.export(t)
		if len(w.Guilds) != 0 || len(w.Users) != 2 || len(w.Applications) != 1 {
			t.Errorf("Export() = %+v", w)
		}
		if err := d.Users.DeleteInstall(t.Context(), 201, 100); err != nil {
			t.Errorf("Users.DeleteInstall() = %v", err)
		}
	})
}
