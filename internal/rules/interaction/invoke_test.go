package interaction_test

import (
	"strings"
	"testing"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/rules/interaction"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/google/go-cmp/cmp"
)

// body returns an invocation with the required members and others.
func body(kind, members string) string {
	return `{"type":` + kind + `,"application_id":"100","channel_id":"310",` + members + `}`
}

const (
	rollData  = `"data":{"id":"7","version":"8","name":"roll"`
	clickData = `"message_id":"9","data":{"component_type":2,"custom_id":"ok"`
	modalData = `"data":{"id":"9","custom_id":"fb","components":[]`
)

func TestReadInvokeFields(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, rule, give string
		want             codes
	}{
		{"least command", "2.1 data for 2", body("2", rollData+"}"), nil},
		{"least autocomplete", "2.1 data for 4", body("4", rollData+`,"options":[]}`), nil},
		{"least component", "2.1 data for 3", body("3", clickData+"}"), nil},
		{"least modal", "2.1 data for 5", body("5", modalData+"}"), nil},
		{"nulls are absent", "2.1", body("2", `"guild_id":null,"session_id":null,"nonce":null,`+rollData+`,"options":null,"attachments":null,"type":null}`), nil},
		{"ignored members", "2.1 accept, ignore", body("2", `"analytics_location":1,"section_name":[],"source":{},`+rollData+`,"application_command":7}`), nil},
		{"no object", "2.2 row 3", `[]`, codes{"": {jsonbody.ModelConvert}}},
		{"everything missing", "2.2 row 3", `{}`, codes{
			"type": {jsonbody.Required}, "application_id": {jsonbody.Required}, "channel_id": {jsonbody.Required}, "data": {jsonbody.Required},
		}},
		{"type 1 refused", "2.1 type", body("1", rollData+"}"), codes{"type": {jsonbody.Choices}}},
		{"type 6 refused", "2.1 type", body("6", rollData+"}"), codes{"type": {jsonbody.Choices}}},
		{"type is no number", "2.2 row 3", body(`"two"`, rollData+"}"), codes{"type": {jsonbody.NumberCoerce}}},
		{"ids are no snowflakes", "2.2 row 3", `{"type":2,"application_id":"x","channel_id":{},"guild_id":"-1",` + rollData + "}}", codes{
			"application_id": {jsonbody.NumberCoerce}, "channel_id": {jsonbody.NumberCoerce}, "guild_id": {jsonbody.NumberCoerce},
		}},
		{"session is no string", "2.2 row 3", body("2", `"session_id":5,`+rollData+"}"), codes{"session_id": {jsonbody.StringConvert}}},
		{"nonce may be a number", "2.1 nonce", body("2", `"nonce":123,`+rollData+"}"), nil},
		{"nonce is a list", "2.2 row 3", body("2", `"nonce":[],`+rollData+"}"), codes{"nonce": {jsonbody.StringConvert}}},
		{"nonce too long", "2.1 nonce", body("2", `"nonce":"`+strings.Repeat("x", 101)+`",`+rollData+"}"), codes{"nonce": {jsonbody.MaxLength}}},
		{"data is no object", "2.2 row 3", body("2", `"data":[]`), codes{"data": {jsonbody.ModelConvert}}},
		{"empty command data", "2.2 row 3", body("2", `"data":{}`), codes{
			"data.id": {jsonbody.Required}, "data.version": {jsonbody.Required}, "data.name": {jsonbody.Required},
		}},
		{"command type out of range", "2.2 row 3", body("2", rollData+`,"type":5}`), codes{"data.type": {jsonbody.Choices}}},
		{"command type is a text", "2.2 row 3", body("2", rollData+`,"type":"chat"}`), codes{"data.type": {jsonbody.NumberCoerce}}},
		{"options are no list", "2.2 row 3", body("2", rollData+`,"options":{}}`), codes{"data.options": {jsonbody.ListConvert}}},
		{"user command without target", "2.1 target_id", body("2", rollData+`,"type":2}`), codes{"data.target_id": {jsonbody.Required}}},
		{"message command without target", "2.1 target_id", body("2", rollData+`,"type":3}`), codes{"data.target_id": {jsonbody.Required}}},
		{"options of a user command are ignored", "2.1 options", body("2", rollData+`,"type":2,"target_id":"5","options":7}`), nil},
		{"entry point", "2.1 type", body("2", rollData+`,"type":4}`), nil},
		{"component without message", "2.1 message_id", body("3", `"data":{"component_type":2,"custom_id":"ok"}`), codes{"message_id": {jsonbody.Required}}},
		{"component flags", "2.1 message_flags", body("3", `"message_flags":-1,`+clickData+"}"), codes{"message_flags": {jsonbody.NumberMin}}},
		{"component by type", "2.1 component_type or type", body("3", `"message_id":"9","data":{"type":2,"custom_id":"ok"}`), nil},
		{"empty component data", "2.2 row 3", body("3", `"message_id":"9","data":{}`), codes{
			"data.component_type": {jsonbody.Required}, "data.custom_id": {jsonbody.Required},
		}},
		{"component that is not interactive", "2.2 row 3", body("3", `"message_id":"9","data":{"component_type":10,"custom_id":"ok"}`), codes{"data.component_type": {jsonbody.Choices}}},
		{"custom id too long", "12 custom_id", body("3", `"message_id":"9","data":{"component_type":2,"custom_id":"`+strings.Repeat("x", 101)+`"}`), codes{"data.custom_id": {jsonbody.BadLength}}},
		{"values are strings", "2.2 row 3", body("3", clickData+`,"values":["a",1]}`), codes{"data.values.1": {jsonbody.StringConvert}}},
		{"too many values", "12 max_values", body("3", clickData+`,"values":[`+strings.Repeat(`"a",`, 25)+`"a"]}`), codes{"data.values": {jsonbody.MaxLength}}},
		{"empty modal data", "2.2 row 3", body("5", `"data":{}`), codes{
			"data.id": {jsonbody.Required}, "data.custom_id": {jsonbody.Required}, "data.components": {jsonbody.Required},
		}},
		{"modal components are no list", "2.2 row 3", body("5", `"data":{"id":"9","custom_id":"fb","components":"x"}`), codes{"data.components": {jsonbody.ListConvert}}},
		{"attachments", "2.1 attachments", body("2", rollData+`,"attachments":[{"id":"0","filename":"a.png"},{"id":1,"filename":"b"}]}`), nil},
		{"attachment without name", "2.2 row 3", body("2", rollData+`,"attachments":[{"id":"x"},{"filename":"a"}]}`), codes{
			"data.attachments.0.id": {jsonbody.NumberCoerce}, "data.attachments.0.filename": {jsonbody.Required}, "data.attachments.1.id": {jsonbody.Required},
		}},
		{"too many attachments", "2.1 files[n]", body("2", rollData+`,"attachments":[`+strings.Repeat(`{"id":0,"filename":"a"},`, 25)+`{"id":0,"filename":"a"}]}`), codes{"data.attachments": {jsonbody.MaxLength}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := interaction.ReadInvoke(parse(t, tt.give))
			if diff := cmp.Diff(tt.want, findings(t, err)); diff != "" {
				t.Errorf("%s: errors differ (-want +got):\n%s", tt.rule, diff)
			}
		})
	}
}

