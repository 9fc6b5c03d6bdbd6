package interaction_test

import (
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/rules/interaction"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/google/go-cmp/cmp"
)

// open returns the modal that a callback opens.
func open(tb testing.TB, data string) (interaction.Modal, error) {
	tb.Helper()
	cb, err := interaction.ReadCallback(parse(tb, `{"type":9,"data":`+data+`}`), interaction.Origin{Type: interaction.ApplicationCommand})
	return cb.Modal, err
}

func label(component string) string {
	return `{"type":18,"label":"L","component":` + component + `}`
}

func TestModals(t *testing.T) {
	t.Parallel()
	with := func(components string) string {
		return `{"custom_id":"fb","title":"T","components":[` + components + `]}`
	}
	input := func(members string) string {
		return with(label(`{"type":4,"custom_id":"t","style":1` + members + `}`))
	}
	const inner = "data.components.0.component"
	for _, tt := range []struct {
		name, rule, give string
		want             codes
	}{
		{"least", "12 modal", modalOf, nil},
		{"empty", "12 modal", `{"x":1}`, codes{"data.custom_id": {jsonbody.Required}, "data.title": {jsonbody.Required}, "data.components": {jsonbody.Required}}},
		{"custom id and title too long", "12 modal", `{"custom_id":` + chars(101) + `,"title":` + chars(46) + `,"components":[{"type":10,"content":"a"}]}`, codes{"data.custom_id": {jsonbody.BadLength}, "data.title": {jsonbody.BadLength}}},
		{"longest title", "12 modal", `{"custom_id":` + chars(100) + `,"title":` + chars(45) + `,"components":[{"type":10,"content":"a"}]}`, nil},
		{"no components", "12 modal", with(""), codes{"data.components": {jsonbody.BadLength}}},
		{"5 components", "12 modal", with(repeat(label(`{"type":4,"custom_id":"%d","style":2}`), 5)), nil},
		{"6 components", "12 modal", with(repeat(label(`{"type":4,"custom_id":"%d","style":2}`), 6)), codes{"data.components": {jsonbody.BadLength}}},
		{"legacy row", "12 modal", with(row(`{"type":4,"custom_id":"t","style":1,"label":"L"}`)), nil},
		{"legacy row without label", "12 modal", with(row(`{"type":4,"custom_id":"t","style":1}`)), codes{"data.components.0.components.0.label": {jsonbody.Required}}},
		{"legacy row with two inputs", "12 modal", with(row(`{"type":4,"custom_id":"t","style":1,"label":"L"},{"type":4,"custom_id":"u","style":1,"label":"L"}`)), codes{"data.components.0.components": {jsonbody.BadLength}}},
		{"button", "12 modal", with(row(button)), codes{"data.components.0.components.0": {jsonbody.UnionChoices}}},
		{"input at the top", "12 modal", with(`{"type":4,"custom_id":"t","style":1}`), codes{"data.components.0": {jsonbody.UnionChoices}}},
		{"container", "12 modal", with(`{"type":17,"components":[]}`), codes{"data.components.0": {jsonbody.UnionChoices}}},
		{"label text", "12 label", with(`{"type":18,"label":` + chars(46) + `,"description":` + chars(101) + `,"component":{"type":23,"custom_id":"c"}}`), codes{
			"data.components.0.label": {jsonbody.BadLength}, "data.components.0.description": {jsonbody.MaxLength},
		}},
		{"label without component", "12 label", with(`{"type":18,"label":"L"}`), codes{"data.components.0.component": {jsonbody.Required}}},
		{"input style", "12 text input", with(label(`{"type":4,"custom_id":"t","style":3}`)), codes{inner + ".style": {jsonbody.Choices}}},
		{"input limits", "12 text input", input(`,"min_length":4001,"max_length":4001,"value":` + chars(4001) + `,"placeholder":` + chars(101)), codes{
			inner + ".min_length": {jsonbody.NumberMax}, inner + ".max_length": {jsonbody.NumberMax}, inner + ".value": {jsonbody.MaxLength}, inner + ".placeholder": {jsonbody.MaxLength},
		}},
		{"input at its limits", "12 text input", input(`,"min_length":0,"max_length":4000,"value":` + chars(4000) + `,"placeholder":` + chars(100)), nil},
		{"input least above most", "12 text input", input(`,"min_length":5,"max_length":4`), codes{inner + ".min_length": {jsonbody.NumberMax}}},
		{"input max_length 0", "12 text input", input(`,"max_length":0`), codes{inner + ".max_length": {jsonbody.NumberMin}}},
		{"file upload", "12 file upload", with(label(`{"type":19,"custom_id":"f","min_values":0,"max_values":10,"required":false}`)), nil},
		{"11 files", "12 file upload", with(label(`{"type":19,"custom_id":"f","max_values":11}`)), codes{inner + ".max_values": {jsonbody.NumberMax}}},
		{"required without values", "12 min_values", with(label(`{"type":5,"custom_id":"u","min_values":0}`)), codes{inner + ".min_values": {jsonbody.NumberMin}}},
		{"disabled", "12 modal", with(label(`{"type":5,"custom_id":"u","disabled":true}`)), codes{inner + ".disabled": {message.DisabledInModal}}},
		{"radio group with one option", "12 radio group", with(label(`{"type":21,"custom_id":"r","options":[{"label":"a","value":"a"}]}`)), codes{inner + ".options": {jsonbody.BadLength}}},
		{"checkbox group", "12 checkbox group", with(label(`{"type":22,"custom_id":"r","options":[{"label":"a","value":"a","default":true}]}`)), nil},
		{"11 checkboxes", "12 checkbox group", with(label(`{"type":22,"custom_id":"r","options":[` + repeat(`{"label":"a","value":"%d"}`, 11) + `]}`)), codes{inner + ".options": {jsonbody.BadLength}}},
		{"checkbox", "12 checkbox", with(label(`{"type":23,"custom_id":"r","default":true}`)), nil},
		{"custom id twice", "12 custom_id", with(label(`{"type":23,"custom_id":"r"}`) + "," + label(`{"type":23,"custom_id":"r"}`)), codes{"data.components.1.component.custom_id": {message.CustomIDDuplicated}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m, err := open(t, tt.give)
			if diff := cmp.Diff(tt.want, findings(t, err)); diff != "" {
				t.Errorf("%s: errors differ (-want +got):\n%s", tt.rule, diff)
			}
			wantJS(t, m.Components.AppendJSON(nil))
		})
	}
}

