package command_test

import (
	"strconv"
	"testing"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/google/go-cmp/cmp"
)

func TestOptionType(t *testing.T) {
	t.Parallel()
	const rule = "Option types"
	cases := []parseCase{
		{"missing", rule, withOption(`"x":1`), faults{"options.0": {jsonbody.TagFieldMissing}}},
		{"null", rule, withOption(`"type":null`), faults{"options.0": {jsonbody.TagFieldMissing}}},
		{"word", rule, withOption(`"type":"string"`), faults{"options.0.type": {jsonbody.NumberCoerce}}},
		{"digits", rule, withOption(`"type":"3"`), nil},
		{"zero fraction", rule, withOption(`"type":3.0`), nil},
		{"zero", rule, withOption(`"type":0`), faults{"options.0": {jsonbody.UnionChoices}}},
		{"twelve", rule, withOption(`"type":12`), faults{"options.0": {jsonbody.UnionChoices}}},
		{"259", rule, withOption(`"type":259`), faults{"options.0": {jsonbody.UnionChoices}}},
		{
			"unknown type still checks name and description", rule,
			chat(`"options":[{"type":99,"name":"A b","description":""}]`),
			faults{
				"options.0": {jsonbody.UnionChoices}, "options.0.name": {jsonbody.StringRegex, invalidName},
				"options.0.description": {jsonbody.BadLength},
			},
		},
	}
	for n := 1; n <= 11; n++ {
		cases = append(cases, parseCase{strconv.Itoa(n), rule, withOption(`"type":` + strconv.Itoa(n)), nil})
	}
	runParse(t, anyApp, cases)
}

func TestOptionNesting(t *testing.T) {
	t.Parallel()
	const rule = "States and transitions"
	sub := func(members string) string { return `{"type":1,"name":"sub","description":"d",` + members + `}` }
	group := func(members string) string { return `{"type":2,"name":"group","description":"d",` + members + `}` }
	const text = `{"type":3,"name":"text","description":"d"}`
	options := func(items string) string { return `"options":[` + items + `]` }
	runParse(t, anyApp, []parseCase{
		{"subcommand", rule, chat(options(sub(options(text)))), nil},
		{"group", rule, chat(options(group(options(sub(options(text)))))), nil},
		{"subcommand beside group", rule, chat(options(sub(options(text)) + "," + group(options(sub(`"x":1`))))), nil},
		{"empty group", rule, chat(options(group(options("")))), nil},
		{"empty subcommand", rule, chat(options(sub(options("")))), nil},
		{"subcommand without options", rule, chat(options(sub(`"options":null`))), nil},
		{
			"group in group", "Errors", chat(options(group(options(group(`"x":1`))))),
			faults{"options.0.options.0": {jsonbody.UnionChoices}},
		},
		{
			"group in subcommand", "Errors", chat(options(sub(options(group(`"x":1`))))),
			faults{"options.0.options.0": {jsonbody.UnionChoices}},
		},
		{
			"subcommand in subcommand", "Errors", chat(options(sub(options(sub(`"x":1`))))),
			faults{"options.0.options.0": {jsonbody.UnionChoices}},
		},
		{
			"value in group", rule, chat(options(group(options(text)))),
			faults{"options.0.options.0": {jsonbody.UnionChoices}},
		},
		{
			"group in the subcommand of a group", "Errors", chat(options(group(options(sub(options(group(`"x":1`))))))),
			faults{"options.0.options.0.options.0": {jsonbody.UnionChoices}},
		},
		{"value before subcommand", rule, chat(options(text + "," + sub(`"x":1`))), faults{"options.1": {optionTypesMixed}}},
		{"subcommand before value", rule, chat(options(sub(`"x":1`) + "," + text)), faults{"options.1": {optionTypesMixed}}},
		{
			"each that differs from the first", rule, chat(options(group(`"x":1`) + "," + text + "," + sub(`"x":1`) + `,{"type":5,"name":"b","description":"d"}`)),
			faults{"options.1": {optionTypesMixed}, "options.3": {optionTypesMixed}},
		},
		{
			"first of unknown type", rule, chat(options(`{"name":"u","description":"d"},` + sub(`"x":1`) + "," + text)),
			faults{"options.0": {jsonbody.TagFieldMissing}, "options.2": {optionTypesMixed}},
		},
		{
			"26 subcommands", "Limits", chat(options(group(options(list(26, `{"type":1,"name":"s#","description":"d"}`))))),
			faults{"options.0.options": {jsonbody.MaxLength}},
		},
		{
			"26 options of a subcommand", "Limits", chat(options(sub(options(list(26, `{"type":5,"name":"s#","description":"d"}`))))),
			faults{"options.0.options": {jsonbody.MaxLength}},
		},
		{"nested text", rule, chat(options(sub(`"options":"x"`))), faults{"options.0.options": {jsonbody.ListConvert}}},
		{"nested object", rule, chat(options(sub(`"options":{"a":1}`))), faults{"options.0.options.0": {jsonbody.ModelConvert}}},
	})
}

