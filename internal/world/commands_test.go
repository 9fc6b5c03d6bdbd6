package world_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/world"
	"github.com/google/go-cmp/cmp"
)

const withCommands = `
commands:
  - application: 100
    definitions:
      - {id: "900", name: roll, description: "Roll: dice", options: [{type: 10, name: weight, description: "a #\nb", min_value: 0.5, max_value: 3}]}
      - {type: 2, name: Report}
  - {application: 100, guild: 300, definitions: [{name: ban, description: Ban, default_member_permissions: "4", nsfw: true, contexts: null}]}
command_permissions:
  - {application: 100, guild: 300, command: 900, permissions: [{id: 301, type: 1, permission: true}, {id: 200, type: 2}]}
`

func TestCommands(t *testing.T) {
	t.Parallel()
	w := parse(t, withCommands)
	if got, want := string(w.Commands[0].JSON()), `[{"id":"900","name":"roll","description":"Roll: dice","options":[{"type":10,"name":"weight","description":"a #\nb","min_value":0.5,"max_value":3}]},{"type":2,"name":"Report"}]`; got != want {
		t.Errorf("JSON() = %s, want %s", got, want)
	}
	if diff := cmp.Diff(w, parse(t, string(export(t, w)))); diff != "" {
		t.Errorf("YAML() (-want +got):\n%s\n%s", diff, export(t, w))
	}
}

func TestCommandProblems(t *testing.T) {
	t.Parallel()
	_, err := world.Parse("world.yaml", []byte(`
commands:
  - application: 100
    definitions:
      - {name: roll, description: Roll}
      - {name: Roll it, description: Roll, options: [{type: 3, name: x}]}
  - {definitions: []}
  - {application: 100, definitions: []}
command_permissions:
  - {permissions: [{}, {id: 1, type: 4}]}
`))
	wrong, ok := errors.AsType[*world.FileError](err)
	if !ok {
		t.Fatalf("Parse() = %v", err)
	}
	var got []string
	for _, p := range wrong.Problems {
		got = append(got, p.Path)
	}
	want := []string{
		"commands.0.definitions.1.name", "commands.0.definitions.1.name", "commands.0.definitions.1.options.0.description", "commands.1.application", "commands.2",
		"command_permissions.0.application", "command_permissions.0.command", "command_permissions.0.guild",
		"command_permissions.0.permissions.0.id", "command_permissions.0.permissions.0.type", "command_permissions.0.permissions.1.type",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("paths (-want +got):\n%s\n%v", diff, err)
	}
	if !strings.HasPrefix(err.Error(), "world.yaml:6:") {
		t.Errorf("the first problem is not in line 6: %v", err)
	}
}
