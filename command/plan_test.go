package command_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/google/go-cmp/cmp"
)

// stored returns the commands of a list under the ids 1, 2, 3 and so on.
func stored(t testing.TB, body string) []command.Command {
	t.Helper()
	items, err := command.ParseList(value(t, body), anyApp)
	if err != nil {
		t.Fatal(err)
	}
	list := make([]command.Command, len(items))
	for i, item := range items {
		list[i] = command.Command{ID: snowflake.Command(i + 1), Type: item.Type, Name: item.Name, Doc: item.Doc()}
	}
	return list
}

func TestNewPlan(t *testing.T) {
	t.Parallel()
	a, b, c := chat(`"name":"a"`), chat(`"name":"b"`), chat(`"name":"c"`)
	id := func(id, members string) string { return chat(`"id":"` + id + `",` + members) }
	for _, tt := range []struct {
		name, rule, old, give string
		want                  []string // a step each, then the deleted ids
	}{
		{"nothing", "States and transitions", `[]`, `[]`, nil},
		{"create", "States and transitions", `[]`, `[` + a + `,` + b + `]`, []string{"create", "create"}},
		{"identical", "Versioning", `[` + a + `,` + b + `]`, `[` + a + `,` + b + `]`, []string{"keep 1", "keep 2"}},
		{"another order", "States and transitions", `[` + a + `,` + b + `]`, `[` + b + `,` + a + `]`, []string{"keep 2", "keep 1"}},
		{
			"identical after normalization", "Versioning", `[` + chat(`"name":"a","contexts":[0,1],"default_member_permissions":"8"`) + `]`,
			`[` + chat(`"name":"a","contexts":[1,0,1],"default_member_permissions":8.0,"options":[],"name_localizations":{},"nsfw":null,"type":"1"`) + `]`,
			[]string{"keep 1"},
		},
		{"changed", "States and transitions", `[` + a + `]`, `[` + chat(`"name":"a","nsfw":true`) + `]`, []string{"change 1"}},
		{"empty list deletes all", "Application commands, global", `[` + a + `,` + b + `]`, `[]`, []string{"delete 1", "delete 2"}},
		{"what is not listed is deleted", "Application commands, global", `[` + a + `,` + b + `]`, `[` + c + `,` + b + `]`, []string{"create", "keep 2", "delete 1"}},
		{"another type of the same name", "States and transitions", `[{"type":2,"name":"a"}]`, `[` + a + `]`, []string{"create", "delete 1"}},
		{"case of a name", "States and transitions", `[{"type":2,"name":"Card"}]`, `[{"type":2,"name":"card"}]`, []string{"create", "delete 1"}},
		{"id without a change", "Application commands, guild", `[` + a + `]`, `[` + id("1", `"name":"a"`) + `]`, []string{"keep 1"}},
		{"id with another name renames", "Application commands, guild", `[` + a + `]`, `[` + id("1", `"name":"b"`) + `]`, []string{"change 1 renamed"}},
		{"unknown id falls to the name", "Application commands, guild", `[` + a + `]`, `[` + id("99", `"name":"a"`) + `]`, []string{"keep 1"}},
		{"unknown id and name", "Application commands, guild", `[` + a + `]`, `[` + id("99", `"name":"z"`) + `]`, []string{"create", "delete 1"}},
		{
			"names swapped", "Application commands, guild", `[` + a + `,` + b + `]`, `[` + id("1", `"name":"b"`) + `,` + id("2", `"name":"a"`) + `]`,
			[]string{"change 1 renamed", "change 2 renamed"},
		},
		{
			"new command under the name of a renamed one", "Application commands, guild", `[` + a + `]`, `[` + a + `,` + id("1", `"name":"b"`) + `]`,
			[]string{"create", "change 1 renamed"},
		},
		{
			"id goes before the name", "Application commands, guild", `[` + a + `,` + b + `]`, `[` + id("2", `"name":"a"`) + `]`,
			[]string{"change 2 renamed", "delete 1"},
		},
		{
			"second item of an id has none", "Application commands, guild", `[` + a + `,` + b + `]`,
			`[` + id("1", `"name":"x"`) + `,` + id("1", `"name":"b"`) + `,` + id("1", `"name":"y"`) + `]`,
			[]string{"change 1 renamed", "keep 2", "create"},
		},
		{
			"entry point of another name", "Entry point", `[{"type":4,"name":"Launch","handler":2}]`, `[{"type":4,"name":"Start","handler":2}]`,
			[]string{"change 1 renamed"},
		},
		{"entry point as it was", "Entry point", `[{"type":4,"name":"Launch"}]`, `[` + a + `,{"type":4,"name":"Launch"}]`, []string{"create", "keep 1"}},
		{"new entry point", "Entry point", `[]`, `[{"type":4,"name":"Launch"}]`, []string{"create"}},
		{
			"second entry point", "Entry point", `[{"type":4,"name":"Launch"}]`, `[{"type":4,"name":"A"},{"type":4,"name":"B"}]`,
			[]string{"change 1 renamed", "create"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			items, err := command.ParseList(value(t, tt.give), anyApp)
			if err != nil {
				t.Fatal(err)
			}
			plan, err := command.NewPlan(stored(t, tt.old), items)
			if err != nil {
				t.Fatalf("%s: NewPlan() = %v", tt.rule, err)
			}
			if diff := cmp.Diff(tt.want, steps(plan)); diff != "" {
				t.Errorf("%s: plan differs (-want +got):\n%s", tt.rule, diff)
			}
		})
	}
}

