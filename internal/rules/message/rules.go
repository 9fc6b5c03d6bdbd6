package message

import (
	"strconv"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
)

// checkRow checks the width of a row: five buttons or one select. In modals a text input needs a label.
func (l *layout) checkRow(t *jsonbody.Tree, row Component) {
	const most = 5
	width := 0
	for i, v := range row.Get("components").Items() {
		c := Component{v}
		if c.Type() == Button {
			width++
		} else {
			width += most
		}
		if width > most {
			t.Index(i).Add(WidthExceeded, "The specified component exceeds the maximum width")
		}
		if l.modal && !c.Get("label").IsSet() {
			t.Index(i).At("label").Required()
		}
	}
}

// checkButton checks the members that the style of a button requires or forbids.
func checkButton(t *jsonbody.Tree, c Component) {
	name, url := c.Get("custom_id").IsSet(), c.Get("url").IsSet()
	style := c.Number("style", 0)
	if style != PremiumButton && c.Get("sku_id").IsSet() {
		t.At("sku_id").Add(ButtonSKU, "Only a premium button can have a sku_id")
	}
	switch style {
	case linkButton:
		if !url {
			t.At("url").Required()
		}
		if name {
			t.Add(ButtonURLAndCustomID, "A custom id and url cannot both be specified")
		}
	case PremiumButton:
		if !c.Get("sku_id").IsSet() {
			t.At("sku_id").Required()
		}
		for _, key := range [...]string{"custom_id", "label", "url", "emoji"} {
			if c.Get(key).IsSet() {
				t.At(key).Add(ButtonPremium, "A premium button cannot have a "+key)
			}
		}
	default:
		if !name {
			t.At("custom_id").Add(ButtonCustomID, "A custom id is required")
		}
		if url {
			t.Add(ButtonURLAndCustomID, "A custom id and url cannot both be specified")
		}
	}
}

// checkSelect checks the options and the number of values.
func checkSelect(t *jsonbody.Tree, c Component, modal bool) {
	seen := map[string]bool{}
	defaults := len(c.Get("default_values").Items())
	for i, o := range c.Get("options").Items() {
		value := o.Get("value")
		if seen[value.Text()] && value.IsSet() {
			t.At("options").Index(i).Add(OptionValueTaken, "The specified option value is already used")
		}
		seen[value.Text()] = true
		if jsonbody.IsTrue(o, "default") {
			defaults++
		}
	}
	_, high := c.Values()
	if defaults > high {
		t.Add(TooManyDefaults, "The specified number of default values exceeds the specified maximum values")
	}
	if c.Type() == RadioGroup {
		return
	}
	checkOrder(t, c, "min_values", "max_values", high)
	if low := c.Get("min_values"); modal && low.IsSet() && c.Required() && c.Number("min_values", 1) == 0 {
		t.At("min_values").Below("int", "1")
	}
}

// checkOrder checks that the minimum is not above the maximum. otherwise is the default of the maximum.
func checkOrder(t *jsonbody.Tree, c Component, low, high string, otherwise int) {
	most := c.Number(high, otherwise)
	if c.Number(low, 0) > most {
		t.At(low).Above("int", strconv.Itoa(most))
	}
}
