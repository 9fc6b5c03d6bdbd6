package interaction_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/rules/interaction"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/google/go-cmp/cmp"
)

const (
	modalOf = `{"custom_id":"fb","title":"Feedback","components":[{"type":18,"label":"What?","component":{"type":4,"custom_id":"txt","style":1}}]}`
	someMsg = `{"content":"hi"}`
)

// dataFor returns valid data for a type of callback.
func dataFor(kind int) string {
	switch kind {
	case 4, 7:
		return someMsg
	case 8:
		return `{"choices":[]}`
	case 9:
		return modalOf
	}
	return `null`
}

// TestCallbackTypes tests the table of section 8.1 of the specification.
func TestCallbackTypes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		from  interaction.Origin
		takes []int
	}{
		{"ping", interaction.Origin{Type: interaction.Ping}, []int{1}},
		{"command", interaction.Origin{Type: interaction.ApplicationCommand}, []int{4, 5, 9, 12}},
		{"component", interaction.Origin{Type: interaction.MessageComponent}, []int{4, 5, 6, 7, 9, 12}},
		{"autocomplete", interaction.Origin{Type: interaction.Autocomplete, Focus: command.String}, []int{8}},
		{"modal", interaction.Origin{Type: interaction.ModalSubmit}, []int{4, 5, 12}},
		{"modal from component", interaction.Origin{Type: interaction.ModalSubmit, FromComponent: true}, []int{4, 5, 6, 7, 12}},
		{"command of an app without Activity", interaction.Origin{Type: interaction.ApplicationCommand, NoLaunch: interaction.ReasonNotEmbedded}, []int{4, 5, 9}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for kind := range 16 {
				legal := false
				for _, k := range tt.takes {
					legal = legal || k == kind
				}
				cb, err := interaction.ReadCallback(parse(t, fmt.Sprintf(`{"type":%d,"data":%s}`, kind, dataFor(kind))), tt.from)
				if legal {
					if err != nil || int(cb.Type) != kind {
						t.Errorf("type %d: %v, %v, want it to be accepted", kind, cb.Type, err)
					}
					continue
				}
				if diff := cmp.Diff(codes{"type": {jsonbody.Choices}}, findings(t, err)); diff != "" {
					t.Errorf("type %d: errors differ (-want +got):\n%s", kind, diff)
				}
				list := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(tt.takes)), ", "), "[]")
				if want := "Value must be one of {" + list + "}."; !strings.Contains(err.Error(), want) {
					t.Errorf("type %d: %v, want %q", kind, err, want)
				}
			}
		})
	}
}

func TestCallbackLaunchRefused(t *testing.T) {
	t.Parallel()
	for _, reason := range []interaction.Reason{interaction.ReasonNoPermission, interaction.ReasonNotEmbedded} {
		_, err := interaction.ReadCallback(parse(t, `{"type":12}`), interaction.Origin{Type: interaction.ApplicationCommand, NoLaunch: reason})
		launch, ok := errors.AsType[*interaction.LaunchError](err)
		if !ok || launch.Reason != reason {
			t.Errorf("error is %v, want a LaunchError with reason %d (13 of the reference)", err, reason)
		}
		if diff := cmp.Diff(codes{"type": {jsonbody.Choices}}, findings(t, err)); diff != "" {
			t.Errorf("errors differ (-want +got):\n%s", diff)
		}
	}
	_, err := interaction.ReadCallback(parse(t, `{"type":12}`), interaction.Origin{Type: interaction.Autocomplete})
	if _, ok := errors.AsType[*interaction.LaunchError](err); ok {
		t.Error("ReadCallback() = a LaunchError for an autocomplete interaction")
	}
}

