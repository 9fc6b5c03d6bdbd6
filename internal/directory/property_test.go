package directory_test

import (
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/provision"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/testkit/lab"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// There are few ids, so that records refer to each other.
var (
	anyUser    = rapid.Map(rapid.Uint64Range(200, 203), func(n uint64) snowflake.User { return snowflake.User(n) })
	anyApp     = rapid.Map(rapid.Uint64Range(100, 102), func(n uint64) snowflake.Application { return snowflake.Application(n) })
	anyGuild   = rapid.Map(rapid.Uint64Range(300, 301), func(n uint64) snowflake.Guild { return snowflake.Guild(n * 10) })
	anyRole    = rapid.Map(rapid.Uint64Range(400, 402), func(n uint64) snowflake.Role { return snowflake.Role(n) })
	anyChannel = rapid.Map(rapid.Uint64Range(500, 505), func(n uint64) snowflake.Channel { return snowflake.Channel(n) })
	anyBits    = rapid.Map(rapid.Uint64Range(0, 3), func(n uint64) permission.Bits { return permission.Bits(n << 3) })
	anyScopes  = rapid.SampledFrom([][]string{nil, {"bot"}})
)

func drawUser(t *rapid.T) world.User {
	return world.User{ID: anyUser.Draw(t, "user"), Username: rapid.StringMatching(`[a-z]{1,4}`).Draw(t, "username")}
}

func drawApplication(t *rapid.T) world.Application {
	return world.Application{
		ID: anyApp.Draw(t, "application"), Name: "Echo", Owner: anyUser.Draw(t, "owner"), Activities: rapid.Bool().Draw(t, "activities"),
	}
}

func drawRole(t *rapid.T) world.Role {
	return world.Role{ID: anyRole.Draw(t, "role"), Permissions: anyBits.Draw(t, "permissions")}
}

func drawChannel(t *rapid.T) world.Channel {
	c := world.Channel{ID: anyChannel.Draw(t, "channel"), Type: rapid.SampledFrom([]int{0, 4, 11}).Draw(t, "type")}
	if c.Type == 11 || (c.Type == 0 && rapid.Bool().Draw(t, "has parent")) {
		c.Parent = anyChannel.Draw(t, "parent")
	}
	if c.Type != 11 && rapid.Bool().Draw(t, "has overwrites") {
		c.Overwrites = []world.Overwrite{
			{ID: snowflake.Target(anyRole.Draw(t, "role")), Allow: 8},
			{ID: snowflake.Target(anyUser.Draw(t, "member")), Type: 1, Deny: 8},
		}
	}
	return c
}

func drawMember(t *rapid.T) world.Member {
	m := world.Member{User: anyUser.Draw(t, "member")}
	if rapid.Bool().Draw(t, "is a bot") {
		m.User = snowflake.User(anyApp.Draw(t, "bot"))
	}
	if rapid.Bool().Draw(t, "has a role") {
		m.Roles = []snowflake.Role{anyRole.Draw(t, "role")}
	}
	return m
}

func drawInstall(t *rapid.T) world.GuildInstall {
	return world.GuildInstall{Application: anyApp.Draw(t, "application"), Scopes: anyScopes.Draw(t, "scopes"), Permissions: anyBits.Draw(t, "permissions")}
}

// referencesWorld is a world in which nearly every record refers to another.
const referencesWorld = `
users: [{id: 200, username: ada}, {id: 201, username: bob}, {id: 202, username: cleo}]
applications: [{id: 100, name: Echo, owner: 200}, {id: 101, name: Two, owner: 201}]
guilds:
  - id: 3000
    owner: 200
    roles: [{id: 400}, {id: 401}]
    channels:
      - {id: 500, type: 4, permission_overwrites: [{id: 400, allow: 8}, {id: 202, type: 1, deny: 8}]}
      - {id: 501, parent: 500, permission_overwrites: [{id: 401, allow: 8}, {id: 100, type: 1, deny: 8}]}
      - {id: 502, type: 11, parent: 501}
    members: [{user: 201, roles: [400]}, {user: 202, roles: [400, 401]}, {user: 100, roles: [401]}]
    installs: [{application: 100, scopes: [bot], permissions: 8}, {application: 101}]
  - id: 3010
    owner: 201
    installs: [{application: 100, scopes: [bot]}]
user_installs: [{user: 202, application: 100}, {user: 200, application: 101}]
`

// TestRandomChanges makes random changes. After each of them, applying the export changes nothing, and a directory made
// from the export is equal: no change leaves a dangling reference.
func TestRandomChanges(t *testing.T) {
	t.Parallel()
	d, copied := open(t), open(t)
	ctx := t.Context()
	crowded := lab.Parse(t, referencesWorld)
	rapid.Check(t, func(t *rapid.T) {
		if _, err := d.Reset(ctx, crowded); err != nil {
			t.Fatal(err)
		}
		// did fails for all errors except those of rules.
		did := func(err error) {
			_, refused := errors.AsType[*jsonbody.Tree](err)
			for _, known := range []error{
				directory.ErrUnknownUser, directory.ErrUnknownApplication, directory.ErrUnknownGuild, directory.ErrUnknownRole,
				directory.ErrUnknownChannel, directory.ErrUnknownMember, directory.ErrNotInstalled, directory.ErrOwner,
			} {
				refused = refused || errors.Is(err, known)
			}
			if err != nil && !refused {
				t.Fatalf("%v", err)
			}
		}
		put := func(_ provision.Applied, err error) { did(err) }
		actions := map[string]func(*rapid.T){
			"put user":        func(t *rapid.T) { put(d.PutUser(ctx, drawUser(t))) },
			"put application": func(t *rapid.T) { put(d.PutApplication(ctx, drawApplication(t))) },
			"put guild": func(t *rapid.T) {
				put(d.PutGuild(ctx, world.Guild{
					ID: anyGuild.Draw(t, "guild"), Owner: anyUser.Draw(t, "owner"),
					Roles:    rapid.SliceOfNDistinct(rapid.Custom(drawRole), 0, 2, func(r world.Role) snowflake.Role { return r.ID }).Draw(t, "roles"),
					Channels: rapid.SliceOfNDistinct(rapid.Custom(drawChannel), 0, 3, func(c world.Channel) snowflake.Channel { return c.ID }).Draw(t, "channels"),
					Members:  rapid.SliceOfNDistinct(rapid.Custom(drawMember), 0, 2, func(m world.Member) snowflake.User { return m.User }).Draw(t, "members"),
					Installs: rapid.SliceOfNDistinct(rapid.Custom(drawInstall), 0, 2, func(i world.GuildInstall) snowflake.Application { return i.Application }).Draw(t, "installs"),
				}))
			},
			"put role":    func(t *rapid.T) { put(d.PutRole(ctx, anyGuild.Draw(t, "guild"), drawRole(t))) },
			"put channel": func(t *rapid.T) { put(d.PutChannel(ctx, anyGuild.Draw(t, "guild"), drawChannel(t))) },
			"put member":  func(t *rapid.T) { put(d.PutMember(ctx, anyGuild.Draw(t, "guild"), drawMember(t))) },
			"put install": func(t *rapid.T) { put(d.PutGuildInstall(ctx, anyGuild.Draw(t, "guild"), drawInstall(t))) },
			"put user install": func(t *rapid.T) {
				put(d.PutUserInstall(ctx, world.UserInstall{User: anyUser.Draw(t, "user"), Application: anyApp.Draw(t, "application")}))
			},
			"delete user":        func(t *rapid.T) { did(d.Users.Delete(ctx, anyUser.Draw(t, "user"))) },
			"delete application": func(t *rapid.T) { did(d.Applications.Delete(ctx, anyApp.Draw(t, "application"))) },
			"delete guild":       func(t *rapid.T) { did(d.Guilds.Delete(ctx, anyGuild.Draw(t, "guild"))) },
			"delete role":        func(t *rapid.T) { did(d.Guilds.DeleteRole(ctx, anyGuild.Draw(t, "guild"), anyRole.Draw(t, "role"))) },
			"delete channel": func(t *rapid.T) {
				did(d.Guilds.DeleteChannel(ctx, anyGuild.Draw(t, "guild"), anyChannel.Draw(t, "channel")))
			},
			"delete member": func(t *rapid.T) { did(d.Guilds.DeleteMember(ctx, anyGuild.Draw(t, "guild"), drawMember(t).User)) },
			"delete install": func(t *rapid.T) {
				did(d.Guilds.DeleteInstall(ctx, anyGuild.Draw(t, "guild"), anyApp.Draw(t, "application")))
			},
			"delete user install": func(t *rapid.T) {
				did(d.Users.DeleteInstall(ctx, anyUser.Draw(t, "user"), anyApp.Draw(t, "application")))
			},
			"copy": func(t *rapid.T) {
				w, err := provision.Export(ctx, d.Directory)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := copied.Reset(ctx, w); err != nil {
					t.Fatalf("Reset(Export()) = %v", err)
				}
				again, err := provision.Export(ctx, copied.Directory)
				if diff := cmp.Diff(w, again); err != nil || diff != "" {
					t.Fatalf("Export() of a copy: %v (-want +got):\n%s", err, diff)
				}
			},
		}
		names := slices.Sorted(maps.Keys(actions))
		for range rapid.IntRange(1, 8).Draw(t, "changes") {
			actions[rapid.SampledFrom(names).Draw(t, "change")](t)
			w, err := provision.Export(ctx, d.Directory)
			if err != nil {
				t.Fatal(err)
			}
			if applied, err := d.Apply(ctx, w); err != nil || applied.Changed != 0 {
				t.Fatalf("Apply(Export()) = %+v, %v, want no change", applied, err)
			}
		}
	})
}

// TestExportAsFile applies the exported world file.
func TestExportAsFile(t *testing.T) {
	t.Parallel()
	d := open(t)
	if _, err := d.Apply(t.Context(), world.Demo()); err != nil {
		t.Fatal(err)
	}
	text, err := d.export(t).YAML()
	if err != nil {
		t.Fatal(err)
	}
	if applied := d.ApplyText(t, string(text)); applied.Changed != 0 {
		t.Errorf("Apply() of the exported file = %+v, want no change", applied)
	}
}
