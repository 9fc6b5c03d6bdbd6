package component_test

import (
	"testing"

	"github.com/bellhop/bellhop/internal/rules/component"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
)

func parse(t *testing.T, text string) jsonbody.Value {
	t.Helper()
	v, err := jsonbody.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// same fails if v does not have the JSON want.
func same(t *testing.T, v any, want string) {
	t.Helper()
	got, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
}

const message = `[
	{"type": 1, "components": [{"type": 2, "label": "Yes", "custom_id": "y"}, {"type": 2, "emoji": {"name": "🔔"}, "custom_id": "b"}]},
	{"type": 9, "accessory": {"type": 2, "label": "More", "custom_id": "m"}},
	{"type": 1, "components": [{"type": 3, "placeholder": "Room", "custom_id": "r", "options": [{"label": "Blue", "value": "1"}]}]},
	{"type": 1, "components": [{"type": 5, "placeholder": "Guest", "custom_id": "g"}]}
]`

func TestUse(t *testing.T) {
	t.Parallel()
	ids := func(name string) (string, bool) { return "200", name == "ada" }
	for _, tt := range []struct {
		name   string
		match  component.Match
		values []string
		want   string // "": there is no such component
	}{
		{"by label", component.Button("Yes"), nil, `{"component_type":2,"custom_id":"y"}`},
		{"by emoji", component.Button("🔔"), nil, `{"component_type":2,"custom_id":"b"}`},
		{"beside a section", component.Button("m"), nil, `{"component_type":2,"custom_id":"m"}`},
		{"option by label", component.Menu("Room"), []string{"Blue"}, `{"component_type":3,"custom_id":"r","values":["1"]}`},
		{"option by value", component.Menu(""), []string{"1"}, `{"component_type":3,"custom_id":"r","values":["1"]}`},
		{"user by name", component.Menu("g"), []string{"@ada"}, `{"component_type":5,"custom_id":"g","values":["200"]}`},
		{"a menu is no button", component.Button("r"), nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, ok := component.Find(parse(t, message), tt.match)
			if ok != (tt.want != "") {
				t.Fatalf("found %v, want %v", ok, !ok)
			}
			if ok {
				same(t, component.Use("100", "9", c, tt.values, ids), `{"application_id":"100","data":`+tt.want+`,"message_id":"9","type":3}`)
			}
		})
	}
}

func TestSubmit(t *testing.T) {
	t.Parallel()
	f, ok := component.FormOf(parse(t, `{"interaction": {"id": "7", "application_id": "100"}, "modal": {"title": "Stay", "custom_id": "f", "components": [
		{"type": 18, "label": "Name", "component": {"type": 4, "custom_id": "n"}},
		{"type": 1, "components": [{"type": 4, "label": "Note", "custom_id": "o"}]},
		{"type": 18, "label": "Room", "component": {"type": 3, "custom_id": "r", "options": [{"label": "Blue", "value": "1"}]}}
	]}}`))
	if !ok {
		t.Fatal("no form")
	}
	got, err := f.Submit(map[string]any{"Name": "Ada", "o": "late", "Room": []string{"Blue"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	same(t, got, `{"application_id":"100","data":{"components":[{"custom_id":"n","type":4,"value":"Ada"},`+
		`{"custom_id":"r","type":3,"values":["1"]},{"custom_id":"o","type":4,"value":"late"}],"custom_id":"f","id":"7"},"type":5}`)
	if _, err := f.Submit(map[string]any{"Age": "3"}, nil); err == nil || err.Error() != `the form "Stay" has no field "Age"` {
		t.Errorf("an unknown field: %v", err)
	}
}