func TestReadCallbackFaults(t *testing.T) {
	t.Parallel()
	toCommand := interaction.Origin{Type: interaction.ApplicationCommand}
	toTyping := interaction.Origin{Type: interaction.Autocomplete, Focus: command.String}
	for _, tt := range []struct {
		name, rule, give string
		from             interaction.Origin
		want             codes
	}{
		{"no object", "8", `[]`, toCommand, codes{"": {jsonbody.ModelConvert}}},
		{"no type", "8.1", `{"data":{}}`, toCommand, codes{"type": {jsonbody.Required}}},
		{"type is a text", "8.1", `{"type":"x"}`, toCommand, codes{"type": {jsonbody.NumberCoerce}}},
		{"message is no object", "8.3 bad data", `{"type":4,"data":[]}`, toCommand, codes{"data": {jsonbody.ModelConvert}}},
		{"paths start at data", "8.3 bad data", `{"type":4,"data":{"content":5,"embeds":[{"title":5}]}}`, toCommand, codes{
			"data.content": {jsonbody.StringConvert}, "data.embeds.0.title": {jsonbody.StringConvert},
		}},
		{"deferred and ephemeral", "8.1 type 5", `{"type":5,"data":{"flags":64}}`, toCommand, nil},
		{"deferred without flags", "8.1 type 5", `{"type":5,"data":{}}`, toCommand, nil},
		{"deferred with no flags", "8.1 type 5", `{"type":5,"data":{"flags":0}}`, toCommand, nil},
		{"deferred with other flags", "8.1 type 5", `{"type":5,"data":{"flags":68}}`, toCommand, codes{"data.flags": {jsonbody.Choices}}},
		{"deferred flags are a text", "8.1 type 5", `{"type":5,"data":{"flags":"x"}}`, toCommand, codes{"data.flags": {jsonbody.NumberCoerce}}},
		{"deferred data is a list", "8.1 type 5", `{"type":5,"data":[]}`, toCommand, codes{"data": {jsonbody.ModelConvert}}},
		{"choices without data", "11", `{"type":8}`, toTyping, codes{"data": {jsonbody.Required}}},
		{"choices data is a list", "11", `{"type":8,"data":[]}`, toTyping, codes{"data": {jsonbody.ModelConvert}}},
		{"no choices", "11", `{"type":8,"data":{}}`, toTyping, codes{"data.choices": {jsonbody.Required}}},
		{"modal without data", "12", `{"type":9}`, toCommand, codes{"data": {jsonbody.Required}}},
		{"modal data is a text", "12", `{"type":9,"data":"x"}`, toCommand, codes{"data": {jsonbody.ModelConvert}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := interaction.ReadCallback(parse(t, tt.give), tt.from)
			if diff := cmp.Diff(tt.want, findings(t, err)); diff != "" {
				t.Errorf("%s: errors differ (-want +got):\n%s", tt.rule, diff)
			}
		})
	}
}

func TestReadCallbackDeferred(t *testing.T) {
	t.Parallel()
	cb, err := interaction.ReadCallback(parse(t, `{"type":5,"data":{"flags":64}}`), interaction.Origin{Type: interaction.ApplicationCommand})
	if want := message.Loading | message.Ephemeral; err != nil || cb.Message.Flags != want {
		t.Errorf("flags %d, %v, want %d", cb.Message.Flags, err, want)
	}
}

func TestReadCallbackEmptyMessage(t *testing.T) {
	t.Parallel()
	from := interaction.Origin{Type: interaction.MessageComponent}
	for _, give := range []string{
		`{"type":4}`, `{"type":4,"data":null}`, `{"type":4,"data":{}}`, `{"type":4,"data":{"content":" \n"}}`,
		`{"type":4,"data":{"content":null,"embeds":[],"components":[],"attachments":[]}}`, `{"type":4,"data":{"flags":32768}}`,
	} {
		if _, err := interaction.ReadCallback(parse(t, give), from); !errors.Is(err, message.ErrEmpty) {
			t.Errorf("ReadCallback(%s) = %v, want message.ErrEmpty (8.2)", give, err)
		}
	}
	from.Files = uploads[:1]
	if _, err := interaction.ReadCallback(parse(t, `{"type":4}`), from); err != nil {
		t.Errorf("a message with only a file: %v (8.2)", err)
	}
}

func TestReadCallbackUpdate(t *testing.T) {
	t.Parallel()
	from := interaction.Origin{Type: interaction.MessageComponent, Message: message.Content{Text: "old", Flags: message.Ephemeral}}
	for _, give := range []string{`{"type":7}`, `{"type":7,"data":{}}`, `{"type":7,"data":null}`} {
		cb, err := interaction.ReadCallback(parse(t, give), from)
		if err != nil || cb.Message.Text != "old" || cb.Message.Flags != message.Ephemeral {
			t.Errorf("ReadCallback(%s) = %+v, %v, want the message as it was (8.1 type 7)", give, cb.Message, err)
		}
	}
	cb, err := interaction.ReadCallback(parse(t, `{"type":7,"data":{"content":"new"}}`), from)
	if err != nil || cb.Message.Text != "new" {
		t.Errorf("ReadCallback() = %+v, %v, want the new text", cb.Message, err)
	}
}