func TestReadInvokeReadsEverything(t *testing.T) {
	t.Parallel()
	in, err := interaction.ReadInvoke(parse(t, `{"type":"2","application_id":100,"guild_id":"300","channel_id":"310","session_id":"s","nonce":12,
		"data":{"id":"7","version":"8","name":"roll","type":1,"options":[{}],"attachments":[{"id":"3","filename":"a.png"}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	options := in.Command.Options.Items()
	in.Command.Options = parse(t, `[]`)
	want := interaction.Invoke{
		Type: interaction.ApplicationCommand, Application: 100, Guild: 300, Channel: 310, Session: "s", Nonce: "12",
		Command:   interaction.CommandUse{ID: 7, Version: 8, Name: "roll", Type: command.ChatInput, Options: in.Command.Options},
		Filenames: map[int]string{3: "a.png"},
	}
	if diff := cmp.Diff(want, in, opaque); diff != "" || len(options) != 1 {
		t.Errorf("%d options; invocation differs (-want +got):\n%s", len(options), diff)
	}

	in, err = interaction.ReadInvoke(parse(t, body("3", `"message_id":"9","message_flags":64,"data":{"component_type":3,"custom_id":"pick","values":["a","b"]}`)))
	if err != nil {
		t.Fatal(err)
	}
	use := interaction.ComponentUse{Type: message.StringSelect, CustomID: "pick", Values: []string{"a", "b"}}
	if diff := cmp.Diff(use, in.Component); diff != "" || in.Message != 9 || in.MessageFlags != message.Ephemeral {
		t.Errorf("message %v flags %v, component differs (-want +got):\n%s", in.Message, in.MessageFlags, diff)
	}
}

func TestCheckCommand(t *testing.T) {
	t.Parallel()
	in := interaction.Invoke{
		Application: 100, Guild: 300,
		Command: interaction.CommandUse{ID: 7, Version: 8, Name: "roll", Type: command.ChatInput},
	}
	good := command.Command{ID: 7, Version: 8, Name: "roll", Type: command.ChatInput, Scope: command.Scope{Application: 100}}
	for _, tt := range []struct {
		name, rule string
		change     func(c *command.Command)
		want       jsonbody.Code
	}{
		{"the same", "2.2 row 8", func(*command.Command) {}, ""},
		{"command of this guild", "2.2 row 8", func(c *command.Command) { c.Scope.Guild = 300 }, ""},
		{"other id", "2.2 row 8", func(c *command.Command) { c.ID = 1 }, interaction.CommandInvalid},
		{"other name", "2.2 row 8", func(c *command.Command) { c.Name = "toss" }, interaction.CommandInvalid},
		{"other type", "2.2 row 8", func(c *command.Command) { c.Type = command.User }, interaction.CommandInvalid},
		{"other application", "2.2 row 8", func(c *command.Command) { c.Scope.Application = 1 }, interaction.CommandInvalid},
		{"command of another guild", "2.2 row 8", func(c *command.Command) { c.Scope.Guild = 301 }, interaction.CommandInvalid},
		{"other version", "2.2 row 9", func(c *command.Command) { c.Version = 9 }, interaction.CommandOutdated},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := good
			tt.change(&c)
			var want codes
			if tt.want != "" {
				want = codes{"data": {tt.want}}
			}
			if diff := cmp.Diff(want, findings(t, in.CheckCommand(c))); diff != "" {
				t.Errorf("%s: errors differ (-want +got):\n%s", tt.rule, diff)
			}
		})
	}
}
