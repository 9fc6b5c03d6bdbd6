package provision_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/provision"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/testkit/lab"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/google/go-cmp/cmp"
)

// findings returns the codes of a *jsonbody.Tree by path.
func findings(t *testing.T, err error) map[string][]jsonbody.Code {
	t.Helper()
	tree, ok := errors.AsType[*jsonbody.Tree](err)
	if !ok {
		t.Fatalf("error = %v, want a *jsonbody.Tree", err)
	}
	return tree.Flat()
}

func TestApplyTwiceChangesNothing(t *testing.T) {
	t.Parallel()
	for name, w := range map[string]world.World{"lab": lab.Parse(t, lab.World), "demo": world.Demo(), "empty": {}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := open(t)
			if _, err := d.Apply(t.Context(), w); err != nil {
				t.Fatal(err)
			}
			before := d.export(t)
			d.Now.Time = lab.Start.Add(time.Hour)
			applied, err := d.Apply(t.Context(), w)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(provision.Applied{}, applied); diff != "" {
				t.Errorf("second Apply() (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(before, d.export(t)); diff != "" {
				t.Errorf("second Apply() changed (-before +after):\n%s", diff)
			}
		})
	}
}

func TestTakenTokens(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.ApplyText(t, lab.World)
	_, err := d.Apply(t.Context(), lab.Parse(t, `
users: [{id: 202, username: cleo, token: user-bob}, {id: 203, username: dan, token: bot-echo}]
applications: [{id: 101, name: Two, bot_token: user-ada, owner: 200}]`))
	want := map[string][]jsonbody.Code{
		"users.0.token": {provision.Taken}, "users.1.token": {provision.Taken}, "applications.0.bot_token": {provision.Taken},
	}
	if diff := cmp.Diff(want, findings(t, err)); diff != "" {
		t.Errorf("Apply() (-want +got):\n%s", diff)
	}
	if strings.Contains(err.Error(), "user-bob") {
		t.Error("the error contains a token")
	}
}

func TestListLimits(t *testing.T) {
	t.Parallel()
	d := open(t)
	roles := make([]world.Role, world.MaxRoles)
	for i := range roles {
		roles[i].ID = snowflake.Role(1000 + i)
	}
	_, err := d.Apply(t.Context(), world.World{
		Users:        []world.User{{ID: 200, Username: "ada"}},
		Applications: []world.Application{{ID: 100, Name: "Echo"}},
		Guilds:       []world.Guild{{ID: 300, Roles: roles}},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]jsonbody.Code{"roles": {jsonbody.MaxLength}}
	_, err = d.PutRole(t.Context(), 300, world.Role{ID: 1})
	if diff := cmp.Diff(want, findings(t, err)); diff != "" {
		t.Errorf("PutRole() (-want +got):\n%s", diff)
	}
	_, err = d.PutGuildInstall(t.Context(), 300, world.GuildInstall{Application: 100, Scopes: []string{"bot"}, Permissions: 8})
	if diff := cmp.Diff(want, findings(t, err)); diff != "" {
		t.Errorf("PutInstall() (-want +got):\n%s", diff)
	}
	_, err = d.PutRole(t.Context(), 300, world.Role{ID: 1000, Name: "again"})
	if err != nil {
		t.Errorf("PutRole() = %v of an existing role", err)
	}
}