func TestOptionTexts(t *testing.T) {
	t.Parallel()
	const rule = "Option object"
	option := func(members string) string { return chat(`"options":[{"type":3,` + members + `}]`) }
	sub := func(n int, members string) string {
		return chat(`"options":[{"type":` + strconv.Itoa(n) + `,` + members + `}]`)
	}
	cases := []parseCase{
		{"name missing", rule, option(`"description":"d"`), faults{"options.0.name": {jsonbody.Required}}},
		{"name null", rule, option(`"description":"d","name":null`), faults{"options.0.name": {jsonbody.Required}}},
		{"name number", rule, option(`"description":"d","name":7`), faults{"options.0.name": {jsonbody.StringConvert}}},
		{"name empty", rule, option(`"description":"d","name":""`), faults{"options.0.name": {jsonbody.BadLength}}},
		{"name longest", rule, option(`"description":"d","name":"` + repeat("é", 32) + `"`), nil},
		{
			"name too long", rule, option(`"description":"d","name":"` + repeat("é", 33) + `"`),
			faults{"options.0.name": {jsonbody.BadLength}},
		},
		{"description missing", rule, option(`"name":"n"`), faults{"options.0.description": {jsonbody.Required}}},
		{"description null", rule, option(`"name":"n","description":null`), faults{"options.0.description": {jsonbody.Required}}},
		{"description number", rule, option(`"name":"n","description":1`), faults{"options.0.description": {jsonbody.StringConvert}}},
		{"description empty", rule, option(`"name":"n","description":""`), faults{"options.0.description": {jsonbody.BadLength}}},
		{"description longest", rule, option(`"name":"n","description":"` + repeat("d", 100) + `"`), nil},
		{
			"description too long", rule, option(`"name":"n","description":"` + repeat("d", 101) + `"`),
			faults{"options.0.description": {jsonbody.BadLength}},
		},
	}
	for n := 1; n <= 11; n++ {
		word := "type " + strconv.Itoa(n)
		cases = append(
			cases,
			parseCase{
				word + " keeps the pattern", "Command naming", sub(n, `"name":"a b","description":"d"`),
				faults{"options.0.name": {jsonbody.StringRegex, invalidName}},
			},
			parseCase{
				word + " is in lower case", "Command naming", sub(n, `"name":"Ab","description":"d"`),
				faults{"options.0.name": {invalidName}},
			},
			parseCase{word + " has a description", rule, sub(n, `"name":"a"`), faults{"options.0.description": {jsonbody.Required}}},
		)
	}
	runParse(t, anyApp, cases)
}

