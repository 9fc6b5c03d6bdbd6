package command_test

import (
	"fmt"
	"testing"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/google/go-cmp/cmp"
)

// stored returns the commands of a list with the ids 1, 2, 3 and so on.
func stored(t testing.TB, body string) []command.Command {
	t.Helper()
	items, err := command.ParseList([]byte(body), anyApp)
	if err != nil {
		t.Fatal(err)
	}
	list := make([]command.Command, len(items))
	for i, item := range items {
		list[i] = command.Command{ID: snowflake.Command(i + 1), Type: item.Type, Name: item.Name, Doc: item.Doc()}
	}
	return list
}

func TestDiff(t *testing.T) {
	t.Parallel()
	a, b, c := chat(`"name":"a"`), chat(`"name":"b"`), chat(`"name":"c"`)
	id := func(id, members string) string { return chat(`"id":"` + id + `",` + members) }
	for _, tt := range []struct {
		name, rule, old, give string
		want                  []string // one for each item, then the deleted ids
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
		{"a command that is not listed is deleted", "Application commands, global", `[` + a + `,` + b + `]`, `[` + c + `,` + b + `]`, []string{"create", "keep 2", "delete 1"}},
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
			"an id has priority over the name", "Application commands, guild", `[` + a + `,` + b + `]`, `[` + id("2", `"name":"a"`) + `]`,
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
		{"entry point that is not listed", "Entry point", `[{"type":4,"name":"Launch"}]`, `null`, []string{"delete 1"}},
		{"new entry point", "Entry point", `[]`, `[{"type":4,"name":"Launch"}]`, []string{"create"}},
		{
			"second entry point", "Entry point", `[{"type":4,"name":"Launch"}]`, `[{"type":4,"name":"A"},{"type":4,"name":"B"}]`,
			[]string{"change 1 renamed", "create"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			items, err := command.ParseList([]byte(tt.give), anyApp)
			if err != nil {
				t.Fatal(err)
			}
			changes, err := command.Diff(stored(t, tt.old), items)
			if err != nil {
				t.Fatalf("%s: Diff() = %v", tt.rule, err)
			}
			if diff := cmp.Diff(tt.want, words(changes)); diff != "" {
				t.Errorf("%s: changes differ (-want +got):\n%s", tt.rule, diff)
			}
		})
	}
}

// words returns the changes in words.
func words(changes []command.Change) []string {
	var list []string
	for _, c := range changes {
		switch {
		case c.Registered == nil:
			list = append(list, "create")
		case c.Wanted == nil:
			list = append(list, fmt.Sprint("delete ", c.Registered.ID))
		case c.Kept():
			list = append(list, fmt.Sprint("keep ", c.Registered.ID))
		case c.Renamed():
			list = append(list, fmt.Sprint("change ", c.Registered.ID, " renamed"))
		default:
			list = append(list, fmt.Sprint("change ", c.Registered.ID))
		}
	}
	return list
}

func TestDiffRefuses(t *testing.T) {
	t.Parallel()
	items, err := command.ParseList([]byte(`[`+chat(`"name":"z"`)+`,{"id":"1","type":2,"name":"a"}]`), anyApp)
	if err != nil {
		t.Fatal(err)
	}
	_, err = command.Diff(stored(t, `[`+chat(`"name":"a"`)+`,{"type":2,"name":"a"}]`), items)
	if diff := cmp.Diff(faults{"1.type": {typeImmutable}}, faultsOf(t, err)); diff != "" {
		t.Errorf("Application commands, guild: findings differ (-want +got):\n%s", diff)
	}
	if want := "invalid form body: 1.type: Application command types are immutable"; err == nil || err.Error() != want {
		t.Errorf("error = %v, want %s", err, want)
	}
}

func TestDifferences(t *testing.T) {
	t.Parallel()
	option := func(name, members string) string {
		return `{"type":3,"name":"` + name + `","description":"d"` + members + `}`
	}
	for _, tt := range []struct {
		name, before, after string
		env                 command.Env
		want                []command.Difference
	}{
		{"nothing", full, full, anyApp, nil},
		{"name", chat(`"x":1`), chat(`"name":"doo","id":"1"`), anyApp, []command.Difference{{"name", `"do"`, `"doo"`}}},
		{"description", chat(`"x":1`), chat(`"description":"d"`), anyApp, []command.Difference{{"description", `"does it"`, `"d"`}}},
		{
			"localizations", chat(`"name_localizations":{"de":"a"}`), chat(`"name_localizations":{"de":"b"},"description_localizations":{"de":"x"}`), anyApp,
			[]command.Difference{{"name_localizations.de", `"a"`, `"b"`}, {"description_localizations", "", `{de: "x"}`}},
		},
		{"type of an option", withOption(`"type":3`), withOption(`"type":4`), anyApp, []command.Difference{{"options.opt.type", "3", "4"}}},
		{
			"order of options", chat(`"options":[` + option("a", "") + `,` + option("b", "") + `]`), chat(`"options":[` + option("b", "") + `,` + option("a", "") + `]`), anyApp,
			[]command.Difference{{"options.order", "a, b", "b, a"}},
		},
		{
			"removed options", chat(`"options":[` + option("a", "") + `]`), chat(`"x":1`), anyApp,
			[]command.Difference{{"options.a", `{type: 3, name: "a", description: "d"}`, ""}},
		},
		{
			"choices", chat(`"options":[` + option("a", `,"choices":[{"name":"x","value":"1"}]`) + `]`), chat(`"options":[` + option("a", `,"choices":[{"name":"x","value":"2"}]`) + `]`), anyApp,
			[]command.Difference{{"options.a.choices.x.value", `"1"`, `"2"`}},
		},
		{
			"permissions", chat(`"x":1`), chat(`"default_member_permissions":"0","default_permission":true`), anyApp,
			[]command.Difference{{"default_member_permissions", "", `"0"`}, {"default_permission", "", "true"}},
		},
		{
			"contexts", chat(`"x":1`), chat(`"contexts":[0],"integration_types":[1]`), anyApp,
			[]command.Difference{{"dm_permission", "true", "false"}, {"contexts", "", "[0]"}, {"integration_types", "[0, 1]", "[1]"}},
		},
		{
			"contexts in a guild", chat(`"x":1`), chat(`"contexts":[0],"integration_types":[1]`), inGuild,
			[]command.Difference{{"contexts", "", "[0]"}, {"integration_types", "", "[1]"}},
		},
		{"nsfw", chat(`"x":1`), chat(`"nsfw":true`), anyApp, []command.Difference{{"nsfw", "false", "true"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			before := parse(t, tt.before, tt.env)
			items, err := command.ParseList([]byte(`[`+tt.after+`]`), tt.env)
			if err != nil {
				t.Fatal(err)
			}
			changes, err := command.Diff([]command.Command{{ID: 1, Type: before.Type, Name: before.Name, Doc: before.Doc()}}, items)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, changes[0].Differences()); diff != "" {
				t.Errorf("Differences() differ (-want +got):\n%s", diff)
			}
		})
	}
}
