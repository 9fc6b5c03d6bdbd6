package registry_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/google/go-cmp/cmp"
)

// importInto imports definitions into a scope of the application.
func (f fixture) importInto(t *testing.T, in snowflake.Guild, definitions string) (ids map[snowflake.Command]snowflake.Command, changed int, err error) {
	t.Helper()
	err = store.Decide(t.Context(), f.store, func(tx *store.Tx) error {
		ids, changed, err = f.Import(tx, store.Application{ID: app, IntegrationTypes: []uint8{0}}, in, []byte(definitions))
		return err
	})
	return ids, changed, err
}

// commandNames returns the commands of a scope as "id name description".
func (f fixture) commandNames(t *testing.T, scope command.Scope) []string {
	t.Helper()
	list, err := f.Commands(t.Context(), scope)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range list {
		d, err := c.Definition()
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, fmt.Sprintf("%v %s %s", c.ID, c.Name, d.Description))
	}
	return names
}

func TestImport(t *testing.T) {
	t.Parallel()
	f := open(t)
	const list = `[{"id":"900","name":"roll","description":"Roll"},{"id":"901","name":"say","description":"Say"}]`
	ids, changed, err := f.importInto(t, 0, list)
	if err != nil || changed != 2 || ids[900] != 900 || ids[901] != 901 {
		t.Fatalf("Import() = %v, %d, %v", ids, changed, err)
	}
	if diff := cmp.Diff([]string{"900 roll Roll", "901 say Say"}, f.commandNames(t, global)); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
	if _, changed, err = f.importInto(t, 0, list); err != nil || changed != 0 {
		t.Errorf("Import() = %d, %v of the same list", changed, err)
	}

	// A command with the same name keeps its id. Commands that the list does not name stay.
	ids, changed, err = f.importInto(t, 0, `[{"id":"950","name":"roll","description":"Roll again"}]`)
	if err != nil || changed != 1 || ids[950] != 900 {
		t.Errorf("Import() = %v, %d, %v of another id", ids, changed, err)
	}
	if diff := cmp.Diff([]string{"900 roll Roll again", "901 say Say"}, f.commandNames(t, global)); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}

	// The id of a command in another scope is not taken over.
	ids, changed, err = f.importInto(t, guild, `[{"id":"901","name":"here","description":"Here"}]`)
	if err != nil || changed != 1 || ids[901] == 901 || ids[901] == 0 {
		t.Errorf("Import() = %v, %d, %v of an id in use", ids, changed, err)
	}
	if diff := cmp.Diff([]string{"900 roll Roll again", "901 say Say"}, f.commandNames(t, global)); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
}

func TestImportProblems(t *testing.T) {
	t.Parallel()
	f := open(t)
	many := make([]string, 16)
	for i := range many {
		many[i] = fmt.Sprintf(`{"type":2,"name":"Report %d"}`, i)
	}
	for name, list := range map[string]string{
		"an invalid definition":             `[{"name":"roll"}]`,
		"an unsupported install":            `[{"name":"roll","description":"Roll","integration_types":[1]}]`,
		"too many commands of a type":       "[" + strings.Join(many, ",") + "]",
		"an entry point without activities": `[{"type":4,"name":"launch","handler":2}]`,
	} {
		_, _, err := f.importInto(t, 0, list)
		if _, ok := errors.AsType[*jsonbody.Tree](err); !ok {
			t.Errorf("%s: Import() = %v, want a tree of problems", name, err)
		}
	}
	if names := f.commandNames(t, global); len(names) > 0 {
		t.Errorf("commands after failures: %v", names)
	}
}
