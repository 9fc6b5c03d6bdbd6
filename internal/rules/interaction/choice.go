package interaction

import (
	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/locale"
	"github.com/bellhop/bellhop/internal/rules/wire"
)

// Limits of autocomplete choices. Lengths are in code points.
const (
	maxChoices    = 25
	maxChoiceName = 100
	maxChoiceText = 100
)

// readChoices reads the autocomplete choices for an option of a type.
func readChoices(t *jsonbody.Tree, data jsonbody.Value, focus command.OptionType) []command.Choice {
	if !data.IsSet() {
		t.Required()
		return nil
	}
	data, ok := jsonbody.AsObject(t, data)
	if !ok {
		return nil
	}
	at, v := t.At("choices"), data.Get("choices")
	if !v.IsSet() {
		at.Required()
		return nil
	}
	items, _ := jsonbody.AsItems(at, v, maxChoices)
	choices := make([]command.Choice, 0, len(items))
	for i, item := range items {
		item, ok := jsonbody.AsItem(at.Index(i), item)
		if !ok {
			continue
		}
		choices = append(choices, command.Choice{
			Name:              jsonbody.ReadText(at.Index(i), item, "name", true, 1, maxChoiceName),
			NameLocalizations: readNames(at.Index(i).At("name_localizations"), item.Get("name_localizations")),
			Value:             readChoiceValue(at.Index(i).At("value"), item.Get("value"), focus),
		})
	}
	return choices
}

func readNames(t *jsonbody.Tree, v jsonbody.Value) locale.Map {
	if !v.IsSet() {
		return nil
	}
	dict, ok := jsonbody.AsDict(t, v)
	if !ok {
		return nil
	}
	names := locale.Map{}
	for _, m := range dict.Members() {
		code := m.Name
		switch {
		case !locale.Known(code):
			t.At(jsonbody.StringOf(m.Name).String()).Add(jsonbody.Choices, "Value must be a locale code.")
		case m.Value.IsSet():
			names[code] = jsonbody.ReadText(t, dict, m.Name, true, 1, maxChoiceName)
		}
	}
	return names
}

func readChoiceValue(t *jsonbody.Tree, v jsonbody.Value, focus command.OptionType) command.Value {
	if !v.IsSet() {
		t.Required()
		return command.Value{}
	}
	switch focus {
	case command.Integer:
		if v.Kind() != jsonbody.Number { // a string of digits is not accepted
			t.NotA("int", v.String())
			return command.Value{}
		}
		n, _ := jsonbody.AsInt(t, v, -jsonbody.MaxInteger, jsonbody.MaxInteger)
		return command.NumberValue(float64(n))
	case command.Number:
		f, ok := jsonbody.AsFloat(t, v, -jsonbody.MaxNumber, jsonbody.MaxNumber)
		if _, exact := exactNumber(v); ok && !exact {
			t.Above("float", "9007199254740992")
		}
		return command.NumberValue(f)
	default:
		s, ok := jsonbody.AsString(t, v)
		if ok {
			jsonbody.CheckLength(t, jsonbody.Len(s), 0, maxChoiceText)
		}
		return command.TextValue(s)
	}
}

// AppendChoices appends the JSON list of choices, with their names in the language of the client.
func AppendChoices(dst []byte, choices []command.Choice, code locale.Code) []byte {
	p := wire.Printer{Out: dst}
	p.Raw(`[`)
	for i, c := range choices {
		p.Comma(i > 0)
		name := c.Name
		if variant, ok := locale.Lookup(c.NameLocalizations, code); ok {
			name = variant
		}
		p.Text(`{"name":`, name)
		p.Raw(`,"value":`)
		if s, ok := c.Value.Text(); ok {
			p.Quote(s)
		} else {
			f, _ := c.Value.Number()
			p.Float(f)
		}
		p.Raw(`}`)
	}
	p.Raw(`]`)
	return p.Out
}