func TestChoices(t *testing.T) {
	t.Parallel()
	many := func(n int) string {
		return strings.TrimSuffix(strings.Repeat(`{"name":"a","value":"a"},`, n), ",")
	}
	text := func(n int) string { return `"` + strings.Repeat("é", n) + `"` }
	for _, tt := range []struct {
		name, rule, choices string
		focus               command.OptionType
		want                codes
	}{
		{"none", "11 answer", ``, command.String, nil},
		{"25", "11 count", many(25), command.String, nil},
		{"26", "11 count", many(26), command.String, codes{"data.choices": {jsonbody.MaxLength}}},
		{"duplicates", "11 duplicates", many(2), command.String, nil},
		{"longest name", "11 name", `{"name":` + text(100) + `,"value":"a"}`, command.String, nil},
		{"name too long", "11 name", `{"name":` + text(101) + `,"value":"a"}`, command.String, codes{"data.choices.0.name": {jsonbody.BadLength}}},
		{"empty name", "11 name", `{"name":"","value":"a"}`, command.String, codes{"data.choices.0.name": {jsonbody.BadLength}}},
		{"no name and no value", "11 name", `{"x":1}`, command.String, codes{"data.choices.0.name": {jsonbody.Required}, "data.choices.0.value": {jsonbody.Required}}},
		{"choice is a text", "11", `"a"`, command.String, codes{"data.choices.0": {jsonbody.ModelConvert}}},
		{"longest value", "11 value", `{"name":"a","value":` + text(100) + `}`, command.String, nil},
		{"value too long", "11 value", `{"name":"a","value":` + text(101) + `}`, command.String, codes{"data.choices.0.value": {jsonbody.MaxLength}}},
		{"number for a text", "11 value", `{"name":"a","value":1}`, command.String, codes{"data.choices.0.value": {jsonbody.StringConvert}}},
		{"integer", "11 integer", `{"name":"a","value":9007199254740991}`, command.Integer, nil},
		{"integer too large", "11 integer", `{"name":"a","value":9007199254740992}`, command.Integer, codes{"data.choices.0.value": {jsonbody.NumberMax}}},
		{"integer too small", "11 integer", `{"name":"a","value":-9007199254740993}`, command.Integer, codes{"data.choices.0.value": {jsonbody.NumberMin}}},
		{"fraction in an integer", "11 integer", `{"name":"a","value":1.5}`, command.Integer, codes{"data.choices.0.value": {jsonbody.NumberCoerce}}},
		{"text for an integer", "11 value", `{"name":"a","value":"1"}`, command.Integer, codes{"data.choices.0.value": {jsonbody.NumberCoerce}}},
		{"number", "11 number", `{"name":"a","value":-0.5}`, command.Number, nil},
		{"largest number", "11 number", `{"name":"a","value":9007199254740992}`, command.Number, nil},
		{"number above before rounding", "11 number", `{"name":"a","value":9007199254740993}`, command.Number, codes{"data.choices.0.value": {jsonbody.NumberMax}}},
		{"infinite number", "11 number", `{"name":"a","value":1e400}`, command.Number, codes{"data.choices.0.value": {jsonbody.NumberMax}}},
		{"text for a number", "11 value", `{"name":"a","value":"1"}`, command.Number, codes{"data.choices.0.value": {jsonbody.NumberCoerce}}},
		{"localized", "11 name_localizations", `{"name":"a","value":"a","name_localizations":{"de":"ä","fr":null}}`, command.String, nil},
		{"unknown language", "11 name_localizations", `{"name":"a","value":"a","name_localizations":{"xx":"ä"}}`, command.String, codes{"data.choices.0.name_localizations.xx": {jsonbody.Choices}}},
		{"localization too long", "11 name_localizations", `{"name":"a","value":"a","name_localizations":{"de":` + text(101) + `}}`, command.String, codes{"data.choices.0.name_localizations.de": {jsonbody.BadLength}}},
		{"localizations are a list", "11 name_localizations", `{"name":"a","value":"a","name_localizations":[]}`, command.String, codes{"data.choices.0.name_localizations": {jsonbody.DictConvert}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			from := interaction.Origin{Type: interaction.Autocomplete, Focus: tt.focus}
			_, err := interaction.ReadCallback(parse(t, `{"type":8,"data":{"choices":[`+tt.choices+`]}}`), from)
			if diff := cmp.Diff(tt.want, findings(t, err)); diff != "" {
				t.Errorf("%s: errors differ (-want +got):\n%s", tt.rule, diff)
			}
		})
	}
}

