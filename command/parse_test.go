package command_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/google/go-cmp/cmp"
)

func TestParseBody(t *testing.T) {
	t.Parallel()
	runParse(t, anyApp, []parseCase{
		{"not an object", "Application commands, global", `[]`, faults{"": {jsonbody.ModelConvert}}},
		{"null", "Application commands, global", `null`, faults{"": {jsonbody.ModelConvert}}},
		{"text", "Application commands, global", `"x"`, faults{"": {jsonbody.ModelConvert}}},
		{
			"empty", "Application commands, global", `{}`,
			faults{"name": {jsonbody.Required}, "description": {jsonbody.Required}},
		},
		{"unknown members are ignored", "Application commands, global", chat(`"guild_id":7,"x":{"y":[]}`), nil},
		{"last of two members counts", "Application commands, global", chat(`"nsfw":7,"nsfw":true`), nil},
	})
	t.Run("without a body", func(t *testing.T) {
		t.Parallel()
		_, err := command.Parse(nil, anyApp)
		want := faults{"name": {jsonbody.Required}, "description": {jsonbody.Required}}
		if diff := cmp.Diff(want, faultsOf(t, err)); diff != "" {
			t.Errorf("findings differ (-want +got):\n%s", diff)
		}
	})
}

func TestParseName(t *testing.T) {
	t.Parallel()
	runParse(t, anyApp, []parseCase{
		{"missing", "Application command object", `{"description":"d"}`, faults{"name": {jsonbody.Required}}},
		{"null", "Application command object", `{"name":null,"description":"d"}`, faults{"name": {jsonbody.Required}}},
		{"number", "Application command object", `{"name":7,"description":"d"}`, faults{"name": {jsonbody.StringConvert}}},
		{"empty", "Application command object", `{"name":"","description":"d"}`, faults{"name": {jsonbody.BadLength}}},
		{"longest", "Application command object", chat(`"name":"` + repeat("ж", 32) + `"`), nil},
		{
			"too long", "Application command object", chat(`"name":"` + repeat("ж", 33) + `"`),
			faults{"name": {jsonbody.BadLength}},
		},
		{
			"blank in a CHAT_INPUT name", "Command naming", chat(`"name":"a b"`),
			faults{"name": {jsonbody.StringRegex, invalidName}},
		},
		{"upper case in a CHAT_INPUT name", "Command naming", chat(`"name":"playSong"`), faults{"name": {invalidName}}},
		{
			"upper case and blank", "Command naming", chat(`"name":"Play song"`),
			faults{"name": {jsonbody.StringRegex, invalidName}},
		},
		{
			"too long and blank", "Command naming", chat(`"name":"` + repeat("a ", 20) + `"`),
			faults{"name": {jsonbody.BadLength, jsonbody.StringRegex, invalidName}},
		},
		{"USER name in mixed case with spaces", "Command naming", `{"type":2,"name":"Show Card!"}`, nil},
		{"MESSAGE name in mixed case with spaces", "Command naming", `{"type":3,"name":"Zitat Übernehmen"}`, nil},
		{"entry point name in mixed case", "Entry point", `{"type":4,"name":"Launch It"}`, nil},
		{"longest USER name", "Command naming", `{"type":2,"name":"` + repeat("A", 32) + `"}`, nil},
		{
			"USER name too long", "Application command object", `{"type":2,"name":"` + repeat("A", 33) + `"}`,
			faults{"name": {jsonbody.BadLength}},
		},
		{"blank USER name", "Application command object", `{"type":2,"name":" \t"}`, faults{"name": {jsonbody.BadLength}}},
		{"blank MESSAGE name", "Application command object", `{"type":3,"name":" "}`, faults{"name": {jsonbody.BadLength}}},
		{"blank entry point name", "Application command object", `{"type":4,"name":" "}`, faults{"name": {jsonbody.BadLength}}},
	})
	t.Run("is kept untrimmed", func(t *testing.T) {
		t.Parallel()
		if d := parse(t, `{"type":2,"name":" Card "}`, anyApp); d.Name != " Card " {
			t.Errorf("Name = %q, want %q", d.Name, " Card ")
		}
	})
}

