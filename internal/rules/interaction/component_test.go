package interaction_test

import (
	"testing"

	"github.com/bellhop/bellhop/internal/rules/interaction"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/google/go-cmp/cmp"
)

func TestMatchComponent(t *testing.T) {
	t.Parallel()
	c, err := message.Read(parse(t, `{"flags":32768,"components":[`+
		row(`{"type":2,"style":1,"custom_id":"go"},{"type":2,"style":1,"custom_id":"off","disabled":true},{"type":2,"style":5,"url":"http://a"}`)+`,`+
		row(`{"type":3,"custom_id":"pick","min_values":1,"max_values":2,"options":[{"label":"a","value":"a"},{"label":"b","value":"b"},{"label":"c","value":"c"}]}`)+`,`+
		row(`{"type":3,"custom_id":"maybe","min_values":0,"options":[{"label":"a","value":"a"}]}`)+`,`+
		row(`{"type":5,"custom_id":"user"}`)+`,`+row(`{"type":6,"custom_id":"role"}`)+`,`+row(`{"type":7,"custom_id":"any","max_values":3}`)+`,`+
		row(`{"type":8,"custom_id":"voice","channel_types":[2]}`)+`,
		{"type":17,"components":[{"type":9,"components":[{"type":10,"content":"x"}],"accessory":{"type":2,"style":1,"custom_id":"deep"}}]}]}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, rule string
		use        interaction.ComponentUse
		ok         bool
	}{
		{"button", "2.2 row 15", interaction.ComponentUse{Type: 2, CustomID: "go"}, true},
		{"button inside a container", "2.2 row 15", interaction.ComponentUse{Type: 2, CustomID: "deep"}, true},
		{"not on the message", "2.2 row 15", interaction.ComponentUse{Type: 2, CustomID: "gone"}, false},
		{"disabled", "2.2 row 15", interaction.ComponentUse{Type: 2, CustomID: "off"}, false},
		{"other type", "2.2 row 15", interaction.ComponentUse{Type: 3, CustomID: "go"}, false},
		{"link buttons have no custom id", "12", interaction.ComponentUse{Type: 2, CustomID: ""}, false},
		{"button with values", "2.2 row 15", interaction.ComponentUse{Type: 2, CustomID: "go", Values: []string{"a"}}, false},
		{"least values", "12 min_values", interaction.ComponentUse{Type: 3, CustomID: "pick", Values: []string{"c"}}, true},
		{"most values", "12 max_values", interaction.ComponentUse{Type: 3, CustomID: "pick", Values: []string{"c", "a"}}, true},
		{"too few values", "12 min_values", interaction.ComponentUse{Type: 3, CustomID: "pick"}, false},
		{"too many values", "12 max_values", interaction.ComponentUse{Type: 3, CustomID: "pick", Values: []string{"a", "b", "c"}}, false},
		{"value that is no option", "12 options", interaction.ComponentUse{Type: 3, CustomID: "pick", Values: []string{"d"}}, false},
		{"value twice", "12 options", interaction.ComponentUse{Type: 3, CustomID: "pick", Values: []string{"a", "a"}}, false},
		{"no values at all", "12 min_values", interaction.ComponentUse{Type: 3, CustomID: "maybe"}, true},
		{"user", "12 resolved", interaction.ComponentUse{Type: 5, CustomID: "user", Values: []string{"200"}}, true},
		{"unknown user", "12 resolved", interaction.ComponentUse{Type: 5, CustomID: "user", Values: []string{"999"}}, false},
		{"user that is no id", "12 resolved", interaction.ComponentUse{Type: 5, CustomID: "user", Values: []string{"ada"}}, false},
		{"role", "12 resolved", interaction.ComponentUse{Type: 6, CustomID: "role", Values: []string{"301"}}, true},
		{"users and roles", "12 resolved", interaction.ComponentUse{Type: 7, CustomID: "any", Values: []string{"301", "200"}}, true},
		{"channel", "12 resolved", interaction.ComponentUse{Type: 8, CustomID: "voice", Values: []string{"311"}}, true},
		{"channel of another type", "12 channel_types", interaction.ComponentUse{Type: 8, CustomID: "voice", Values: []string{"310"}}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			matched, err := interaction.MatchComponent(c.Components, interaction.Invoke{Type: interaction.MessageComponent, Guild: 300, Component: tt.use})
			if err == nil {
				err = matched.Check(around)
			}
			var want codes
			if !tt.ok {
				want = codes{"data": {interaction.ComponentInvalid}}
			}
			if diff := cmp.Diff(want, findings(t, err)); diff != "" {
				t.Errorf("%s: errors differ (-want +got):\n%s", tt.rule, diff)
			}
			if diff := cmp.Diff(tt.use, matched.Use); tt.ok && diff != "" {
				t.Errorf("use differs (-want +got):\n%s", diff)
			}
			if pressed, _ := c.Components.Find(tt.use.CustomID); tt.ok && matched.ID != pressed.Number("id", -1) {
				t.Errorf("id %d, want that of %s", matched.ID, pressed.Get("id"))
			}
		})
	}
}