// steps tells a plan in words.
func steps(p command.Plan) []string {
	var words []string
	for _, s := range p.Steps {
		switch {
		case s.Action == command.Create:
			words = append(words, "create")
		case s.Action == command.Keep:
			words = append(words, fmt.Sprint("keep ", s.Old.ID))
		case s.Renamed:
			words = append(words, fmt.Sprint("change ", s.Old.ID, " renamed"))
		default:
			words = append(words, fmt.Sprint("change ", s.Old.ID))
		}
	}
	for _, c := range p.Deleted {
		words = append(words, fmt.Sprint("delete ", c.ID))
	}
	return words
}

func TestNewPlanRefuses(t *testing.T) {
	t.Parallel()
	plan := func(old, give string) error {
		items, err := command.ParseList(value(t, give), anyApp)
		if err != nil {
			t.Fatal(err)
		}
		_, err = command.NewPlan(stored(t, old), items)
		return err
	}
	t.Run("id of another type", func(t *testing.T) {
		t.Parallel()
		err := plan(`[`+chat(`"name":"a"`)+`,{"type":2,"name":"a"}]`, `[`+chat(`"name":"z"`)+`,{"id":"1","type":2,"name":"a"}]`)
		if diff := cmp.Diff(faults{"1.type": {command.TypeImmutable}}, faultsOf(t, err)); diff != "" {
			t.Errorf("Application commands, guild: findings differ (-want +got):\n%s", diff)
		}
		if want := "invalid form body: 1.type: Application command types are immutable"; err.Error() != want {
			t.Errorf("error = %v, want %s", err, want)
		}
	})
	t.Run("entry point dropped", func(t *testing.T) {
		t.Parallel()
		for _, give := range []string{`[]`, `null`, `[` + chat(`"name":"a"`) + `]`} {
			if err := plan(`[{"type":4,"name":"Launch"}]`, give); !errors.Is(err, command.ErrEntryPointDropped) {
				t.Errorf("Entry point: NewPlan(%s) = %v, want ErrEntryPointDropped", give, err)
			}
		}
	})
	t.Run("faults before the entry point", func(t *testing.T) {
		t.Parallel()
		err := plan(`[{"type":4,"name":"Launch"}]`, `[`+chat(`"id":"1"`)+`]`)
		if _, ok := errors.AsType[*jsonbody.Tree](err); !ok {
			t.Errorf("Application commands, guild: NewPlan() = %v, want a *problem.Tree", err)
		}
	})
}

func TestPlanCreates(t *testing.T) {
	t.Parallel()
	items, err := command.ParseList(value(t, `[`+named(5)+`]`), anyApp)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := command.NewPlan(stored(t, `[`+named(2)+`]`), items)
	if err != nil {
		t.Fatal(err)
	}
	if got := plan.Creates(); got != 3 {
		t.Errorf("Limits: Creates() = %d, want 3", got)
	}
}

func TestChanges(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, before, after string
		env                 command.Env
		want                []string
	}{
		{"nothing", full, full, anyApp, nil},
		{"name", chat(`"x":1`), chat(`"name":"doo"`), anyApp, []string{"name"}},
		{"description", chat(`"x":1`), chat(`"description":"d"`), anyApp, []string{"description"}},
		{"localizations", chat(`"name_localizations":{"de":"a"}`), chat(`"name_localizations":{"de":"b"},"description_localizations":{"de":"x"}`), anyApp, []string{"name_localizations", "description_localizations"}},
		{"options", withOption(`"type":3`), withOption(`"type":4`), anyApp, []string{"options"}},
		{"order of options", chat(`"options":[{"type":3,"name":"a","description":"d"},{"type":3,"name":"b","description":"d"}]`), chat(`"options":[{"type":3,"name":"b","description":"d"},{"type":3,"name":"a","description":"d"}]`), anyApp, []string{"options"}},
		{"removed options", withOption(`"type":3`), chat(`"x":1`), anyApp, []string{"options"}},
		{"permissions", chat(`"x":1`), chat(`"default_member_permissions":"0","default_permission":true`), anyApp, []string{"default_member_permissions", "default_permission"}},
		{"places", chat(`"x":1`), chat(`"contexts":[0],"integration_types":[1]`), anyApp, []string{"dm_permission", "contexts", "integration_types"}},
		{"places in a guild", chat(`"x":1`), chat(`"contexts":[0],"integration_types":[1]`), inGuild, nil},
		{"nsfw", chat(`"x":1`), chat(`"nsfw":true`), anyApp, []string{"nsfw"}},
		{"type and handler", `{"type":4,"name":"a"}`, `{"type":3,"name":"a"}`, anyApp, []string{"type", "handler"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := command.Changes(parse(t, tt.before, tt.env), parse(t, tt.after, tt.env))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Changes() differs (-want +got):\n%s", diff)
			}
		})
	}
}
