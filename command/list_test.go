package command_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/google/go-cmp/cmp"
)

// named returns n CHAT_INPUT commands with different names.
func named(n int) string {
	items := make([]string, n)
	for i := range items {
		items[i] = chat(`"name":"c` + strconv.Itoa(i) + `"`)
	}
	return strings.Join(items, ",")
}

func TestParseList(t *testing.T) {
	t.Parallel()
	const rule = "Application commands, guild"
	const entry = `{"type":4,"name":"Launch"}`
	for _, tt := range []struct {
		name, rule, give string
		env              command.Env
		items            int
		want             faults
	}{
		{"list", rule, `[` + named(3) + `]`, anyApp, 3, nil},
		{"empty", rule, `[]`, anyApp, 0, nil},
		{"null", rule, `null`, anyApp, 0, nil},
		{"object", rule, `{"a":{"name":"x"},"b":1}`, anyApp, 0, faults{"0": {jsonbody.ModelConvert}, "1": {jsonbody.ModelConvert}}},
		{"empty object", rule, `{}`, anyApp, 0, faults{"": {jsonbody.ListConvert}}},
		{"text", rule, `"x"`, anyApp, 0, faults{"": {jsonbody.ListConvert}}},
		{"130", "Limits", `[` + named(130) + `]`, anyApp, 130, nil},
		{"131", "Limits", `[` + named(131) + `]`, anyApp, 0, faults{"": {jsonbody.MaxLength}}},
		{"131 with their types", "Limits", `[` + list(131, chat(`"type":1`)) + `]`, anyApp, 0, faults{"": {jsonbody.MaxLength}}},
		{"131 with an entry point", "Limits", `[` + named(130) + `,` + entry + `]`, anyApp, 131, nil},
		{"132 with an entry point", "Limits", `[` + named(131) + `,` + entry + `]`, anyApp, 0, faults{"": {jsonbody.MaxLength}}},
		{"a list that is too long has no other findings", "Limits", `[` + list(131, `7`) + `]`, anyApp, 0, faults{"": {jsonbody.MaxLength}}},
		{"item is no object", rule, `[7]`, anyApp, 0, faults{"0": {jsonbody.ModelConvert}}},
		{"item is null", rule, `[null]`, anyApp, 0, faults{"0": {jsonbody.ListItemRequired}}},
		{"item is empty", rule, `[{}]`, anyApp, 0, faults{"0": {jsonbody.ListItemRequired}}},
		{
			"faults of all items", rule, `[` + chat(`"name":""`) + `,` + chat(`"x":1`) + `,` + withOption(`"type":99`) + `,{"name":"z"}]`, anyApp, 0,
			faults{"0.name": {jsonbody.BadLength}, "2.options.0": {jsonbody.UnionChoices}, "3.description": {jsonbody.Required}, "2": {duplicateName}},
		},
		{"same name twice", rule, `[` + chat(`"x":1`) + `,` + chat(`"nsfw":true`) + `]`, anyApp, 0, faults{"1": {duplicateName}}},
		{"same name three times", rule, `[` + list(3, chat(`"x":1`)) + `]`, anyApp, 0, faults{"1": {duplicateName}, "2": {duplicateName}}},
		{"same name in two types", rule, `[{"type":2,"name":"do"},{"type":3,"name":"do"},` + chat(`"x":1`) + `]`, anyApp, 3, nil},
		{"names differ by case", rule, `[{"type":2,"name":"Do"},{"type":2,"name":"do"}]`, anyApp, 2, nil},
		{"missing names are not the same", rule, `[{"description":"a"},{"description":"b"}]`, anyApp, 0, faults{"0.name": {jsonbody.Required}, "1.name": {jsonbody.Required}}},
		{"names of unknown types are not the same", rule, `[{"type":9,"name":"a"},{"type":9,"name":"a"}]`, anyApp, 0, faults{"0.type": {jsonbody.Choices}, "1.type": {jsonbody.Choices}}},
		{"id", rule, `[` + chat(`"id":"41771983423143937"`) + `]`, anyApp, 1, nil},
		{"id null", rule, `[` + chat(`"id":null`) + `]`, anyApp, 1, nil},
		{"id is a word", rule, `[` + chat(`"id":"x"`) + `]`, anyApp, 0, faults{"0.id": {jsonbody.NumberCoerce}}},
		{"id too large", rule, `[` + chat(`"id":"9223372036854775808"`) + `]`, anyApp, 0, faults{"0.id": {jsonbody.NumberMax}}},
		{"id is a boolean", rule, `[` + chat(`"id":true`) + `]`, anyApp, 0, faults{"0.id": {jsonbody.NumberCoerce}}},
		{"defaults of a guild", rule, `[` + chat(`"x":1`) + `]`, inGuild, 1, nil},
		{"members of global commands in a guild", rule, `[` + chat(`"contexts":[0,1,2],"integration_types":[1],"dm_permission":true`) + `]`, inGuild, 1, nil},
		{"nsfw in a guild", rule, `[` + chat(`"nsfw":true`) + `]`, inGuild, 1, nil},
		{"entry point in a guild", rule, `[` + entry + `]`, inGuild, 0, faults{"0.type": {jsonbody.Choices}}},
		{"integration type not supported", contextRule, `[` + chat(`"integration_types":[1]`) + `]`, plainApp, 0, faults{"0.integration_types.0": {jsonbody.Choices}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			items, err := command.ParseList([]byte(tt.give), tt.env)
			if diff := cmp.Diff(tt.want, faultsOf(t, err)); diff != "" {
				t.Errorf("%s: findings differ (-want +got):\n%s", tt.rule, diff)
			}
			if len(items) != tt.items {
				t.Errorf("%s: ParseList() = %d items, want %d", tt.rule, len(items), tt.items)
			}
		})
	}
}

func TestParseListWithoutBody(t *testing.T) {
	t.Parallel()
	// null deletes every command; a missing body does not.
	if _, err := command.ParseList(nil, anyApp); err == nil {
		t.Error("ParseList() accepts a request without a body")
	}
}

func TestParseListKeepsOrderAndIDs(t *testing.T) {
	t.Parallel()
	items, err := command.ParseList([]byte(`[`+chat(`"name":"b","id":"12"`)+`,`+chat(`"name":"a"`)+`,`+chat(`"name":"c","id":34`)+`]`), anyApp)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	var ids []snowflake.Command
	for _, item := range items {
		names = append(names, item.Name)
		ids = append(ids, item.ID)
	}
	if diff := cmp.Diff([]snowflake.Command{12, 0, 34}, ids); diff != "" {
		t.Errorf("ids differ (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"b", "a", "c"}, names); diff != "" {
		t.Errorf("names differ (-want +got):\n%s", diff)
	}
}

func TestParseListMessages(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ give, want string }{
		{`[` + named(131) + `]`, "Must be 130 or fewer in length."},
		{`[` + chat(`"x":1`) + `,` + chat(`"x":1`) + `]`, "1: Application command names must be unique"},
		{`[` + chat(`"id":"ping"`) + `]`, `0.id: Value "ping" is not snowflake.`},
	} {
		_, err := command.ParseList([]byte(tt.give), anyApp)
		if err == nil || err.Error() != "invalid form body: "+tt.want {
			t.Errorf("ParseList(%.60s) = %v, want %s", tt.give, err, tt.want)
		}
	}
}