func TestAppendChoices(t *testing.T) {
	t.Parallel()
	cb, err := interaction.ReadCallback(
		parse(t, `{"type":8,"data":{"choices":[{"name":"Colour","value":1e21,"name_localizations":{"en-US":"Color"}},{"name":"b","value":-0}]}}`),
		interaction.Origin{Type: interaction.Autocomplete, Focus: command.Number})
	if err == nil {
		t.Fatalf("%+v: 1e21 is not a valid number value", cb.Choices)
	}
	cb, err = interaction.ReadCallback(
		parse(t, `{"type":8,"data":{"choices":[{"name":"Colour","value":1e-7,"name_localizations":{"en-US":"Color"}},{"name":"b","value":-0}]}}`),
		interaction.Origin{Type: interaction.Autocomplete, Focus: command.Number})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ code, want string }{
		{"de", `[{"name":"Colour","value":1e-7},{"name":"b","value":0}]`},
		{"en-US", `[{"name":"Color","value":1e-7},{"name":"b","value":0}]`},
		{"en-GB", `[{"name":"Color","value":1e-7},{"name":"b","value":0}]`}, // falls back to en-US
	} {
		if got := string(interaction.AppendChoices(nil, cb.Choices, tt.code)); got != tt.want {
			t.Errorf("AppendChoices(%s) = %s, want %s (11 name_localizations)", tt.code, got, tt.want)
		}
	}
	cb, err = interaction.ReadCallback(parse(t, `{"type":8,"data":{"choices":[{"name":"<","value":"\u2028"}]}}`), interaction.Origin{Type: interaction.Autocomplete, Focus: command.String})
	if got := string(interaction.AppendChoices(nil, cb.Choices, "de")); err != nil || got != "[{\"name\":\"<\",\"value\":\"\u2028\"}]" {
		t.Errorf("AppendChoices() = %s, %v", got, err)
	}
	if got := string(interaction.AppendChoices(nil, nil, "de")); got != `[]` {
		t.Errorf("AppendChoices() = %s, want []", got)
	}
}

// Guilds, section 15: the deprecated answer that premium is required is for apps that sell something. The user gets a message with
// a button for each SKU.
func TestPremiumRequired(t *testing.T) {
	t.Parallel()
	for _, kind := range []interaction.Type{interaction.ApplicationCommand, interaction.MessageComponent, interaction.ModalSubmit} {
		origin := interaction.Origin{Type: kind, Sold: []snowflake.SKU{1, 2, 3, 4, 5, 6}}
		got, err := interaction.ReadCallback(parse(t, `{"type":10,"data":{}}`), origin)
		if err != nil || got.Type != interaction.PremiumRequired || got.Message.Flags != message.Ephemeral {
			t.Errorf("type %d: %+v, %v", kind, got, err)
		}
		if text := string(got.Message.Doc()); strings.Count(text, `"style":6`) != 5 || !strings.Contains(text, `"sku_id":"5"`) {
			t.Errorf("message %s, want five premium buttons", text)
		}
	}
	if _, err := interaction.ReadCallback(parse(t, `{"type":10}`), interaction.Origin{Type: interaction.ApplicationCommand}); err == nil {
		t.Error("an app without SKUs can answer that premium is required")
	}
	if _, err := interaction.ReadCallback(parse(t, `{"type":10}`), interaction.Origin{Type: interaction.Autocomplete, Sold: []snowflake.SKU{1}}); err == nil {
		t.Error("an autocomplete interaction can be answered that premium is required")
	}
}
