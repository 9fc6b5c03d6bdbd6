package provision_test

import (
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/provision"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/testkit/lab"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/google/go-cmp/cmp"
)

func TestReferences(t *testing.T) {
	t.Parallel()
	const text = `
users: [{id: 100, username: taken}, {id: 203, username: cleo}]
applications:
  - {id: 200, name: Taken, owner: 203}
  - {id: 102, name: Lost, owner: 999}
  - {id: 103, name: By a bot, owner: 100}
guilds:
  - id: 300
    owner: 998
    roles: [{id: 303, managed: 997}]
    channels:
      - {id: 400}
      - {id: 313, parent: 996}
      - {id: 314, parent: 311}
      - {id: 315, type: 11, parent: 310}
      - {id: 316, type: 11, parent: 312}
      - {id: 310, type: 0}
      - {id: 317, permission_overwrites: [{id: 995}, {id: 994, type: 1}, {id: 203, type: 1}, {id: 300}, {id: 301}, {id: 201, type: 1}]}
    members: [{user: 993}, {user: 201, roles: [301, 302]}]
    installs: [{application: 992}]
user_installs: [{user: 991, application: 100}, {user: 201, application: 990}]
`
	d := open(t)
	d.ApplyText(t, lab.World)
	d.ApplyText(t, "guilds: [{id: 390, owner: 200, channels: [{id: 400}]}]")
	before := d.export(t)
	_, err := d.Apply(t.Context(), lab.Parse(t, text))
	unknown, taken, misplaced := []jsonbody.Code{provision.UnknownReference}, []jsonbody.Code{provision.Taken}, []jsonbody.Code{world.Misplaced}
	want := map[string][]jsonbody.Code{
		"users.0.id": taken, "applications.0.id": taken, "applications.1.owner": unknown,
		"guilds.0.owner": unknown, "guilds.0.roles.0.managed": unknown,
		"guilds.0.channels.0.id": taken, "guilds.0.channels.1.parent": unknown, "guilds.0.channels.2.parent": misplaced,
		"guilds.0.channels.4.parent":                     misplaced,
		"guilds.0.channels.5.type":                       misplaced, // the category of 311
		"guilds.0.channels.6.permission_overwrites.0.id": unknown, "guilds.0.channels.6.permission_overwrites.1.id": unknown,
		"guilds.0.channels.6.permission_overwrites.2.id": unknown,
		"guilds.0.members.0.user":                        unknown, "guilds.0.members.1.roles.1": unknown,
		"guilds.0.installs.0.application": unknown, "user_installs.0.user": unknown, "user_installs.1.application": unknown,
	}
	if diff := cmp.Diff(want, findings(t, err)); diff != "" {
		t.Errorf("Apply() (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before, d.export(t)); diff != "" {
		t.Errorf("a refused Apply() changed (-before +after):\n%s", diff)
	}
	located := world.Locate("world.yaml", []byte(text), err)
	if first, _, _ := strings.Cut(located.Error(), "\n"); first != "world.yaml:2:10: users.0.id: Is the id of an application and its bot." {
		t.Errorf("Locate() begins with %s", first)
	}
}

func TestCheckWithoutStore(t *testing.T) {
	t.Parallel()
	if err := provision.Check(lab.Parse(t, lab.World), nil); err != nil {
		t.Errorf("Check() = %v of a world without outside references", err)
	}
	err := provision.Check(lab.Parse(t, "user_installs: [{user: 201, application: 100}]"), nil)
	want := map[string][]jsonbody.Code{
		"user_installs.0.user": {provision.UnknownReference}, "user_installs.0.application": {provision.UnknownReference},
	}
	if diff := cmp.Diff(want, findings(t, err)); diff != "" {
		t.Errorf("Check() (-want +got):\n%s", diff)
	}
}