func TestParseDescription(t *testing.T) {
	t.Parallel()
	const rule = "Application command object"
	long := func(n int) string { return `"description":"` + repeat("ß", n) + `"` }
	runParse(t, anyApp, []parseCase{
		{"missing", rule, `{"name":"do"}`, faults{"description": {jsonbody.Required}}},
		{"null", rule, `{"name":"do","description":null}`, faults{"description": {jsonbody.Required}}},
		{"number", rule, `{"name":"do","description":7}`, faults{"description": {jsonbody.StringConvert}}},
		{"empty", rule, `{"name":"do","description":""}`, faults{"description": {jsonbody.BadLength}}},
		{"longest", rule, chat(long(100)), nil},
		{"too long", rule, chat(long(101)), faults{"description": {jsonbody.BadLength}}},
		{"USER without", rule, `{"type":2,"name":"A"}`, nil},
		{"USER null", rule, `{"type":2,"name":"A","description":null}`, nil},
		{"USER empty", rule, `{"type":2,"name":"A","description":""}`, nil},
		{
			"USER given", "Command naming", `{"type":2,"name":"A","description":"x"}`,
			faults{"description": {menuDescriptionInvalid}},
		},
		{
			"MESSAGE given", "Command naming", `{"type":3,"name":"A","description":"x"}`,
			faults{"description": {menuDescriptionInvalid}},
		},
		{"USER number", "Command naming", `{"type":2,"name":"A","description":7}`, faults{"description": {jsonbody.StringConvert}}},
		{
			"USER localized", "Command naming", `{"type":2,"name":"A","description_localizations":{"de":"x"}}`,
			faults{"description_localizations": {menuDescriptionInvalid}},
		},
		{
			"USER localized wrongly", "Command naming", `{"type":2,"name":"A","description_localizations":{"xx":"x","de":"y"}}`,
			faults{"description_localizations.xx": {jsonbody.Choices}},
		},
		{"USER localized by nothing", "Command naming", `{"type":2,"name":"A","description_localizations":{}}`, nil},
		{"entry point without", rule, `{"type":4,"name":"A"}`, nil},
		{"entry point empty", rule, `{"type":4,"name":"A","description":""}`, nil},
		{"entry point given", rule, `{"type":4,"name":"A",` + long(100) + `}`, nil},
		{"entry point too long", rule, `{"type":4,"name":"A",` + long(101) + `}`, faults{"description": {jsonbody.MaxLength}}},
	})
}

func TestParseType(t *testing.T) {
	t.Parallel()
	const rule = "Command types"
	runParse(t, anyApp, []parseCase{
		{"missing", rule, chat(`"x":0`), nil},
		{"null", rule, chat(`"type":null`), nil},
		{"zero fraction", rule, chat(`"type":1.0`), nil},
		{"digits", rule, chat(`"type":"1"`), nil},
		{"fraction", rule, chat(`"type":1.5`), faults{"type": {jsonbody.NumberCoerce}}},
		{"word", rule, chat(`"type":"one"`), faults{"type": {jsonbody.NumberCoerce}}},
		{"boolean", rule, chat(`"type":true`), faults{"type": {jsonbody.NumberCoerce}}},
		{"zero", rule, chat(`"type":0`), faults{"type": {jsonbody.Choices}}},
		{"five", rule, chat(`"type":5`), faults{"type": {jsonbody.Choices}}},
		{"257", rule, chat(`"type":257`), faults{"type": {jsonbody.Choices}}},
		{"huge", rule, chat(`"type":1e300`), faults{"type": {jsonbody.Choices}}},
		{
			"unknown type still checks what every type has", rule,
			`{"type":9,"name":"","nsfw":1,"options":[{"type":3,"name":"A","description":"d"}]}`,
			faults{
				"type": {jsonbody.Choices}, "name": {jsonbody.BadLength}, "nsfw": {jsonbody.BooleanConvert},
				"options.0.name": {invalidName},
			},
		},
		{"unknown type with a handler", rule, `{"type":9,"name":"x","handler":1}`, faults{"type": {jsonbody.Choices}}},
	})
	for name, env := range map[string]command.Env{"guild": inGuild, "application without Activities": plainApp} {
		t.Run("entry point in "+name, func(t *testing.T) {
			t.Parallel()
			_, err := command.Parse([]byte(`{"type":4,"name":"Launch"}`), env)
			if diff := cmp.Diff(faults{"type": {jsonbody.Choices}}, faultsOf(t, err)); diff != "" {
				t.Errorf("Application commands, guild: findings differ (-want +got):\n%s", diff)
			}
			if !strings.Contains(err.Error(), "(1, 2, 3).") {
				t.Errorf("error = %v, want the types 1, 2, 3", err)
			}
		})
	}
}

