package interaction

import (
	"fmt"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/internal/rules/wire"
)

// MaxModalTitle is the maximum length of the title of a modal in code points.
const MaxModalTitle = 45

// Modal is a form that an app shows to a user.
type Modal struct {
	CustomID   string
	Title      string
	Components message.Components
}

// AppendJSON appends the modal as it is stored and shown.
func (m *Modal) AppendJSON(dst []byte) []byte {
	p := wire.Printer{Out: dst}
	p.Text(`{"custom_id":`, m.CustomID)
	p.Text(`,"title":`, m.Title)
	p.Raw(`,"components":`)
	return append(m.Components.AppendJSON(p.Out), '}')
}

// ParseModal parses what AppendJSON wrote.
func ParseModal(doc []byte) (Modal, error) {
	v, err := jsonbody.Parse(doc)
	if err != nil {
		return Modal{}, fmt.Errorf("parse a modal: %w", err)
	}
	return Modal{
		CustomID: v.Get("custom_id").Text(), Title: v.Get("title").Text(), Components: message.ParseComponents(v.Get("components")),
	}, nil
}

func readModal(t *jsonbody.Tree, data jsonbody.Value) Modal {
	if !data.IsSet() {
		t.Required()
		return Modal{}
	}
	data, ok := jsonbody.AsObject(t, data)
	if !ok {
		return Modal{}
	}
	m := Modal{
		CustomID: jsonbody.ReadText(t, data, "custom_id", true, 1, message.MaxCustomID),
		Title:    jsonbody.ReadText(t, data, "title", true, 1, MaxModalTitle),
	}
	at, v := t.At("components"), data.Get("components")
	if !v.IsSet() {
		at.Required()
		return m
	}
	m.Components = message.ReadModalComponents(at, v)
	return m
}
