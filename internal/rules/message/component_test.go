package message_test

import (
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/google/go-cmp/cmp"
)

const (
	button     = `{"type":2,"style":1,"label":"A","custom_id":"b%d"}`
	selectMenu = `{"type":3,"custom_id":"s","options":[{"label":"l","value":"v"}]}`
)

func row(components string) string { return `{"type":1,"components":[` + components + `]}` }

func TestMessageComponents(t *testing.T) {
	t.Parallel()
	const first = "components.0.components.0"
	for _, tt := range []struct {
		name, rule, components string
		v2                     bool
		want                   codes
	}{
		{"5 rows of 5 buttons", "8.2 components", row(repeat(button, 5)) + "," + row(selectMenu) + `,` + row(`{"type":5,"custom_id":"u"}`) + "," + row(`{"type":6,"custom_id":"r"}`) + "," + row(`{"type":8,"custom_id":"c","channel_types":[0,2]}`), false, nil},
		{"6 rows", "8.2 components", repeat(row(button), 6), false, codes{"components": {jsonbody.MaxLength}}},
		{"6 buttons", "8.2 components", row(repeat(button, 6)), false, codes{"components.0.components": {jsonbody.BadLength}}},
		{"empty row", "12 row", row(""), false, codes{"components.0.components": {jsonbody.BadLength}}},
		{"row without components", "12 row", `{"type":1}`, false, codes{"components.0.components": {jsonbody.Required}}},
		{"select beside a button", "8.2 components", row(selectMenu + "," + button), false, codes{"components.0.components.1": {message.WidthExceeded}}},
		{"button before a select", "8.2 components", row(button + "," + selectMenu), false, codes{"components.0.components.1": {message.WidthExceeded}}},
		{"button outside of a row", "12 types", button, false, codes{"components.0": {jsonbody.UnionChoices}}},
		{"text display without V2", "8.2 V2", `{"type":10,"content":"a"}`, false, codes{"components.0": {jsonbody.UnionChoices}}},
		{"text input in a message", "12 types", row(`{"type":4,"custom_id":"t","style":1}`), false, codes{first: {jsonbody.UnionChoices}}},
		{"no type", "12 types", `{"components":[]}`, false, codes{"components.0": {jsonbody.TagFieldMissing}}},
		{"type is a text", "12 types", `{"type":"row"}`, false, codes{"components.0.type": {jsonbody.NumberCoerce}}},
		{"component is a number", "12 types", `7`, false, codes{"components.0": {jsonbody.ModelConvert}}},
		{"unknown type", "12 types", `{"type":99}`, false, codes{"components.0": {jsonbody.UnionChoices}}},

		{"longest custom id", "12 custom_id", row(`{"type":2,"style":1,"custom_id":` + chars(100) + `}`), false, nil},
		{"custom id too long", "12 custom_id", row(`{"type":2,"style":1,"custom_id":` + chars(101) + `}`), false, codes{first + ".custom_id": {jsonbody.BadLength}}},
		{"custom id twice", "12 custom_id", row(`{"type":2,"style":1,"custom_id":"x"},{"type":2,"style":2,"custom_id":"x"}`), false, codes{"components.0.components.1.custom_id": {message.CustomIDDuplicated}}},
		{"id twice", "12 id", row(`{"type":2,"style":1,"custom_id":"x","id":5},{"type":2,"style":2,"custom_id":"y","id":5}`), false, codes{"components.0.components.1.id": {message.IDDuplicated}}},
		{"id beyond int32", "12 id", row(`{"type":2,"style":1,"custom_id":"x","id":2147483648}`), false, codes{first + ".id": {jsonbody.NumberMax}}},

		{"button without custom id", "12 button", row(`{"type":2,"style":1,"label":"A"}`), false, codes{first + ".custom_id": {message.ButtonCustomID}}},
		{"button without style", "12 button", row(`{"type":2,"custom_id":"x"}`), false, codes{first + ".style": {jsonbody.Required}}},
		{"button style", "12 button", row(`{"type":2,"style":7,"custom_id":"x"}`), false, codes{first + ".style": {jsonbody.Choices}}},
		{"button label", "12 button", row(`{"type":2,"style":1,"custom_id":"x","label":` + chars(81) + `}`), false, codes{first + ".label": {jsonbody.MaxLength}}},
		{"button with url", "12 button", row(`{"type":2,"style":1,"custom_id":"x","url":"http://a"}`), false, codes{first: {message.ButtonURLAndCustomID}}},
		{"link button", "12 button", row(`{"type":2,"style":5,"label":"A","url":"discord://a"}`), false, nil},
		{"link button without url", "12 button", row(`{"type":2,"style":5,"label":"A"}`), false, codes{first + ".url": {jsonbody.Required}}},
		{"link button with custom id", "12 button", row(`{"type":2,"style":5,"url":"http://a","custom_id":"x"}`), false, codes{first: {message.ButtonURLAndCustomID}}},
		{"link too long", "12 button", row(`{"type":2,"style":5,"url":"http://a` + chars(505)[1:] + `}`), false, codes{first + ".url": {jsonbody.MaxLength}}},
		{"premium button", "12 button", row(`{"type":2,"style":6,"sku_id":"5"}`), false, nil},
		{"premium button with other members", "12 button", row(`{"type":2,"style":6,"label":"A"}`), false, codes{first + ".sku_id": {jsonbody.Required}, first + ".label": {message.ButtonPremium}}},
		{"premium button with all forbidden members", "12 button", row(`{"type":2,"style":6,"sku_id":"5","custom_id":"x","label":"A","url":"http://a","emoji":{"name":"👍"}}`), false, codes{
			first + ".custom_id": {message.ButtonPremium}, first + ".label": {message.ButtonPremium}, first + ".url": {message.ButtonPremium}, first + ".emoji": {message.ButtonPremium},
		}},
		{"premium button without an id", "12 button", row(`{"type":2,"style":6,"sku_id":"five"}`), false, codes{first + ".sku_id": {jsonbody.NumberCoerce}}},
		{"button with a SKU", "12 button", row(`{"type":2,"style":1,"custom_id":"x","sku_id":"5"}`), false, codes{first + ".sku_id": {message.ButtonSKU}}},
		{"link button with a SKU", "12 button", row(`{"type":2,"style":5,"url":"http://a","sku_id":"5"}`), false, codes{first + ".sku_id": {message.ButtonSKU}}},
		{"custom emoji", "12 button", row(`{"type":2,"style":1,"custom_id":"x","emoji":{"id":"5","name":"a","animated":true}}`), false, nil},
		{"empty emoji", "12 button", row(`{"type":2,"style":1,"custom_id":"x","emoji":{"animated":true}}`), false, codes{first + ".emoji": {message.EmojiInvalid}}},
		{"emoji is a text", "12 button", row(`{"type":2,"style":1,"custom_id":"x","emoji":"👍"}`), false, codes{first + ".emoji": {jsonbody.ModelConvert}}},

		{"select without options", "12 select", row(`{"type":3,"custom_id":"s"}`), false, codes{first + ".options": {jsonbody.Required}}},
		{"26 options", "12 select", row(`{"type":3,"custom_id":"s","options":[` + repeat(`{"label":"l","value":"%d"}`, 26) + `]}`), false, codes{first + ".options": {jsonbody.BadLength}}},
		{"option limits", "12 select", row(`{"type":3,"custom_id":"s","options":[{"label":` + chars(101) + `,"value":` + chars(101) + `,"description":` + chars(101) + `}]}`), false, codes{
			first + ".options.0.label": {jsonbody.BadLength}, first + ".options.0.value": {jsonbody.BadLength}, first + ".options.0.description": {jsonbody.MaxLength},
		}},
		{"option value twice", "12 select", row(`{"type":3,"custom_id":"s","options":[{"label":"a","value":"v"},{"label":"b","value":"v"}]}`), false, codes{first + ".options.1": {message.OptionValueTaken}}},
		{"two defaults for one value", "12 select", row(`{"type":3,"custom_id":"s","options":[{"label":"a","value":"v","default":true},{"label":"b","value":"w","default":true}]}`), false, codes{first: {message.TooManyDefaults}}},
		{"select placeholder", "12 select", row(`{"type":5,"custom_id":"s","placeholder":` + chars(151) + `}`), false, codes{first + ".placeholder": {jsonbody.MaxLength}}},
		{"select values", "12 select", row(`{"type":5,"custom_id":"s","min_values":26,"max_values":0}`), false, codes{
			first + ".min_values": {jsonbody.NumberMax, jsonbody.NumberMax}, first + ".max_values": {jsonbody.NumberMin},
		}},
		{"least above most", "12 select", row(`{"type":5,"custom_id":"s","min_values":3,"max_values":2}`), false, codes{first + ".min_values": {jsonbody.NumberMax}}},
		{"none at all", "12 select", row(`{"type":5,"custom_id":"s","min_values":0,"max_values":25}`), false, nil},
		{"default values", "12 select", row(`{"type":7,"custom_id":"s","default_values":[{"id":"5","type":"user"}]}`), false, nil},
		{"default values of a kind that is none", "12 select", row(`{"type":7,"custom_id":"s","default_values":[{"id":"5","type":"guild"}]}`), false, codes{first + ".default_values.0.type": {jsonbody.Choices}}},
		{"channel types", "12 select", row(`{"type":8,"custom_id":"s","channel_types":[6]}`), false, codes{first + ".channel_types.0": {jsonbody.Choices}}},

		{"all kinds", "12 types", row(button) + `,{"type":9,"components":[{"type":10,"content":"a"}],"accessory":{"type":11,"media":{"url":"http://a"}}},{"type":10,"content":"b"},
			{"type":12,"items":[{"media":{"url":"attachment://Cat.PNG"},"description":"c","spoiler":true}]},{"type":13,"file":{"url":"attachment://notes.txt"}},{"type":14,"divider":false,"spacing":2},
			{"type":17,"accent_color":null,"spoiler":false,"components":[{"type":9,"components":[{"type":10,"content":"d"}],"accessory":{"type":2,"style":1,"custom_id":"z"}}]}`, true, nil},
		{"40 components", "8.2 components", repeat(`{"type":10,"content":"a"}`, 40), true, nil},
		{"41 components", "8.2 components", repeat(`{"type":10,"content":"a"}`, 41), true, codes{"components": {message.TooManyComponents}}},
		{"41 with those inside", "8.2 components", `{"type":17,"components":[` + repeat(`{"type":10,"content":"a"}`, 40) + `]}`, true, codes{"components": {message.TooManyComponents}}},
		{"4000 characters", "12 text display", repeat(`{"type":10,"content":`+chars(2000)+`}`, 2), true, nil},
		{"4001 characters", "12 text display", `{"type":10,"content":` + chars(4000) + `},{"type":10,"content":"a"}`, true, codes{"components": {message.TextTooLarge}}},
		{"empty text", "12 text display", `{"type":10,"content":""}`, true, codes{"components.0.content": {jsonbody.BadLength}}},
		{"container in a container", "12 container", `{"type":17,"components":[{"type":17,"components":[]}]}`, true, codes{"components.0.components.0": {jsonbody.UnionChoices}}},
		{"section without accessory", "12 section", `{"type":9,"components":[{"type":10,"content":"a"}]}`, true, codes{"components.0.accessory": {jsonbody.Required}}},
		{"4 texts in a section", "12 section", `{"type":9,"components":[` + repeat(`{"type":10,"content":"a"}`, 4) + `],"accessory":{"type":11,"media":{"url":"http://a"}}}`, true, codes{"components.0.components": {jsonbody.BadLength}}},
		{"select beside a section", "12 section", `{"type":9,"components":[{"type":10,"content":"a"}],"accessory":` + selectMenu + `}`, true, codes{"components.0.accessory": {jsonbody.UnionChoices}}},
		{"11 items in a gallery", "12 gallery", `{"type":12,"items":[` + repeat(`{"media":{"url":"http://a"}}`, 11) + `]}`, true, codes{"components.0.items": {jsonbody.BadLength}}},
		{"file elsewhere", "12 file", `{"type":13,"file":{"url":"http://a"}}`, true, codes{"components.0.file.url": {message.URLScheme}}},
		{"file that is not there", "12 file", `{"type":13,"file":{"url":"attachment://x"}}`, true, codes{"components.0.file.url": {message.MediaNotFound}}},
		{"media that is not there", "12 gallery", `{"type":12,"items":[{"media":{"url":"attachment://x"}}]}`, true, codes{"components.0.items.0.media.url": {message.MediaNotFound}}},
		{"separator", "12 separator", `{"type":14,"spacing":3,"divider":1}`, true, codes{"components.0.spacing": {jsonbody.Choices}, "components.0.divider": {jsonbody.BooleanConvert}}},
		{"container color", "12 container", `{"type":17,"accent_color":16777216,"components":[{"type":14}]}`, true, codes{"components.0.accent_color": {jsonbody.NumberMax}}},
		{"components are no list", "12 row", `{"type":1,"components":{"a":1}}`, false, codes{"components.0.components": {jsonbody.ListConvert}}},
		{"nested without end", "12 types", strings.Repeat(`{"type":1,"components":[`, 9) + strings.Repeat(`]}`, 9), false, codes{"components.0.components.0": {jsonbody.UnionChoices}}},
		{"style is a text", "12 button", row(`{"type":2,"style":"x","custom_id":"y"}`), false, codes{first + ".style": {jsonbody.NumberCoerce}}},
		{"options are no list", "12 select", row(`{"type":3,"custom_id":"s","options":"x"}`), false, codes{first + ".options": {jsonbody.ListConvert}}},
		{"url is a number", "12 button", row(`{"type":2,"style":5,"url":5}`), false, codes{first + ".url": {jsonbody.StringConvert}}},
		{"label in a message", "12 types", `{"type":18,"label":"a","component":` + selectMenu + `}`, true, codes{"components.0": {jsonbody.UnionChoices}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			flags := "0"
			if tt.v2 {
				flags = "32768"
			}
			c, err := message.Read(parse(t, `{"flags":`+flags+`,"components":[`+tt.components+`]}`), uploads[:2])
			if diff := cmp.Diff(tt.want, findings(t, err)); diff != "" {
				t.Errorf("%s: errors differ (-want +got):\n%s", tt.rule, diff)
			}
			wantJS(t, c.Components.AppendJSON(nil))
		})
	}
}

