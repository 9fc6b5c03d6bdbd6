package interaction

import (
	"github.com/bellhop/bellhop/form"
	"github.com/bellhop/bellhop/problem"
)

// MaxModalTitle is how many code points the title of a modal may have.
const MaxModalTitle = 45

// Modal is a form that an app shows to a person.
type Modal struct {
	CustomID   string
	Title      string
	Components Components
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
		CustomID: readText(t, data, "custom_id", true, 1, MaxCustomID),
		Title:    readText(t, data, "title", true, 1, MaxModalTitle),
	}
	at, v := t.At("components"), data.Get("components")
	if !v.IsSet() {
		at.Required()
		return m
	}
	l := layout{modal: true}
	m.Components = l.read(at, v, 1, maxModalComponents, modalTop)
	return m
}