func TestParseOptionsMember(t *testing.T) {
	t.Parallel()
	const rule = "Application command object"
	const option = `{"type":3,"name":"o#","description":"d"}`
	runParse(t, anyApp, []parseCase{
		{"null", rule, chat(`"options":null`), nil},
		{"empty", rule, chat(`"options":[]`), nil},
		{"25", "Limits", chat(`"options":[` + list(25, option) + `]`), nil},
		{"26", "Limits", chat(`"options":[` + list(26, option) + `]`), faults{"options": {jsonbody.MaxLength}}},
		{"text", rule, chat(`"options":"x"`), faults{"options": {jsonbody.ListConvert}}},
		{"number", rule, chat(`"options":7`), faults{"options": {jsonbody.ListConvert}}},
		{
			"object", rule, chat(`"options":{"a":{},"b":{}}`),
			faults{"options.0": {jsonbody.ModelConvert}, "options.1": {jsonbody.ModelConvert}},
		},
		{"item is no object", rule, chat(`"options":["x"]`), faults{"options.0": {jsonbody.ModelConvert}}},
		{"item is null", rule, chat(`"options":[null]`), faults{"options.0": {jsonbody.ListItemRequired}}},
		{"item is empty", rule, chat(`"options":[{}]`), faults{"options.0": {jsonbody.ListItemRequired}}},
		{
			"on USER", rule, `{"type":2,"name":"A","options":[{}]}`,
			faults{"options": {menuOptionsInvalid}},
		},
		{
			"on MESSAGE", rule, `{"type":3,"name":"A","options":[` + list(1, option) + `]}`,
			faults{"options": {menuOptionsInvalid}},
		},
		{
			"on an entry point", rule, `{"type":4,"name":"A","options":[` + list(1, option) + `]}`,
			faults{"options": {menuOptionsInvalid}},
		},
		{"empty on USER", rule, `{"type":2,"name":"A","options":[]}`, nil},
		{"null on USER", rule, `{"type":2,"name":"A","options":null}`, nil},
		{"text on USER", rule, `{"type":2,"name":"A","options":"x"}`, faults{"options": {jsonbody.ListConvert}}},
	})
}

func TestParseMemberPermissions(t *testing.T) {
	t.Parallel()
	const rule, key = "Application command object", "default_member_permissions"
	with := func(v string) string { return chat(`"` + key + `":` + v) }
	runParse(t, anyApp, []parseCase{
		{"null", rule, with(`null`), nil},
		{"text", rule, with(`"32"`), nil},
		{"number", rule, with(`32`), nil},
		{"zero", rule, with(`"0"`), nil},
		{"all bits", rule, with(`"18014398509481983"`), nil},
		{"empty text", rule, with(`""`), faults{key: {jsonbody.NumberCoerce}}},
		{"word", rule, with(`"ban"`), faults{key: {jsonbody.NumberCoerce}}},
		{"boolean", rule, with(`true`), faults{key: {jsonbody.NumberCoerce}}},
		{"fraction", rule, with(`1.5`), faults{key: {jsonbody.NumberCoerce}}},
		{"list", rule, with(`[]`), faults{key: {jsonbody.NumberCoerce}}},
		{"negative", rule, with(`"-1"`), faults{key: {jsonbody.NumberMin}}},
		{"unknown bits", rule, with(`"18014398509481984"`), nil},
		{"the largest bit set", rule, with(`"18446744073709551615"`), nil},
		{"the largest bit set as a number", rule, with(`18446744073709551615`), nil},
		{"one bit too many", rule, with(`"18446744073709551616"`), faults{key: {jsonbody.NumberMax}}},
		{"very many digits", rule, with(`1` + repeat("0", 1000)), faults{key: {jsonbody.NumberMax}}},
		{"beyond 64 bits", rule, with(`"18446744073709551616"`), faults{key: {jsonbody.NumberMax}}},
	})
	for give, want := range map[string]string{`"0032"`: "32", `32`: "32", `32.0`: "32", `"0"`: "0", `"9007199254740993"`: "9007199254740993"} {
		if d := parse(t, with(give), anyApp); d.MemberPermissions == nil || d.MemberPermissions.String() != want {
			t.Errorf("MemberPermissions of %s = %v, want %s", give, d.MemberPermissions, want)
		}
	}
}