func TestOptionSiblings(t *testing.T) {
	t.Parallel()
	const rule = "Option object"
	option := func(name string, required bool) string {
		return `{"type":3,"name":"` + name + `","description":"d","required":` + strconv.FormatBool(required) + `}`
	}
	sub := func(name, items string) string {
		return `{"type":1,"name":"` + name + `","description":"d","options":[` + items + `]}`
	}
	runParse(t, anyApp, []parseCase{
		{"required before optional", rule, chat(`"options":[` + option("a", true) + `,` + option("b", false) + `]`), nil},
		{
			"required after optional", rule, chat(`"options":[` + option("a", false) + `,` + option("b", true) + `]`),
			faults{"options.1": {requiredOrder}},
		},
		{
			"every offender", rule,
			chat(`"options":[` + option("a", false) + `,` + option("b", true) + `,` + option("c", false) + `,` + option("d", true) + `]`),
			faults{"options.1": {requiredOrder}, "options.3": {requiredOrder}},
		},
		{
			"required after optional in a subcommand", rule,
			chat(`"options":[` + sub("s", option("a", false)+`,`+option("b", true)) + `]`),
			faults{"options.0.options.1": {requiredOrder}},
		},
		{
			"name used twice", rule, chat(`"options":[` + option("a", true) + `,` + option("b", true) + `,` + option("a", true) + `]`),
			faults{"options.2": {optionNameUsed}},
		},
		{
			"name used three times", rule, chat(`"options":[` + list(3, option("a", true)) + `]`),
			faults{"options.1": {optionNameUsed}, "options.2": {optionNameUsed}},
		},
		{"names differ in their code points", rule, chat(`"options":[` + option("ä", true) + `,` + option("a", true) + `]`), nil},
		{
			"name used twice in a subcommand", rule, chat(`"options":[` + sub("s", option("a", true)+`,`+option("a", true)) + `]`),
			faults{"options.0.options.1": {optionNameUsed}},
		},
		{
			"same name in sibling subcommands", rule,
			chat(`"options":[` + sub("s", option("a", true)) + `,` + sub("t", option("a", true)) + `]`), nil,
		},
		{"same name as its parent", rule, chat(`"options":[` + sub("a", option("a", true)) + `]`), nil},
		{"subcommand names used twice", rule, chat(`"options":[` + sub("s", "") + `,` + sub("s", "") + `]`), faults{"options.1": {optionNameUsed}}},
		{
			"required subcommand is no matter of order", rule,
			chat(`"options":[` + sub("s", "") + `,{"type":1,"name":"t","description":"d","required":true}]`),
			faults{"options.1.required": {requiredInvalid}},
		},
		{
			"subcommand is not optional", rule, chat(`"options":[` + sub("s", "") + `,` + option("a", true) + `]`),
			faults{"options.1": {optionTypesMixed}},
		},
		{
			"option of unknown type is not optional", rule,
			chat(`"options":[{"name":"u","description":"d"},` + option("a", true) + `]`),
			faults{"options.0": {jsonbody.TagFieldMissing}},
		},
		{"missing names are not the same name", rule, chat(`"options":[{"type":3,"description":"d"},{"type":3,"description":"d"}]`), faults{
			"options.0.name": {jsonbody.Required}, "options.1.name": {jsonbody.Required},
		}},
	})
}

