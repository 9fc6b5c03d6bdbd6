package command_test

import (
	"math"
	"testing"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/locale"
	"github.com/google/go-cmp/cmp"
)

// TestValidate checks that definitions made in Go have to keep the same rules as bodies.
func TestValidate(t *testing.T) {
	t.Parallel()
	roll := func(options ...command.Option) command.Definition {
		return command.Definition{Type: command.ChatInput, Name: "roll", Description: "Roll dice", Options: options}
	}
	option := func(change func(*command.Option)) command.Definition {
		o := command.Option{Type: command.String, Name: "opt", Description: "An option"}
		change(&o)
		return roll(o)
	}
	for _, tt := range []struct {
		name, rule string
		give       command.Definition
		want       faults
	}{
		{"right", "Application command object", roll(), nil},
		{"without a type", "Command types", command.Definition{Name: "a"}, faults{"type": {jsonbody.Choices}}},
		{"unknown type", "Command types", command.Definition{Type: 9, Name: "a"}, faults{"type": {jsonbody.Choices}}},
		{"no name", "Application command object", command.Definition{Type: command.User}, faults{"name": {jsonbody.BadLength}}},
		{"guild entry point", "Application commands, guild", command.Definition{Type: command.PrimaryEntryPoint, Name: "L", Handler: 1, Guild: true}, faults{"type": {jsonbody.Choices}}},
		{"handler of CHAT_INPUT", "Entry point handler types", command.Definition{Type: command.ChatInput, Name: "a", Description: "d", Handler: 1}, faults{"handler": {handlerInvalid}}},
		{"unknown handler", "Entry point handler types", command.Definition{Type: command.PrimaryEntryPoint, Name: "a", Handler: 3}, faults{"handler": {jsonbody.Choices}}},
		{"no contexts", contextRule, command.Definition{Type: command.User, Name: "a", Contexts: []command.Context{}}, faults{"contexts": {jsonbody.MinLength}}},
		{"unknown context", contextRule, command.Definition{Type: command.User, Name: "a", Contexts: []command.Context{7}}, faults{"contexts.0": {jsonbody.Choices}}},
		{"unknown integration type", contextRule, command.Definition{Type: command.User, Name: "a", IntegrationTypes: []command.IntegrationType{7}}, faults{"integration_types.0": {jsonbody.Choices}}},
		{"unknown language", "Localization rules", command.Definition{Type: command.User, Name: "a", NameLocalizations: locale.Map{"xx": "b"}}, faults{"name_localizations.xx": {jsonbody.Choices}}},
		{"required after optional", "Option object", roll(
			command.Option{Type: command.Integer, Name: "sides", Description: "d"},
			command.Option{Type: command.Integer, Name: "count", Description: "d", Required: true},
		), faults{"options.1": {requiredOrder}}},
		{"option without a type", "Option types", option(func(o *command.Option) { o.Type = 0 }), faults{"options.0": {jsonbody.UnionChoices}}},
		{"required subcommand", "Option object", option(func(o *command.Option) { o.Type, o.Required = command.SubCommand, true }), faults{"options.0.required": {requiredInvalid}}},
		{"choices of a user", "Option object", option(func(o *command.Option) {
			o.Type, o.Choices = command.OptionUser, []command.Choice{{Name: "a", Value: command.TextValue("b")}}
		}), faults{"options.0.choices": {choicesInvalid}}},
		{"choice without a value", "Choice object", option(func(o *command.Option) { o.Choices = []command.Choice{{Name: "a"}} }), faults{"options.0.choices.0.value": {jsonbody.Required}}},
		{"choice of another kind", "Choice object", option(func(o *command.Option) {
			o.Choices = []command.Choice{{Name: "a", Value: command.NumberValue(1)}}
		}), faults{"options.0.choices.0.value": {jsonbody.StringConvert}}},
		{"autocomplete with choices", "Errors", option(func(o *command.Option) {
			o.Autocomplete, o.Choices = true, []command.Choice{{Name: "a", Value: command.TextValue("b")}}
		}), faults{"options.0.autocomplete": {autocompleteInvalid}}},
		{"bound that is no number", "Option object", option(func(o *command.Option) { o.Type, o.MinValue = command.Number, new(math.NaN()) }), faults{"options.0.min_value": {jsonbody.NumberCoerce}}},
		{"bound without end", "Option object", option(func(o *command.Option) { o.Type, o.MaxValue = command.Number, new(math.Inf(1)) }), faults{"options.0.max_value": {jsonbody.NumberCoerce}}},
		{"bounds of a text", "Option object", option(func(o *command.Option) { o.MinValue = new(0.0) }), faults{"options.0.min_value": {minValueInvalid}}},
		{"lengths crossed", "Option object", option(func(o *command.Option) { o.MinLength, o.MaxLength = new(5), new(3) }), faults{"options.0.min_length": {jsonbody.NumberMax}}},
		{"group in a group", "Errors", roll(command.Option{
			Type: command.SubCommandGroup, Name: "a", Description: "d",
			Options: []command.Option{{Type: command.SubCommandGroup, Name: "b", Description: "d"}},
		}), faults{"options.0.options.0": {jsonbody.UnionChoices}}},
		{"not UTF-8", "Command naming", command.Definition{Type: command.ChatInput, Name: "a\xff", Description: "d"}, faults{"name": {jsonbody.StringRegex, invalidName}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, faultsOf(t, command.Validate(tt.give))); diff != "" {
				t.Errorf("%s: findings differ (-want +got):\n%s", tt.rule, diff)
			}
		})
	}
}

func TestValidateNestedTooDeep(t *testing.T) {
	t.Parallel()
	o := command.Option{Type: command.SubCommand, Name: "a", Description: "d"}
	for range 100 {
		o = command.Option{Type: command.SubCommand, Name: "a", Description: "d", Options: []command.Option{o}}
	}
	d := command.Definition{Type: command.ChatInput, Name: "a", Description: "d", Options: []command.Option{o}}
	if command.Validate(d) == nil {
		t.Error("Validate() accepts options that nest 100 deep")
	}
	if _, err := d.Amend(nil, anyApp); err == nil {
		t.Error("Amend() accepts options that nest 100 deep")
	}
}