func TestParseFlags(t *testing.T) {
	t.Parallel()
	var cases []parseCase
	for _, key := range []string{"dm_permission", "default_permission", "nsfw"} {
		cases = append(
			cases,
			parseCase{key + " null", "Application command object", chat(`"` + key + `":null`), nil},
			parseCase{key + " true", "Application command object", chat(`"` + key + `":true`), nil},
			parseCase{key + " false", "Application command object", chat(`"` + key + `":false`), nil},
			parseCase{key + " number", "Application command object", chat(`"` + key + `":1`), faults{key: {jsonbody.BooleanConvert}}},
			parseCase{key + " word", "Application command object", chat(`"` + key + `":"yes"`), faults{key: {jsonbody.BooleanConvert}}},
		)
	}
	runParse(t, anyApp, cases)
	t.Run("on a guild", func(t *testing.T) { t.Parallel(); runParse(t, inGuild, cases) })
}

func TestParseHandler(t *testing.T) {
	t.Parallel()
	const rule = "Entry point handler types"
	with := func(v string) string { return `{"type":4,"name":"Launch","handler":` + v + `}` }
	runParse(t, anyApp, []parseCase{
		{"app", rule, with(`1`), nil},
		{"launch", rule, with(`2`), nil},
		{"null", rule, with(`null`), nil},
		{"zero", rule, with(`0`), faults{"handler": {jsonbody.Choices}}},
		{"three", rule, with(`3`), faults{"handler": {jsonbody.Choices}}},
		{"word", rule, with(`"app"`), faults{"handler": {jsonbody.NumberCoerce}}},
		{"on CHAT_INPUT", rule, chat(`"handler":1`), faults{"handler": {handlerInvalid}}},
		{"on USER", rule, `{"type":2,"name":"A","handler":2}`, faults{"handler": {handlerInvalid}}},
		{"on MESSAGE", rule, `{"type":3,"name":"A","handler":9}`, faults{"handler": {handlerInvalid}}},
		{"null on CHAT_INPUT", rule, chat(`"handler":null`), nil},
	})
	for give, want := range map[string]command.Handler{
		`{"type":4,"name":"Launch"}`: command.AppHandler, with(`null`): command.AppHandler,
		with(`1`): command.AppHandler, with(`2`): command.LaunchActivity, chat(`"x":1`): 0,
	} {
		if got := parse(t, give, anyApp).Handler; got != want {
			t.Errorf("Handler of %s = %d, want %d", give, got, want)
		}
	}
}

// TestNormalForm checks that bodies with the same meaning give equal definitions.
func TestNormalForm(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, one, other string }{
		{"empty localizations", chat(`"name_localizations":{},"description_localizations":null`), chat(`"x":1`)},
		{"empty options", chat(`"options":[]`), chat(`"options":null`)},
		{"empty choices", withOption(`"type":3,"choices":[]`), withOption(`"type":3`)},
		{"empty channel types", withOption(`"type":7,"channel_types":[]`), withOption(`"type":7,"channel_types":null`)},
		{"empty file types", withOption(`"type":11,"file_types":[]`), withOption(`"type":11`)},
		{"empty nested options", withOption(`"type":1,"options":[]`), withOption(`"type":1`)},
		{"empty localizations of an option", withOption(`"type":3,"name_localizations":{}`), withOption(`"type":3`)},
		{"false flags", withOption(`"type":3,"required":false,"autocomplete":null`), withOption(`"type":3`)},
		{"order of sets", chat(`"contexts":[2,0],"integration_types":[1,0]`), chat(`"contexts":[0,2,2],"integration_types":[0,1]`)},
		{"digits", chat(`"default_member_permissions":"008"`), chat(`"default_member_permissions":8.0`)},
		{"numbers", withOption(`"type":4,"min_value":1e1`), withOption(`"type":4,"min_value":10.0`)},
		{"signed zero", withOption(`"type":10,"min_value":-0.0`), withOption(`"type":10,"min_value":0`)},
		{"flags", chat(`"nsfw":false,"dm_permission":true,"type":"1"`), chat(`"nsfw":null`)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(parse(t, tt.one, anyApp), parse(t, tt.other, anyApp)); diff != "" {
				t.Errorf("Versioning: definitions differ (-one +other):\n%s", diff)
			}
		})
	}
}

