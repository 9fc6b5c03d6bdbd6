package interaction

import (
	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/form"
	"github.com/bellhop/bellhop/locale"
	"github.com/bellhop/bellhop/payload"
	"github.com/bellhop/bellhop/problem"
)

// readChoices reads what an app suggests for an option of a type.
func readChoices(t *problem.Tree, data form.Value, focus command.OptionType) []command.Choice {
	if !data.IsSet() {
		t.Required()
		return nil
	}
	data, ok := form.AsObject(t, data)
	if !ok {
		return nil
	}
	at, v := t.At("choices"), data.Get("choices")
	if !v.IsSet() {
		at.Required()
		return nil
	}
	items, _ := form.AsItems(at, v, command.MaxChoices)
	choices := make([]command.Choice, 0, len(items))
	for i, item := range items {
		item, ok := form.AsItem(at.Index(i), item)
		if !ok {
			continue
		}
		choices = append(choices, command.Choice{
			Name:              form.ReadText(at.Index(i), item, "name", true, 1, command.MaxChoiceName),
			NameLocalizations: readNames(at.Index(i).At("name_localizations"), item.Get("name_localizations")),
			Value:             readChoiceValue(at.Index(i).At("value"), item.Get("value"), focus),
		})
	}
	return choices
}

func readNames(t *problem.Tree, v form.Value) locale.Map {
	if !v.IsSet() {
		return nil
	}
	dict, ok := form.AsDict(t, v)
	if !ok {
		return nil
	}
	names := locale.Map{}
	for _, m := range dict.Members() {
		code := locale.Code(m.Name)
		switch {
		case !locale.Known(code):
			t.At(form.StringOf(m.Name).String()).Add(problem.Choices, "Value must be the code of a language.")
		case m.Value.IsSet():
			names[code] = form.ReadText(t, dict, m.Name, true, 1, command.MaxChoiceName)
		}
	}
	return names
}

func readChoiceValue(t *problem.Tree, v form.Value, focus command.OptionType) command.Value {
	if !v.IsSet() {
		t.Required()
		return command.Value{}
	}
	switch focus {
	case command.Integer:
		if v.Kind() != form.Number { // digits in a string are a text
			t.NotA("int", v.String())
			return command.Value{}
		}
		n, _ := form.AsInt(t, v, -command.MaxInteger, command.MaxInteger)
		return command.NumberValue(float64(n))
	case command.Number:
		f, ok := form.AsFloat(t, v, -command.MaxNumber, command.MaxNumber)
		if _, exact := exactNumber(v); ok && !exact {
			t.Above("float", "9007199254740992")
		}
		return command.NumberValue(f)
	default:
		s, ok := form.AsString(t, v)
		if ok {
			form.CheckLength(t, form.Len(s), 0, command.MaxChoiceText)
		}
		return command.TextValue(s)
	}
}

// AppendChoices appends suggestions as a client in a language sees them.
func AppendChoices(dst []byte, choices []command.Choice, code locale.Code) []byte {
	p := payload.Printer{Out: dst}
	p.Raw(`[`)
	for i, c := range choices {
		p.Comma(i > 0)
		name := c.Name
		if variant, ok := c.NameLocalizations.For(code); ok {
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
