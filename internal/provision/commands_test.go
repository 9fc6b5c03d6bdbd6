package provision_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/provision"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/testkit/lab"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
)

const labCommands = lab.World + `
commands:
  - {application: 100, definitions: [{id: "900", name: roll, description: Roll}]}
  - {application: 100, guild: 300, definitions: [{id: "901", name: ban, description: Ban}]}
command_permissions:
  - application: 100
    guild: 300
    command: 900
    permissions: [{id: 301, type: 1, permission: true}, {id: 300, type: 1}, {id: 201, type: 2}, {id: 311, type: 3}, {id: 299, type: 3}]
  - {application: 100, guild: 300, command: 100, permissions: [{id: 300, type: 1}]}
`

// permissionSets returns the permission sets of the application in the guild.
func (d *fixture) permissionSets(t *testing.T) []store.OverwriteSet {
	t.Helper()
	var sets []store.OverwriteSet
	err := store.Decide(t.Context(), d.Store, func(tx *store.Tx) (err error) {
		sets, err = tx.Commands.Overwrites(100, 300)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return sets
}

func TestApplyCommands(t *testing.T) {
	t.Parallel()
	d := open(t)
	applied, err := d.Apply(t.Context(), lab.Parse(t, labCommands))
	if err != nil || applied.Changed == 0 {
		t.Fatalf("Apply() = %+v, %v", applied, err)
	}
	want := []store.OverwriteSet{
		{Guild: 300, Application: 100, ID: 100, Entries: []store.OverwriteEntry{{ID: 300, Type: 1}}},
		{Guild: 300, Application: 100, ID: 900, Entries: []store.OverwriteEntry{
			{ID: 301, Type: 1, Allow: true}, {ID: 300, Type: 1}, {ID: 201, Type: 2}, {ID: 311, Type: 3}, {ID: 299, Type: 3},
		}},
	}
	if diff := cmp.Diff(want, d.permissionSets(t)); diff != "" {
		t.Errorf("permission sets (-want +got):\n%s", diff)
	}
	if again, err := d.Apply(t.Context(), lab.Parse(t, labCommands)); err != nil || again.Changed != 0 {
		t.Errorf("Apply() = %+v, %v of the same world", again, err)
	}

	emptied := lab.Parse(t, labCommands)
	emptied.CommandPermissions[0].Permissions = nil
	if again, err := d.Apply(t.Context(), emptied); err != nil || again.Changed != 1 || len(d.permissionSets(t)) != 1 {
		t.Errorf("Apply() = %+v, %v, permission sets %v", again, err, d.permissionSets(t))
	}
}

// TestApplyCommandsInParts applies a file that is so large that it is applied in parts.
func TestApplyCommandsInParts(t *testing.T) {
	t.Parallel()
	large := func(text string) *world.File {
		text = strings.TrimSpace(text)
		data, err := json.Marshal(lab.Parse(t, text))
		if err != nil {
			t.Fatal(err)
		}
		f, err := world.Open("world.json", append(data, bytes.Repeat([]byte(" "), 2<<20)...))
		if err != nil || f.Whole() != nil {
			t.Fatalf("Open() = %v, whole %v", err, f.Whole() != nil)
		}
		return f
	}
	none := func(int, int) {}
	d := open(t)
	if err := provision.CheckFile(large(labCommands), none); err != nil {
		t.Fatal(err)
	}
	if _, err := d.ApplyFile(t.Context(), large(labCommands), none); err != nil {
		t.Fatal(err)
	}
	if sets := d.permissionSets(t); len(sets) != 2 || len(sets[1].Entries) != 5 {
		t.Errorf("permission sets %+v", sets)
	}
	err := provision.CheckFile(large(lab.World+"commands: [{application: 9, guild: 8, definitions: []}]"), none)
	if err == nil || !strings.Contains(err.Error(), "commands.0.application") || !strings.Contains(err.Error(), "commands.0.guild") {
		t.Errorf("CheckFile() = %v", err)
	}
}

func TestApplyCommandProblems(t *testing.T) {
	t.Parallel()
	d := open(t)
	unknown := []jsonbody.Code{provision.UnknownReference}
	for _, tt := range []struct {
		name, text string
		want       map[string][]jsonbody.Code
	}{
		{
			"unknown application and guild", "commands: [{application: 9, guild: 8, definitions: []}]",
			map[string][]jsonbody.Code{"commands.0.application": unknown, "commands.0.guild": unknown},
		},
		{
			"entry point of an app without activities",
			"commands: [{application: 100, definitions: [{name: a, description: a, handler: 1, type: 4}]}]",
			map[string][]jsonbody.Code{"commands.0.definitions.0.type": {jsonbody.Choices}},
		},
		{
			"unknown command", "command_permissions: [{application: 100, guild: 300, command: 9, permissions: []}]",
			map[string][]jsonbody.Code{"command_permissions.0.command": unknown},
		},
		{
			"unknown targets",
			"command_permissions: [{application: 100, guild: 300, command: 100, permissions: [{id: 1, type: 1}, {id: 2, type: 2}, {id: 3, type: 3}]}]",
			map[string][]jsonbody.Code{
				"command_permissions.0.permissions.0.id": unknown, "command_permissions.0.permissions.1.id": unknown,
				"command_permissions.0.permissions.2.id": unknown,
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := d.Apply(t.Context(), lab.Parse(t, lab.World+tt.text))
			got := findings(t, err)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Apply() (-want +got):\n%s", diff)
			}
		})
	}
	if _, err := d.Users.User(t.Context(), 200); err == nil {
		t.Error("a world with problems was applied")
	}
}

// runIDs are ids for the registry.
type runIDs struct{ *lab.IDs }

func (r runIDs) Run(n int) uint64 {
	first := r.Next()
	for range n - 1 {
		r.Next()
	}
	return first
}

func (runIDs) Observe(uint64) {}