// TestParseAllAtOnce checks that one error lists all findings.
func TestParseAllAtOnce(t *testing.T) {
	t.Parallel()
	_, err := command.Parse([]byte(`{
		"name": "", "description": 7, "name_localizations": {"de": "A b", "pt_BR": "x"}, "nsfw": "no",
		"default_member_permissions": true, "contexts": [], "integration_types": [3], "handler": 1,
		"options": [
			{"type": 3, "name": "Big Name", "description": "d"},
			{"name": "two", "description": ""},
			{"type": 1, "name": "three", "description": "d", "required": true, "options": [{"type": 1, "name": "x", "description": "d"}]},
			{"type": 4, "name": "four", "description": "d", "required": true, "choices": [{"name": "c", "value": "v"}, 7]},
			null
		]}`), anyApp)
	want := faults{
		"name":                       {jsonbody.BadLength},
		"description":                {jsonbody.StringConvert},
		"name_localizations":         {jsonbody.StringRegex},
		"name_localizations.pt_BR":   {jsonbody.Choices},
		"nsfw":                       {jsonbody.BooleanConvert},
		"default_member_permissions": {jsonbody.NumberCoerce},
		"contexts":                   {jsonbody.MinLength},
		"integration_types.0":        {jsonbody.Choices},
		"handler":                    {handlerInvalid},
		"options.0.name":             {jsonbody.StringRegex, invalidName},
		"options.1":                  {jsonbody.TagFieldMissing},
		"options.1.description":      {jsonbody.BadLength},
		"options.2":                  {optionTypesMixed},
		"options.2.required":         {requiredInvalid},
		"options.2.options.0":        {jsonbody.UnionChoices},
		"options.3":                  {requiredOrder},
		"options.3.choices.0.value":  {jsonbody.NumberCoerce},
		"options.3.choices.1":        {jsonbody.ModelConvert},
		"options.4":                  {jsonbody.ListItemRequired},
	}
	if diff := cmp.Diff(want, faultsOf(t, err)); diff != "" {
		t.Errorf("findings differ (-want +got):\n%s", diff)
	}
}

