package interaction

import (
	"github.com/bellhop/bellhop/form"
	"github.com/bellhop/bellhop/message"
	"github.com/bellhop/bellhop/problem"
)

// MaxModalTitle is how many code points the title of a modal may have.
const MaxModalTitle = 45

// Modal is a form that an app shows to a person.
type Modal struct {
	CustomID   string
	Title      string
	Components message.Components
}

func readModal(t *problem.Tree, data form.Value) Modal {
	if !data.IsSet() {
		t.Required()
		return Modal{}
	}
	data, ok := form.AsObject(t, data)
	if !ok {
		return Modal{}
	}
	m := Modal{
		CustomID: form.ReadText(t, data, "custom_id", true, 1, message.MaxCustomID),
		Title:    form.ReadText(t, data, "title", true, 1, MaxModalTitle),
	}
	at, v := t.At("components"), data.Get("components")
	if !v.IsSet() {
		at.Required()
		return m
	}
	m.Components = message.ReadModalComponents(at, v)
	return m
}
