package interaction_test

import (
	"errors"
	"testing"
	"time"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/rules/interaction"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/message"
)

// everything is a list of options of every type.
const everything = `[{"type":1,"name":"all","description":"d","options":[{"type":3,"name":"s","description":"d","autocomplete":true},{"type":4,"name":"i","description":"d","autocomplete":true},
	{"type":5,"name":"b","description":"d"},{"type":6,"name":"u","description":"d"},{"type":7,"name":"c","description":"d","channel_types":[0]},{"type":8,"name":"r","description":"d"},
	{"type":9,"name":"m","description":"d"},{"type":10,"name":"n","description":"d","min_value":-1.5},{"type":11,"name":"a","description":"d"}]}]`

// fuzzComponents are the components of the message, and fuzzModal the modal, that the fuzzed invocations use.
const (
	fuzzComponents = `[{"type":1,"components":[{"type":3,"custom_id":"pick","max_values":2,"options":[{"label":"a","value":"a"},{"label":"b","value":"b"}]}]},
		{"type":1,"components":[{"type":2,"style":1,"custom_id":"ok"}]},{"type":1,"components":[{"type":7,"custom_id":"any","max_values":3}]}]`
	fuzzModal = `{"custom_id":"fb","title":"T","components":[{"type":18,"label":"L","component":{"type":4,"custom_id":"txt","style":1,"required":false}},
		{"type":18,"label":"L","component":{"type":22,"custom_id":"box","required":false,"options":[{"label":"a","value":"a"}]}},{"type":18,"label":"L","component":{"type":19,"custom_id":"file","required":false}}]}`
)

func FuzzInvoke(f *testing.F) {
	for _, s := range []string{
		body("2", rollData+`,"options":[{"type":1,"name":"all","options":[{"type":3,"name":"s","value":"\u2028<"},{"type":4,"name":"i","value":6.0},{"type":10,"name":"n","value":1e-7},
			{"type":6,"name":"u","value":"200"},{"type":9,"name":"m","value":"301"},{"type":11,"name":"a","value":"0"},{"type":5,"name":"b","value":true}]}]}`),
		body("4", rollData+`,"options":[{"type":1,"name":"all","options":[{"type":4,"name":"i","value":"1","focused":true},{"type":10,"name":"n","value":9007199254740993}]}]}`),
		body("2", rollData+`,"type":2,"target_id":"200"}`),
		body("3", `"message_id":"9","data":{"component_type":3,"custom_id":"pick","values":["a","b"]}`),
		body("3", `"message_id":"9","data":{"component_type":7,"custom_id":"any","values":["301","200"]}`),
		body("5", `"data":{"id":"9","custom_id":"fb","components":[{"type":18,"component":{"type":4,"custom_id":"txt","value":"x"}},{"type":18,"component":{"type":19,"custom_id":"file","values":["7"]}}],"attachments":[{"id":7,"filename":"\u0000"}]}`),
	} {
		f.Add([]byte(s))
	}
	d := definition(f, everything)
	click, err := message.Read(parse(f, `{"components":`+fuzzComponents+`}`), nil)
	if err != nil {
		f.Fatal(err)
	}
	modal, err := open(f, fuzzModal)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		v, err := jsonbody.Parse(in)
		if err != nil {
			return
		}
		invoke, err := interaction.ReadInvoke(v)
		if err != nil {
			findings(t, err) // fails if err is not a *jsonbody.Tree
			return
		}
		data, err := matched(invoke, d, click.Components, modal)
		if err != nil {
			findings(t, err)
			return
		}
		wantJS(t, inGuild(invoke.Type, data).AppendJSON(nil))
	})
}

// matched returns the interaction data of a valid invocation.
func matched(in interaction.Invoke, d command.Definition, on message.Components, modal interaction.Modal) (interaction.Data, error) {
	switch in.Type {
	case interaction.MessageComponent:
		matched, err := interaction.MatchComponent(on, in)
		if err == nil {
			err = matched.Check(around)
		}
		return interaction.ComponentData{Use: matched.Use, Resolved: around}, err
	case interaction.ModalSubmit:
		s, err := interaction.MatchModal(modal, in, uploads)
		if err == nil {
			err = s.Check(around)
		}
		return interaction.ModalData{CustomID: s.CustomID, Components: s.Components, Resolved: interaction.Resolved{Attachments: s.Attachments}}, err
	default:
		if in.Command.Type != command.ChatInput {
			d = command.Definition{Type: in.Command.Type, Name: in.Command.Name}
		}
		matched, err := interaction.MatchOptions(d, in, uploads)
		if err == nil {
			err = matched.Check(around)
		}
		found := around
		found.Attachments = matched.Attachments
		return interaction.CommandData{
			Command: command.Command{ID: in.Command.ID, Name: in.Command.Name, Type: in.Command.Type, Version: in.Command.Version},
			Options: matched.Options, TargetUser: in.Command.TargetUser, TargetMessage: in.Command.TargetMessage, Resolved: found,
		}, err
	}
}

func FuzzCallback(f *testing.F) {
	for i, s := range []string{
		`{"type":4,"data":{"content":"\u2028<@42>","embeds":[{"title":"t","color":1e2,"fields":[{"name":"a","value":"b"}],"image":{"url":"attachment://Cat.PNG"}}],"flags":64}}`,
		`{"type":4,"data":{"flags":32768,"components":[{"type":17,"id":"3","components":[{"type":10,"content":"a"},{"type":13,"file":{"url":"attachment://Cat.PNG"}}]}]}}`,
		`{"type":7,"data":{"components":` + fuzzComponents + `,"attachments":[{"id":0}]}}`,
		`{"type":8,"data":{"choices":[{"name":"a","value":1.5,"name_localizations":{"de":"b"}}]}}`,
		`{"type":9,"data":` + fuzzModal + `}`,
		`{"type":4,"data":{"poll":{"question":{"text":"q"},"answers":[{"poll_media":{"text":"a","emoji":{"id":5}}}],"duration":"3"}}}`,
		`{"type":5,"data":{"flags":64}}`,
	} {
		f.Add([]byte(s), uint8(2+i%4))
	}
	f.Fuzz(func(t *testing.T, in []byte, kind uint8) {
		v, err := jsonbody.Parse(in)
		if err != nil {
			return
		}
		from := interaction.Origin{
			Type: interaction.Type(kind%5 + 1), FromComponent: kind > 100, Focus: command.OptionType(3 + kind%2*7),
			Message: message.Content{Text: "old"}, Files: uploads[:2],
		}
		cb, err := interaction.ReadCallback(v, from)
		if err != nil {
			if !errors.Is(err, message.ErrEmpty) {
				findings(t, err)
			}
			return
		}
		checkCallback(t, cb)
	})
}

// checkCallback checks the limits of an accepted callback, and that JavaScript writes its JSON the same way. The fuzz
// test of package message checks messages.
func checkCallback(t *testing.T, cb interaction.Callback) {
	t.Helper()
	if len(cb.Choices) > 25 {
		t.Errorf("%d choices", len(cb.Choices))
	}
	wantJS(t, cb.Message.Doc())
	wantJS(t, interaction.AppendChoices(nil, cb.Choices, "de"))
	wantJS(t, cb.Modal.Components.AppendJSON(nil))
	wantJS(t, (&message.Post{ID: 1, Author: helper, Content: cb.Message, Created: time.Unix(0, 0)}).AppendJSON(nil))
}