// TestOptionMembers checks which members each type allows. A member that a type does not allow passes only if it is
// empty.
func TestOptionMembers(t *testing.T) {
	t.Parallel()
	const rule = "Option object"
	takes := map[string][]int{
		`"required":true`:                         {3, 4, 5, 6, 7, 8, 9, 10, 11},
		`"options":[]`:                            {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
		`"choices":[{"name":"x","value":1}]`:      {4, 10},
		`"choices":[{"name":"x","value":"v"}]`:    {3},
		`"autocomplete":true`:                     {3, 4, 10},
		`"channel_types":[0,16]`:                  {7},
		`"min_value":1`:                           {4, 10},
		`"max_value":1`:                           {4, 10},
		`"min_length":0`:                          {3},
		`"max_length":1`:                          {3},
		`"file_types":["image",".PNG"]`:           {11},
		`"required":false,"autocomplete":false`:   {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
		`"required":null,"autocomplete":null`:     {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
		`"choices":null,"channel_types":null`:     {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
		`"choices":[],"channel_types":[]`:         {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
		`"min_value":null,"max_value":null`:       {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
		`"min_length":null,"max_length":null`:     {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
		`"options":null,"file_types":null`:        {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
		`"file_types":[],"name_localizations":{}`: {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
	}
	for members, types := range takes {
		for n := 1; n <= 11; n++ {
			want := false
			for _, ok := range types {
				want = want || ok == n
			}
			_, err := command.Parse([]byte(withOption(`"type":`+strconv.Itoa(n)+`,`+members)), anyApp)
			if (err == nil) != want {
				t.Errorf("%s: type %d takes %s: %v, want %v", rule, n, members, err, want)
			}
		}
	}
	runParse(t, anyApp, []parseCase{
		{"required on a subcommand", rule, withOption(`"type":1,"required":true`), faults{"options.0.required": {requiredInvalid}}},
		{"required on a group", rule, withOption(`"type":2,"required":true`), faults{"options.0.required": {requiredInvalid}}},
		{"options on a text", rule, withOption(`"type":3,"options":[{}]`), faults{"options.0.options": {optionsInvalid}}},
		{"choices on a user", rule, withOption(`"type":6,"choices":[{}]`), faults{"options.0.choices": {choicesInvalid}}},
		{"choices on a subcommand", rule, withOption(`"type":1,"choices":[{}]`), faults{"options.0.choices": {choicesInvalid}}},
		{"autocomplete on a boolean", rule, withOption(`"type":5,"autocomplete":true`), faults{"options.0.autocomplete": {autocompleteInvalid}}},
		{"channel types on a text", rule, withOption(`"type":3,"channel_types":[0]`), faults{"options.0.channel_types": {channelTypesInvalid}}},
		{"minimum on a text", rule, withOption(`"type":3,"min_value":0`), faults{"options.0.min_value": {minValueInvalid}}},
		{"maximum on a text", rule, withOption(`"type":3,"max_value":0`), faults{"options.0.max_value": {maxValueInvalid}}},
		{"shortest on an integer", rule, withOption(`"type":4,"min_length":0`), faults{"options.0.min_length": {minLengthInvalid}}},
		{"longest on an integer", rule, withOption(`"type":4,"max_length":0`), faults{"options.0.max_length": {maxLengthInvalid}}},
		{"file types on a text", rule, withOption(`"type":3,"file_types":["image"]`), faults{"options.0.file_types": {fileTypesInvalid}}},
		{"empty object for a list", rule, withOption(`"type":5,"choices":{},"min_value":false`), nil},
		{"required is no boolean", rule, withOption(`"type":3,"required":1`), faults{"options.0.required": {jsonbody.BooleanConvert}}},
		{"autocomplete is no boolean", rule, withOption(`"type":3,"autocomplete":1`), faults{"options.0.autocomplete": {jsonbody.BooleanConvert}}},
		{
			"autocomplete with choices", "Errors", withOption(`"type":3,"autocomplete":true,"choices":[{"name":"a","value":"b"}]`),
			faults{"options.0.autocomplete": {autocompleteInvalid}},
		},
		{"autocomplete with no choices", "Errors", withOption(`"type":3,"autocomplete":true,"choices":[]`), nil},
		{"choices without autocomplete", "Errors", withOption(`"type":3,"autocomplete":false,"choices":[{"name":"a","value":"b"}]`), nil},
	})
}

func TestOptionBounds(t *testing.T) {
	t.Parallel()
	const rule, low, high = "Option object", "options.0.min_value", "options.0.max_value"
	runParse(t, anyApp, []parseCase{
		{"integer", rule, withOption(`"type":4,"min_value":-3,"max_value":5`), nil},
		{"integer with zero fraction", rule, withOption(`"type":4,"min_value":3.0`), nil},
		{"integer least", "Option types", withOption(`"type":4,"min_value":-9007199254740991`), nil},
		{"integer largest", "Option types", withOption(`"type":4,"max_value":9007199254740991`), nil},
		{"integer below", "Option types", withOption(`"type":4,"min_value":-9007199254740992`), faults{low: {jsonbody.NumberMin}}},
		{"integer above", "Option types", withOption(`"type":4,"max_value":9007199254740992`), faults{high: {jsonbody.NumberMax}}},
		{"integer fraction", rule, withOption(`"type":4,"min_value":1.5`), faults{low: {jsonbody.NumberCoerce}}},
		{"integer text", rule, withOption(`"type":4,"min_value":"1"`), faults{low: {jsonbody.NumberCoerce}}},
		{"integer boolean", rule, withOption(`"type":4,"max_value":true`), faults{high: {jsonbody.NumberCoerce}}},
		{"number", rule, withOption(`"type":10,"min_value":-0.5,"max_value":1e3`), nil},
		{"number least", "Option types", withOption(`"type":10,"min_value":-9007199254740992`), nil},
		{"number largest", "Option types", withOption(`"type":10,"max_value":9007199254740992`), nil},
		{"number below", "Option types", withOption(`"type":10,"min_value":-9007199254740994`), faults{low: {jsonbody.NumberMin}}},
		{"number above", "Option types", withOption(`"type":10,"max_value":9007199254740994`), faults{high: {jsonbody.NumberMax}}},
		{"number far above", "Option types", withOption(`"type":10,"max_value":1e999`), faults{high: {jsonbody.NumberMax}}},
		{"number text", rule, withOption(`"type":10,"min_value":"1"`), faults{low: {jsonbody.NumberCoerce}}},
		{"equal", rule, withOption(`"type":4,"min_value":3,"max_value":3`), nil},
		{"minimum above maximum", rule, withOption(`"type":4,"min_value":4,"max_value":3`), faults{low: {jsonbody.NumberMax}}},
		{"minimum above maximum of numbers", rule, withOption(`"type":10,"min_value":0.2,"max_value":0.1`), faults{low: {jsonbody.NumberMax}}},
		{
			"a bound that cannot be read is not compared", rule, withOption(`"type":4,"min_value":4,"max_value":"x"`),
			faults{high: {jsonbody.NumberCoerce}},
		},
		{"beside choices", rule, withOption(`"type":4,"min_value":4,"choices":[{"name":"a","value":1}]`), nil},
	})
}

func TestOptionLengths(t *testing.T) {
	t.Parallel()
	const rule, low, high = "Option object", "options.0.min_length", "options.0.max_length"
	runParse(t, anyApp, []parseCase{
		{"whole range", rule, withOption(`"type":3,"min_length":0,"max_length":6000`), nil},
		{"shortest maximum", rule, withOption(`"type":3,"max_length":1`), nil},
		{"longest minimum", rule, withOption(`"type":3,"min_length":6000`), nil},
		{"minimum below 0", "Limits", withOption(`"type":3,"min_length":-1`), faults{low: {jsonbody.NumberMin}}},
		{"minimum above 6000", "Limits", withOption(`"type":3,"min_length":6001`), faults{low: {jsonbody.NumberMax}}},
		{"maximum below 1", "Limits", withOption(`"type":3,"max_length":0`), faults{high: {jsonbody.NumberMin}}},
		{"maximum above 6000", "Limits", withOption(`"type":3,"max_length":6001`), faults{high: {jsonbody.NumberMax}}},
		{"fraction", rule, withOption(`"type":3,"min_length":1.5`), faults{low: {jsonbody.NumberCoerce}}},
		{"word", rule, withOption(`"type":3,"max_length":"x"`), faults{high: {jsonbody.NumberCoerce}}},
		{"equal", rule, withOption(`"type":3,"min_length":3,"max_length":3`), nil},
		{"minimum above maximum", rule, withOption(`"type":3,"min_length":4,"max_length":3`), faults{low: {jsonbody.NumberMax}}},
		{"beside choices", rule, withOption(`"type":3,"min_length":4,"choices":[{"name":"a","value":"b"}]`), nil},
	})
}

func TestOptionChannelTypes(t *testing.T) {
	t.Parallel()
	const rule, path = "Option object", "options.0.channel_types"
	var cases []parseCase
	for n := range 20 {
		want := faults{path + ".0": {jsonbody.Choices}}
		if n <= 5 || n >= 10 && n <= 16 {
			want = nil
		}
		cases = append(cases, parseCase{strconv.Itoa(n), rule, withOption(`"type":7,"channel_types":[` + strconv.Itoa(n) + `]`), want})
	}
	cases = append(
		cases,
		parseCase{"negative", rule, withOption(`"type":7,"channel_types":[-1]`), faults{path + ".0": {jsonbody.Choices}}},
		parseCase{"256", rule, withOption(`"type":7,"channel_types":[256]`), faults{path + ".0": {jsonbody.Choices}}},
		parseCase{"word", rule, withOption(`"type":7,"channel_types":[0,"text"]`), faults{path + ".1": {jsonbody.NumberCoerce}}},
		parseCase{"no list", rule, withOption(`"type":7,"channel_types":0`), faults{path: {jsonbody.ListConvert}}},
		parseCase{"none", rule, withOption(`"type":7,"channel_types":[]`), nil},
	)
	runParse(t, anyApp, cases)
	d := parse(t, withOption(`"type":7,"channel_types":[5,0,5,0]`), anyApp)
	want := []command.ChannelType{0, 5}
	if diff := cmp.Diff(want, d.Options[0].ChannelTypes); diff != "" {
		t.Errorf("channel types differ (-want +got):\n%s", diff)
	}
}

func TestOptionFileTypes(t *testing.T) {
	t.Parallel()
	const rule, path = "Option types", "options.0.file_types"
	with := func(v string) string { return withOption(`"type":11,"file_types":` + v) }
	runParse(t, anyApp, []parseCase{
		{"media", rule, with(`["image","video","audio"]`), nil},
		{"extension", rule, with(`[".png",".7z"]`), nil},
		{"any case", rule, with(`["Image",".PNG"]`), nil},
		{"ten", rule, with(`[` + list(10, `".#"`) + `]`), nil},
		{"eleven", rule, with(`[` + list(11, `".#"`) + `]`), faults{path: {jsonbody.MaxLength}}},
		{"other word", rule, with(`["image","text"]`), faults{path + ".1": {jsonbody.Choices}}},
		{"extension without a dot", rule, with(`["png"]`), faults{path + ".0": {jsonbody.Choices}}},
		{"dot alone", rule, with(`["."]`), faults{path + ".0": {jsonbody.Choices}}},
		{"path", rule, with(`["./x"]`), faults{path + ".0": {jsonbody.Choices}}},
		{"longest extension", rule, with(`[".` + repeat("x", 32) + `"]`), nil},
		{"long extension", rule, with(`[".` + repeat("x", 33) + `"]`), faults{path + ".0": {jsonbody.Choices}}},
		{"number", rule, with(`[7]`), faults{path + ".0": {jsonbody.StringConvert}}},
		{"no list", rule, with(`"image"`), faults{path: {jsonbody.ListConvert}}},
	})
	d := parse(t, with(`["Image",".PNG"]`), anyApp)
	if diff := cmp.Diff([]string{"image", ".png"}, d.Options[0].FileTypes); diff != "" {
		t.Errorf("file types differ (-want +got):\n%s", diff)
	}
}

func TestChoices(t *testing.T) {
	t.Parallel()
	const rule, path = "Choice object", "options.0.choices"
	with := func(n int, items string) string {
		return withOption(`"type":` + strconv.Itoa(n) + `,"choices":[` + items + `]`)
	}
	choice := func(v string) string { return `{"name":"c","value":` + v + `}` }
	runParse(t, anyApp, []parseCase{
		{"25", "Limits", with(3, list(25, choice(`"v"`))), nil},
		{"26", "Limits", with(3, list(26, choice(`"v"`))), faults{path: {jsonbody.MaxLength}}},
		{"any name", rule, with(3, `{"name":"Ein Name 🎉 WITH blanks","value":"v"}`), nil},
		{"name missing", rule, with(3, `{"value":"v"}`), faults{path + ".0.name": {jsonbody.Required}}},
		{"name null", rule, with(3, `{"name":null,"value":"v"}`), faults{path + ".0.name": {jsonbody.Required}}},
		{"name number", rule, with(3, `{"name":7,"value":"v"}`), faults{path + ".0.name": {jsonbody.StringConvert}}},
		{"name empty", rule, with(3, `{"name":"","value":"v"}`), faults{path + ".0.name": {jsonbody.BadLength}}},
		{"name longest", rule, with(3, `{"name":"`+repeat("🎉", 100)+`","value":"v"}`), nil},
		{"name too long", rule, with(3, `{"name":"`+repeat("🎉", 101)+`","value":"v"}`), faults{path + ".0.name": {jsonbody.BadLength}}},
		{"value missing", rule, with(3, `{"name":"c"}`), faults{path + ".0.value": {jsonbody.Required}}},
		{"value null", rule, with(4, choice(`null`)), faults{path + ".0.value": {jsonbody.Required}}},
		{"text", rule, with(3, choice(`"v"`)), nil},
		{"empty text", rule, with(3, choice(`""`)), nil},
		{"longest text", rule, with(3, choice(`"`+repeat("ü", 100)+`"`)), nil},
		{"text too long", rule, with(3, choice(`"`+repeat("ü", 101)+`"`)), faults{path + ".0.value": {jsonbody.MaxLength}}},
		{"number for a text", rule, with(3, choice(`7`)), faults{path + ".0.value": {jsonbody.StringConvert}}},
		{"boolean for a text", rule, with(3, choice(`true`)), faults{path + ".0.value": {jsonbody.StringConvert}}},
		{"integer", rule, with(4, choice(`7`)), nil},
		{"zero", rule, with(4, choice(`0`)), nil},
		{"integer with zero fraction", rule, with(4, choice(`7.0`)), nil},
		{"largest integer", "Option types", with(4, choice(`9007199254740991`)), nil},
		{"least integer", "Option types", with(4, choice(`-9007199254740991`)), nil},
		{"integer above", "Option types", with(4, choice(`9007199254740992`)), faults{path + ".0.value": {jsonbody.NumberMax}}},
		{"integer below", "Option types", with(4, choice(`-9007199254740992`)), faults{path + ".0.value": {jsonbody.NumberMin}}},
		{"fraction for an integer", rule, with(4, choice(`7.5`)), faults{path + ".0.value": {jsonbody.NumberCoerce}}},
		{"text for an integer", rule, with(4, choice(`"7"`)), faults{path + ".0.value": {jsonbody.NumberCoerce}}},
		{"number", rule, with(10, choice(`7.5`)), nil},
		{"largest number", "Option types", with(10, choice(`9007199254740992`)), nil},
		{"number above", "Option types", with(10, choice(`9007199254740994`)), faults{path + ".0.value": {jsonbody.NumberMax}}},
		{"number below", "Option types", with(10, choice(`-9007199254740994`)), faults{path + ".0.value": {jsonbody.NumberMin}}},
		{"text for a number", rule, with(10, choice(`"7.5"`)), faults{path + ".0.value": {jsonbody.NumberCoerce}}},
		{"same name twice", rule, with(3, choice(`"v"`)+","+choice(`"w"`)), nil},
		{"same value twice", rule, with(3, `{"name":"a","value":"v"},{"name":"b","value":"v"}`), nil},
		{"no object", rule, with(3, `"v"`), faults{path + ".0": {jsonbody.ModelConvert}}},
		{"null", rule, with(3, `null`), faults{path + ".0": {jsonbody.ListItemRequired}}},
		{"empty", rule, with(3, `{}`), faults{path + ".0": {jsonbody.ListItemRequired}}},
		{"no list", rule, withOption(`"type":3,"choices":"v"`), faults{path: {jsonbody.ListConvert}}},
	})
}

func TestChoiceValue(t *testing.T) {
	t.Parallel()
	d := parse(t, chat(`"options":[
		{"type":3,"name":"a","description":"d","choices":[{"name":"c","value":"0"}]},
		{"type":4,"name":"b","description":"d","choices":[{"name":"c","value":-0.0},{"name":"d","value":9007199254740991}]},
		{"type":10,"name":"c","description":"d","choices":[{"name":"c","value":-0.0},{"name":"d","value":1e-7}]}]`), anyApp)
	for i, want := range [][]command.Value{
		{command.TextValue("0")},
		{command.NumberValue(0), command.NumberValue(9007199254740991)},
		{command.NumberValue(0), command.NumberValue(1e-7)},
	} {
		for j, c := range d.Options[i].Choices {
			if c.Value != want[j] {
				t.Errorf("value %d of option %d = %v, want %v", j, i, c.Value, want[j])
			}
		}
	}
	if _, ok := command.TextValue("7").Number(); ok {
		t.Error("a text is a number")
	}
	if _, ok := command.NumberValue(7).Text(); ok {
		t.Error("a number is a text")
	}
	if s, ok := command.TextValue("7").Text(); s != "7" || !ok {
		t.Errorf("Text() = %q, %v", s, ok)
	}
	if f, ok := command.NumberValue(7).Number(); f != 7 || !ok {
		t.Errorf("Number() = %v, %v", f, ok)
	}
}
