package interaction_test

import (
	"strings"
	"testing"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/rules/interaction"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// opaque compares JSON values by their text and ignores unexported fields.
var opaque = cmp.Options{
	cmp.Comparer(func(a, b jsonbody.Value) bool { return a.Kind() == b.Kind() && a.String() == b.String() }),
	cmpopts.IgnoreUnexported(interaction.References{}),
}

// definition returns a definition with the given options.
func definition(tb testing.TB, options string) command.Definition {
	tb.Helper()
	d, err := command.Parse([]byte(`{"name":"roll","description":"d","options":`+options+`}`), command.Env{})
	if err != nil {
		tb.Fatalf("Parse(%s) = %v", options, err)
	}
	return d
}

// use returns an invocation of a command with options in a guild.
func use(tb testing.TB, options string) interaction.Invoke {
	tb.Helper()
	return interaction.Invoke{
		Type: interaction.ApplicationCommand, Guild: 300, Channel: 310,
		Command: interaction.CommandUse{Name: "roll", Type: command.ChatInput, Options: parse(tb, options)},
	}
}

const (
	flat = `[{"type":4,"name":"sides","description":"d","required":true},{"type":5,"name":"secret","description":"d"}]`
	deep = `[{"type":2,"name":"admin","description":"d","options":[
		{"type":1,"name":"ban","description":"d","options":[{"type":6,"name":"who","description":"d","required":true}]},
		{"type":1,"name":"list","description":"d"}]},
		{"type":1,"name":"start","description":"d","options":[{"type":3,"name":"why","description":"d"}]}]`
	invalid = interaction.OptionInvalid
	missing = interaction.OptionMissing
)

func TestMatchOptionsStructure(t *testing.T) {
	t.Parallel()
	noSubcommand := codes{"data": {interaction.CommandInvalid}}
	bad := codes{"data.options": {invalid}}
	for _, tt := range []struct {
		name, rule, options, give string
		want                      codes
	}{
		{"order is free", "4.1 any", flat, `[{"type":5,"name":"secret","value":true},{"type":4,"name":"sides","value":6}]`, nil},
		{"optional left out", "4.1 any", flat, `[{"type":4,"name":"sides","value":6}]`, nil},
		{"type as digits", "4.1 any", flat, `[{"type":"4","name":"sides","value":6}]`, nil},
		{"undeclared name", "4.1 any", flat, `[{"type":4,"name":"sides","value":6},{"type":4,"name":"count","value":1}]`, bad},
		{"more than declared", "4.1 any", flat, `[{},{},{}]`, bad},
		{"twice", "4.1 any", flat, `[{"type":4,"name":"sides","value":6},{"type":4,"name":"sides","value":6}]`, bad},
		{"other type", "4.1 any", flat, `[{"type":3,"name":"sides","value":"6"}]`, codes{"data.options": {missing, invalid}}},
		{"type missing", "4.1 any", flat, `[{"name":"sides","value":6}]`, codes{"data.options": {missing, invalid}}},
		{"type is a text", "4.1 any", flat, `[{"type":"int","name":"sides","value":6}]`, codes{"data.options": {missing, invalid}}},
		{"no object", "4.1 any", flat, `[7]`, codes{"data.options": {missing, invalid}}},
		{"options below a value", "4.1 any", flat, `[{"type":4,"name":"sides","value":6,"options":[{}]}]`, codes{"data.options": {missing, invalid}}},
		{"required absent", "2.2 row 13", flat, `[]`, codes{"data.options": {missing}}},
		{"required null", "2.2 row 14", flat, `[{"type":4,"name":"sides","value":null}]`, bad},
		{"several faults at once", "2.2 rows 13 and 14", flat, `[{"type":5,"name":"secret","value":1}]`, codes{"data.options": {missing, invalid}}},
		{"focused is dropped", "4.1 focused", flat, `[{"type":4,"name":"sides","value":6,"focused":true}]`, nil},
		{"no options declared", "4.1 any", `[]`, `[{"type":4,"name":"sides","value":6}]`, bad},

		{"subcommand", "4.1 SUB_COMMAND", deep, `[{"type":1,"name":"start","options":[{"type":3,"name":"why","value":"x"}]}]`, nil},
		{"subcommand without options", "4.1 SUB_COMMAND", deep, `[{"type":1,"name":"start"}]`, nil},
		{"group", "4.1 GROUP", deep, `[{"type":2,"name":"admin","options":[{"type":1,"name":"ban","options":[{"type":6,"name":"who","value":"5"}]}]}]`, nil},
		{"base command", "2.2 row 12", deep, `[]`, noSubcommand},
		{"two subcommands", "2.2 row 12", deep, `[{"type":1,"name":"start"},{"type":1,"name":"start"}]`, noSubcommand},
		{"group without subcommand", "4.1 GROUP", deep, `[{"type":2,"name":"admin"}]`, noSubcommand},
		{"group with two subcommands", "4.1 GROUP", deep, `[{"type":2,"name":"admin","options":[{"type":1,"name":"list"},{"type":1,"name":"ban"}]}]`, noSubcommand},
		{"unknown subcommand", "4.1 any", deep, `[{"type":1,"name":"stop"}]`, bad},
		{"subcommand as group", "4.1 any", deep, `[{"type":2,"name":"start"}]`, bad},
		{"subcommand with a value", "4.1 SUB_COMMAND", deep, `[{"type":1,"name":"start","value":1}]`, bad},
		{"options of a subcommand are no list", "4.1 SUB_COMMAND", deep, `[{"type":1,"name":"start","options":{"a":1}}]`, bad},
		{"required absent below", "2.2 row 13", deep, `[{"type":2,"name":"admin","options":[{"type":1,"name":"ban"}]}]`, codes{"data.options": {missing}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := interaction.MatchOptions(definition(t, tt.options), use(t, tt.give), nil)
			if diff := cmp.Diff(tt.want, findings(t, err)); diff != "" {
				t.Errorf("%s: errors differ (-want +got):\n%s", tt.rule, diff)
			}
		})
	}
}

func TestMatchOptionsKeepsOrderAndDefaultNames(t *testing.T) {
	t.Parallel()
	matched, err := interaction.MatchOptions(definition(t, deep),
		use(t, `[{"type":2,"name":"admin","options":[{"type":1,"name":"ban","options":[{"type":6,"name":"who","value":"5"}]}]}]`), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []interaction.Option{{Type: command.SubCommandGroup, Name: "admin", Options: []interaction.Option{{
		Type: command.SubCommand, Name: "ban", Options: []interaction.Option{{Type: command.OptionUser, Name: "who", Value: jsonbody.StringOf("5")}},
	}}}}
	if diff := cmp.Diff(want, matched.Options, opaque); diff != "" {
		t.Errorf("options differ (-want +got):\n%s", diff)
	}
	if matched.Path != "roll admin ban" {
		t.Errorf("Path = %q, want %q", matched.Path, "roll admin ban")
	}

	matched, err = interaction.MatchOptions(definition(t, flat), use(t, `[{"type":5,"name":"secret","value":true},{"type":4,"name":"sides","value":6}]`), nil)
	if err != nil || len(matched.Options) != 2 || matched.Options[0].Name != "secret" {
		t.Errorf("MatchOptions() = %+v, %v, want secret before sides", matched.Options, err)
	}
}

func TestMatchOptionsAutocomplete(t *testing.T) {
	t.Parallel()
	const options = `[{"type":3,"name":"city","description":"d","required":true,"autocomplete":true,"min_length":5},
		{"type":4,"name":"count","description":"d","required":true,"autocomplete":true,"max_value":3},
		{"type":3,"name":"size","description":"d","choices":[{"name":"S","value":"s"}]},
		{"type":6,"name":"who","description":"d"},{"type":11,"name":"file","description":"d"},
		{"type":10,"name":"price","description":"d","max_value":1},{"type":5,"name":"new","description":"d"}]`
	one := func(more string) string { return `[{"type":3,"name":"city","value":"B","focused":true}` + more + `]` }
	for _, tt := range []struct {
		name, rule, give string
		want             codes
		options          string // as the interaction shows them
		focus            command.OptionType
	}{
		{"partial text", "4.2", one(""), nil, `[{"type":3,"name":"city","value":"B","focused":true}]`, command.String},
		{"integer as text", "4.2", `[{"type":4,"name":"count","value":"1","focused":true}]`, nil, `[{"type":4,"name":"count","value":"1","focused":true}]`, command.Integer},
		{"integer as number", "4.2", `[{"type":4,"name":"count","value":12,"focused":true}]`, nil, `[{"type":4,"name":"count","value":"12","focused":true}]`, command.Integer},
		{"nothing typed", "4.2", `[{"type":3,"name":"city","focused":true}]`, nil, `[{"type":3,"name":"city","value":"","focused":true}]`, command.String},
		{
			"values are not checked", "S8", one(`,{"type":4,"name":"count","value":99},{"type":3,"name":"size","value":"XXL"},{"type":6,"name":"who","value":"x"}`), nil,
			`[{"type":3,"name":"city","value":"B","focused":true},{"type":4,"name":"count","value":99},{"type":3,"name":"size","value":"XXL"},{"type":6,"name":"who","value":"x"}]`, command.String,
		},
		{"empty and files left out", "4.2", one(`,{"type":4,"name":"count"},{"type":11,"name":"file","value":"0"}`), nil, `[{"type":3,"name":"city","value":"B","focused":true}]`, command.String},
		{"known users are resolved", "5.1 resolved", one(`,{"type":6,"name":"who","value":"200"}`), nil, `[{"type":3,"name":"city","value":"B","focused":true},{"type":6,"name":"who","value":"200"}]`, command.String},
		{"nothing focused", "4.2", `[{"type":3,"name":"city","value":"B"}]`, codes{"data.options": {invalid}}, "", 0},
		{"two focused", "4.2", one(`,{"type":4,"name":"count","value":"1","focused":true}`), codes{"data.options": {invalid}}, "", 0},
		{"focused without autocomplete", "4.2", `[{"type":3,"name":"size","value":"s","focused":true}]`, codes{"data.options": {invalid}}, "", 0},
		{"option types are checked", "S8", one(`,{"type":3,"name":"count","value":"1"}`), codes{"data.options": {invalid}}, "", 0},
		{"value is a list", "S8", one(`,{"type":4,"name":"count","value":[]}`), codes{"data.options": {invalid}}, "", 0},
		{"focused integer as any text", "4.2", `[{"type":4,"name":"count","value":"abc","focused":true}]`, nil, `[{"type":4,"name":"count","value":"abc","focused":true}]`, command.Integer},
		{"no text for an integer that is not focused", "Events, Autocomplete", one(`,{"type":4,"name":"count","value":"abc"}`), codes{"data.options": {invalid}}, "", 0},
		{"not even digits", "Events, Autocomplete", one(`,{"type":4,"name":"count","value":"1"}`), codes{"data.options": {invalid}}, "", 0},
		{"no fraction for an integer", "Events, Autocomplete", one(`,{"type":4,"name":"count","value":1.5}`), codes{"data.options": {invalid}}, "", 0},
		{"no text for a number", "Events, Autocomplete", one(`,{"type":10,"name":"price","value":"1.5"}`), codes{"data.options": {invalid}}, "", 0},
		{"no number out of range", "Events, Autocomplete", one(`,{"type":10,"name":"price","value":9007199254740993}`), codes{"data.options": {invalid}}, "", 0},
		{"no text for a boolean", "Events, Autocomplete", one(`,{"type":5,"name":"new","value":"true"}`), codes{"data.options": {invalid}}, "", 0},
		{"no number for a text", "Events, Autocomplete", one(`,{"type":3,"name":"size","value":5}`), codes{"data.options": {invalid}}, "", 0},
		{
			"numbers beyond the limits of the option", "S8", one(`,{"type":10,"name":"price","value":1.5},{"type":5,"name":"new","value":false}`), nil,
			`[{"type":3,"name":"city","value":"B","focused":true},{"type":10,"name":"price","value":1.5},{"type":5,"name":"new","value":false}]`, command.String,
		},
		{"never an invalid number", "Events, Autocomplete", one(`,{"type":4,"name":"count","value":1e400}`), codes{"data.options": {invalid}}, "", 0},
		{"focused is an object", "4.2", `[{"type":3,"name":"city","value":{},"focused":true}]`, codes{"data.options": {invalid}}, "", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			in := use(t, tt.give)
			in.Type = interaction.Autocomplete
			matched, err := interaction.MatchOptions(definition(t, options), in, nil)
			if diff := cmp.Diff(tt.want, findings(t, err)); diff != "" {
				t.Fatalf("%s: errors differ (-want +got):\n%s", tt.rule, diff)
			}
			if err != nil {
				return
			}
			got := string(interaction.Interaction{Data: interaction.CommandData{Options: matched.Options}}.AppendJSON(nil))
			if !strings.Contains(got, `"options":`+tt.options) || matched.Focus != tt.focus {
				t.Errorf("%s: focus %v in %s, want %v in %s", tt.rule, matched.Focus, got, tt.focus, tt.options)
			}
			if err := matched.Check(interaction.Resolved{}); err != nil {
				t.Errorf("Check() = %v, want nil for autocomplete", err)
			}
		})
	}
}

func TestMatchOptionsTarget(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		use   interaction.CommandUse
		found interaction.Resolved
		want  interaction.Wanted
	}{
		{
			"user command",
			interaction.CommandUse{Type: command.User, TargetUser: 5},
			interaction.Resolved{Users: []wire.User{{ID: 5}}},
			interaction.Wanted{Users: []snowflake.User{5}},
		},
		{
			"message command",
			interaction.CommandUse{Type: command.Message, TargetMessage: 6},
			interaction.Resolved{Messages: []interaction.ResolvedMessage{{ID: 6}}},
			interaction.Wanted{Message: 6},
		},
		{"entry point", interaction.CommandUse{Type: command.PrimaryEntryPoint}, interaction.Resolved{}, interaction.Wanted{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			in := interaction.Invoke{Type: interaction.ApplicationCommand, Command: tt.use}
			matched, err := interaction.MatchOptions(command.Definition{Type: tt.use.Type, Name: "x"}, in, nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, matched.Wanted()); diff != "" {
				t.Errorf("Wanted() differs (-want +got):\n%s", diff)
			}
			if err := matched.Check(tt.found); err != nil {
				t.Errorf("Check() = %v, want nil", err)
			}
			var want map[string][]jsonbody.Code
			if tt.use.Type != command.PrimaryEntryPoint {
				want = codes{"data": {interaction.CommandInvalid}}
			}
			if diff := cmp.Diff(want, findings(t, matched.Check(interaction.Resolved{}))); diff != "" {
				t.Errorf("errors about a missing target differ (-want +got):\n%s", diff)
			}
		})
	}
}