// TestMessages checks the messages of all findings that only definitions have, and of some others.
func TestMessages(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ give, want string }{
		{chat(`"name":"a b"`), "name: String value did not match validation regex.; name: Command name is invalid"},
		{chat(`"name":""`), "name: Must be between 1 and 32 in length."},
		{chat(`"description":""`), "description: Must be between 1 and 100 in length."},
		{chat(`"type":7`), "type: Value must be one of (1, 2, 3, 4)."},
		{chat(`"handler":1`), "handler: Handler cannot be configured for this type of command"},
		{`{"type":4,"name":"x","handler":3}`, "handler: Value must be one of (1, 2)."},
		{chat(`"contexts":[3]`), "contexts.0: Value must be one of (0, 1, 2)."},
		{chat(`"contexts":[]`), "contexts: Must be 1 or more in length."},
		{chat(`"integration_types":[2]`), "integration_types.0: Value must be one of (0, 1)."},
		{chat(`"default_member_permissions":true`), `default_member_permissions: Value "true" is not int.`},
		{
			chat(`"default_member_permissions":-1`),
			"default_member_permissions: int value should be greater than or equal to 0.",
		},
		{
			chat(`"default_member_permissions":18446744073709551616`),
			"default_member_permissions: int value should be less than or equal to 18446744073709551615.",
		},
		{`{"type":2,"name":"x","description":"y"}`, "description: Context menu commands cannot have description"},
		{`{"type":2,"name":"x","options":[1]}`, "options: Context menu commands cannot have options"},
		{chat(`"name_localizations":7`), "name_localizations: Only dictionaries may be used in a DictType"},
		{
			chat(`"name_localizations":{"xx":"y"}`),
			"name_localizations.xx: Value must be one of ('ar', 'bg', 'cs', 'da', 'de', 'el', 'en-GB', 'en-US', 'es-419', " +
				"'es-ES', 'fi', 'fr', 'he', 'hi', 'hr', 'hu', 'id', 'it', 'ja', 'ko', 'lt', 'nl', 'no', 'pl', 'pt-BR', 'ro', " +
				"'ru', 'sv-SE', 'th', 'tr', 'uk', 'vi', 'zh-CN', 'zh-TW').",
		},
		{chat(`"options":[null]`), "options.0: List item values of ModelType are required"},
		{chat(`"options":[7]`), "options.0: Expected an object/dictionary."},
		{chat(`"options":[{"name":"a","description":"d"}]`), `options.0: Field "type" is required to determine the model type.`},
		{withOption(`"type":12`), `options.0: Value of field "type" must be one of (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11).`},
		{
			withOption(`"type":1,"options":[{"type":2,"name":"a","description":"d"}]`),
			`options.0.options.0: Value of field "type" must be one of (3, 4, 5, 6, 7, 8, 9, 10, 11).`,
		},
		{
			withOption(`"type":2,"options":[{"type":3,"name":"a","description":"d"}]`),
			`options.0.options.0: Value of field "type" must be one of (1).`,
		},
		{
			chat(`"options":[{"type":3,"name":"a","description":"d"},{"type":3,"name":"a","description":"d"}]`),
			"options.1: Option name a is already used in these options",
		},
		{
			chat(`"options":[{"type":3,"name":"a","description":"d"},{"type":3,"name":"b","description":"d","required":true}]`),
			"options.1: Required options must be placed before non-required options",
		},
		{
			chat(`"options":[{"type":3,"name":"a","description":"d"},{"type":1,"name":"b","description":"d"}]`),
			"options.1: Sub-command and sub-command group option types are mutually exclusive to all other types",
		},
		{withOption(`"type":1,"required":true`), "options.0.required: Required cannot be configured for this type of option"},
		{withOption(`"type":3,"options":[1]`), "options.0.options: Sub-options cannot be configured for this type of option"},
		{withOption(`"type":5,"choices":[1]`), "options.0.choices: Choices cannot be configured for this type of option"},
		{withOption(`"type":5,"autocomplete":true`), "options.0.autocomplete: Autocomplete cannot be configured for this type of option"},
		{
			withOption(`"type":3,"autocomplete":true,"choices":[{"name":"a","value":"b"}]`),
			"options.0.autocomplete: Autocomplete cannot be enabled together with choices",
		},
		{withOption(`"type":5,"channel_types":[0]`), "options.0.channel_types: Channel types cannot be configured for this type of option"},
		{withOption(`"type":5,"min_value":0`), "options.0.min_value: Min value cannot be configured for this type of option"},
		{withOption(`"type":5,"max_value":0`), "options.0.max_value: Max value cannot be configured for this type of option"},
		{withOption(`"type":5,"min_length":0`), "options.0.min_length: Min length cannot be configured for this type of option"},
		{withOption(`"type":5,"max_length":0`), "options.0.max_length: Max length cannot be configured for this type of option"},
		{withOption(`"type":5,"file_types":["image"]`), "options.0.file_types: File types cannot be configured for this type of option"},
		{withOption(`"type":4,"min_value":5,"max_value":3`), "options.0.min_value: int value should be less than or equal to 3."},
		{withOption(`"type":10,"min_value":5,"max_value":0.5`), "options.0.min_value: float value should be less than or equal to 0.5."},
		{withOption(`"type":3,"min_length":5,"max_length":3`), "options.0.min_length: int value should be less than or equal to 3."},
		{withOption(`"type":7,"channel_types":[6]`), "options.0.channel_types.0: Value must be one of (0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15, 16)."},
	} {
		_, err := command.Parse([]byte(tt.give), anyApp)
		if err == nil || err.Error() != "invalid form body: "+tt.want {
			t.Errorf("Parse(%s) = %v, want %s", tt.give, err, tt.want)
		}
	}
}

// TestErrorBody checks the response to a request with three faults.
func TestErrorBody(t *testing.T) {
	t.Parallel()
	_, err := command.Parse([]byte(`{"name":"","description":"d","options":[
		{"type":3,"name":"a b","description":"d","required":true},
		{"type":3,"name":"b","description":"d","required":true},
		{"type":3,"name":"c","description":"d"},
		{"type":3,"name":"d","description":"d","required":true}]}`), anyApp)
	tree, ok := errors.AsType[*jsonbody.Tree](err)
	if !ok {
		t.Fatalf("error is %T, want *jsonbody.Tree", err)
	}
	got, err := tree.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	want := `{"name":{"_errors":[{"code":"BASE_TYPE_BAD_LENGTH","message":"Must be between 1 and 32 in length."}]},` +
		`"options":{"0":{"name":{"_errors":[` +
		`{"code":"STRING_TYPE_REGEX","message":"String value did not match validation regex."},` +
		`{"code":"APPLICATION_COMMAND_INVALID_NAME","message":"Command name is invalid"}]}},` +
		`"3":{"_errors":[{"code":"APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID",` +
		`"message":"Required options must be placed before non-required options"}]}}}`
	if string(got) != want {
		t.Errorf("body = %s, want %s", got, want)
	}
}