func TestComponentsAreNumbered(t *testing.T) {
	t.Parallel()
	c, err := message.Read(parse(t, `{"flags":32768,"components":[
		{"type":17,"components":[{"type":10,"content":"a","id":2},{"type":14,"id":0}]},{"type":9,"components":[{"type":10,"content":"b"}],"accessory":{"type":2,"style":1,"custom_id":"x","id":1}}]}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	const want = `[{"type":17,"id":3,"accent_color":null,"spoiler":false,"components":[{"type":10,"id":2,"content":"a"},{"type":14,"id":4,"divider":true,"spacing":1}]},` +
		`{"type":9,"id":5,"components":[{"type":10,"id":6,"content":"b"}],"accessory":{"type":2,"id":1,"style":1,"custom_id":"x"}}]`
	if diff := cmp.Diff(want, string(c.Components.AppendJSON(nil))); diff != "" {
		t.Errorf("components differ (-want +got):\n%s", diff)
	}
	again := message.ParseComponents(parse(t, want))
	if diff := cmp.Diff(want, string(again.AppendJSON(nil))); diff != "" || again.Empty() {
		t.Errorf("components differ after reading them again (-want +got):\n%s", diff)
	}
	if got := string(message.Components{}.AppendJSON(nil)); got != `[]` {
		t.Errorf("no components are %s, want []", got)
	}
}