// submit submits a modal with one labelled component.
func submit(tb testing.TB, component, answer string) (interaction.Submission, error) {
	tb.Helper()
	m, err := open(tb, `{"custom_id":"fb","title":"T","components":[{"type":10,"content":"Hello"},`+label(component)+`]}`)
	if err != nil {
		tb.Fatal(err)
	}
	in := interaction.Invoke{Type: interaction.ModalSubmit, Guild: 300, Modal: interaction.ModalUse{CustomID: "fb", Components: parse(tb, `[`+answer+`]`)}}
	s, err := interaction.MatchModal(m, in, uploads)
	if err == nil {
		err = s.Check(around)
	}
	return s, err
}

func TestMatchModal(t *testing.T) {
	t.Parallel()
	const (
		text     = `{"type":4,"custom_id":"x","style":1,"min_length":2,"max_length":4}`
		optional = `{"type":4,"custom_id":"x","style":1,"min_length":2,"required":false}`
		pick     = `{"type":3,"custom_id":"x","max_values":2,"options":[{"label":"a","value":"a"},{"label":"b","value":"b"}]}`
		radio    = `{"type":21,"custom_id":"x","options":[{"label":"a","value":"a"},{"label":"b","value":"b"}]}`
		free     = `{"type":21,"custom_id":"x","required":false,"options":[{"label":"a","value":"a"},{"label":"b","value":"b"}]}`
		group    = `{"type":22,"custom_id":"x","options":[{"label":"a","value":"a"},{"label":"b","value":"b"}]}`
		upload   = `{"type":19,"custom_id":"x","max_values":2}`
	)
	filled := func(members string) string { return `{"type":18,"component":{"custom_id":"x",` + members + `}}` }
	for _, tt := range []struct {
		name, component, answer string
		want                    string // the component that the app receives; empty: refused
	}{
		{"text", text, filled(`"type":4,"value":"abc"`), `"type":4,"id":3,"custom_id":"x","value":"abc"`},
		{"text counts code points", text, filled(`"type":4,"value":"éééé"`), `"type":4,"id":3,"custom_id":"x","value":"éééé"`},
		{"text too short", text, filled(`"type":4,"value":"a"`), ""},
		{"text too long", text, filled(`"type":4,"value":"abcde"`), ""},
		{"text missing", text, ``, ""},
		{"text is a number", text, filled(`"type":4,"value":123`), ""},
		{"type left out", text, filled(`"value":"abc"`), `"type":4,"id":3,"custom_id":"x","value":"abc"`},
		{"other type", text, filled(`"type":3,"value":"abc"`), ""},
		{"unknown custom id", text, filled(`"type":4,"value":"abc"`) + `,{"type":18,"component":{"type":4,"custom_id":"y","value":"a"}}`, ""},
		{"custom id twice", text, filled(`"type":4,"value":"abc"`) + "," + filled(`"type":4,"value":"abc"`), ""},
		{"optional text left empty", optional, filled(`"type":4,"value":""`), `"type":4,"id":3,"custom_id":"x","value":""`},
		{"optional text missing", optional, ``, `"type":4,"id":3,"custom_id":"x","value":""`},
		{"optional text too short", optional, filled(`"type":4,"value":"a"`), ""},
		{"as a legacy row", text, `{"type":1,"components":[{"type":4,"custom_id":"x","value":"abc"}]}`, `"type":4,"id":3,"custom_id":"x","value":"abc"`},
		{"text displays may be named", text, `{"type":10,"id":1},` + filled(`"type":4,"value":"abc"`), `"type":4,"id":3,"custom_id":"x","value":"abc"`},
		{"string select", pick, filled(`"type":3,"values":["b","a"]`), `"type":3,"id":3,"custom_id":"x","values":["b","a"]`},
		{"string select empty", pick, filled(`"type":3,"values":[]`), ""},
		{"string select other value", pick, filled(`"type":3,"values":["c"]`), ""},
		{"string select value twice", pick, filled(`"type":3,"values":["a","a"]`), ""},
		{"string select is a text", pick, filled(`"type":3,"values":"a"`), ""},
		{"user select", `{"type":5,"custom_id":"x"}`, filled(`"type":5,"values":["200"]`), `"type":5,"id":3,"custom_id":"x","values":["200"]`},
		{"user select unknown", `{"type":5,"custom_id":"x"}`, filled(`"type":5,"values":["999"]`), ""},
		{"user select optional", `{"type":5,"custom_id":"x","required":false}`, ``, `"type":5,"id":3,"custom_id":"x","values":[]`},
		{"radio group", radio, filled(`"type":21,"value":"b"`), `"type":21,"id":3,"custom_id":"x","value":"b"`},
		{"radio group other value", radio, filled(`"type":21,"value":"c"`), ""},
		{"radio group empty", radio, filled(`"type":21,"value":null`), ""},
		{"radio group optional", free, filled(`"type":21,"value":null`), `"type":21,"id":3,"custom_id":"x","value":null`},
		{"checkbox group", group, filled(`"type":22,"values":["b","a"]`), `"type":22,"id":3,"custom_id":"x","values":["b","a"]`},
		{"checkbox group empty", group, filled(`"type":22,"values":[]`), ""},
		{"checkbox", `{"type":23,"custom_id":"x"}`, filled(`"type":23,"value":true`), `"type":23,"id":3,"custom_id":"x","value":true`},
		{"checkbox left alone", `{"type":23,"custom_id":"x"}`, ``, `"type":23,"id":3,"custom_id":"x","value":false`},
		{"checkbox is a text", `{"type":23,"custom_id":"x"}`, filled(`"type":23,"value":"true"`), ""},
		{"file upload", upload, filled(`"type":19,"values":["7",0]`), `"type":19,"id":3,"custom_id":"x","values":["907","900"]`},
		{"file twice", upload, filled(`"type":19,"values":["7",7]`), ""},
		{"file that is not there", upload, filled(`"type":19,"values":["1"]`), ""},
		{"file too large", upload, filled(`"type":19,"values":["8"]`), ""},
		{"file missing", upload, ``, ""},
		{"nested too deep", text, `{"type":1,"components":[{"type":1,"components":[{"type":1,"components":[{"type":4,"custom_id":"x","value":"abc"}]}]}]}`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, err := submit(t, tt.component, tt.answer)
			if tt.want == "" {
				if diff := cmp.Diff(codes{"data": {interaction.ComponentInvalid}}, findings(t, err)); diff != "" {
					t.Errorf("errors differ (-want +got):\n%s", diff)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got := string(interaction.Interaction{Data: interaction.ModalData{CustomID: s.CustomID, Components: s.Components}}.AppendJSON(nil))
			want := `"custom_id":"fb","components":[{"type":10,"id":1},{"type":18,"id":2,"component":{` + tt.want + `}}]`
			if !strings.Contains(got, want) {
				t.Errorf("the app receives %s, want %s in it", got, want)
			}
			wantJS(t, []byte(got))
		})
	}
}

func TestMatchModalOfLegacyRows(t *testing.T) {
	t.Parallel()
	m, err := open(t, `{"custom_id":"fb","title":"T","components":[`+row(`{"type":4,"custom_id":"a","style":1,"label":"A"}`)+","+row(`{"type":4,"custom_id":"b","style":2,"label":"B","id":9}`)+`]}`)
	if err != nil {
		t.Fatal(err)
	}
	in := interaction.Invoke{Modal: interaction.ModalUse{CustomID: "fb", Components: parse(t, "["+row(`{"type":4,"custom_id":"b","value":"2"}`)+","+row(`{"type":4,"custom_id":"a","value":"1"}`)+"]")}}
	s, err := interaction.MatchModal(m, in, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := string(interaction.Interaction{Data: interaction.ModalData{Components: s.Components}}.AppendJSON(nil))
	const want = `"components":[{"type":1,"id":1,"components":[{"type":4,"id":2,"custom_id":"a","value":"1"}]},{"type":1,"id":3,"components":[{"type":4,"id":9,"custom_id":"b","value":"2"}]}]`
	if !strings.Contains(got, want) {
		t.Errorf("the app receives %s, want %s in it (12)", got, want)
	}
}

func TestMatchModalOther(t *testing.T) {
	t.Parallel()
	m, err := open(t, modalOf)
	if err != nil {
		t.Fatal(err)
	}
	in := interaction.Invoke{Modal: interaction.ModalUse{CustomID: "other", Components: parse(t, `[{"type":18,"component":{"type":4,"custom_id":"txt","value":"a"}}]`)}}
	if _, err := interaction.MatchModal(m, in, nil); findings(t, err)["data"] == nil {
		t.Errorf("submission of another modal: %v, want an error", err)
	}
	in.Modal.CustomID = "fb"
	if _, err := interaction.MatchModal(m, in, nil); err != nil {
		t.Errorf("submission of the modal: %v", err)
	}
}

func TestMatchModalWants(t *testing.T) {
	t.Parallel()
	s, err := submit(t, `{"type":7,"custom_id":"x","max_values":2}`, `{"type":18,"component":{"type":7,"custom_id":"x","values":["200","301"]}}`)
	want := interaction.Wanted{Users: []snowflake.User{200, 301}, Roles: []snowflake.Role{200, 301}}
	if diff := cmp.Diff(want, s.Wanted()); err != nil || diff != "" {
		t.Errorf("%v; Wanted() differs (-want +got):\n%s", err, diff)
	}
	s, err = submit(t, `{"type":19,"custom_id":"x"}`, `{"type":18,"component":{"type":19,"custom_id":"x","values":[0]}}`)
	files := []wire.Attachment{{ID: 900, Filename: "Cat.PNG", Size: 10, URL: "http://cdn/cat", Ephemeral: true}}
	if diff := cmp.Diff(files, s.Attachments); err != nil || diff != "" {
		t.Errorf("%v; attachments differ (-want +got):\n%s", err, diff)
	}
	if s.Components.Kind() != jsonbody.List {
		t.Errorf("components are %v", s.Components)
	}
}

// TestParseModal checks that ParseModal reads what AppendJSON writes.
func TestParseModal(t *testing.T) {
	t.Parallel()
	m, err := open(t, modalOf)
	if err != nil {
		t.Fatal(err)
	}
	m.Title = `Say "hi" ` + "\u2028"
	doc := m.AppendJSON(nil)
	read, err := interaction.ParseModal(doc)
	if err != nil || string(read.AppendJSON(nil)) != string(doc) || read.Title != m.Title || read.CustomID != m.CustomID {
		t.Errorf("ParseModal(%s) = %+v, %v", doc, read, err)
	}
	if _, err := interaction.ParseModal([]byte(`{`)); err == nil {
		t.Error("ParseModal() accepts a truncated document")
	}
}
