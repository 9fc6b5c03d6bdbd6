// Package component finds the components of messages and forms by the names that people see, and makes the interactions that use
// them.
package component

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
)

// The types of components.
const (
	buttonType       = 2
	stringSelectType = 3
	textInputType    = 4
	lastSelectType   = 8 // 5 to 8 are selects of users, roles, mentionables and channels
)

// The types of interactions.
const (
	componentInteraction = 3
	modalInteraction     = 5
)

// Object is a JSON object.
type Object = map[string]any

// Match reports whether a component is the one that is looked for.
type Match func(jsonbody.Value) bool

// IDs returns the id of a user, a role or a channel with a name, and whether there is one. It may be nil.
type IDs func(name string) (id string, ok bool)

// Button returns a Match for the button with a label, a custom id or an emoji.
func Button(name string) Match {
	return func(c jsonbody.Value) bool {
		return IsButton(c) && slices.Contains([]string{c.Get("label").Text(), c.Get("custom_id").Text(), c.Get("emoji").Get("name").Text()}, name)
	}
}

// Menu returns a Match for the select menu with a placeholder or a custom id. Without a name it matches every menu.
func Menu(name string) Match {
	return func(c jsonbody.Value) bool {
		return IsMenu(c) && (name == "" || c.Get("placeholder").Text() == name || c.Get("custom_id").Text() == name)
	}
}

// IsButton reports whether a component is a button.
func IsButton(c jsonbody.Value) bool { return kind(c) == buttonType }

// IsMenu reports whether a component is a select menu.
func IsMenu(c jsonbody.Value) bool {
	k := kind(c)
	return k >= stringSelectType && k <= lastSelectType && k != textInputType
}

// kind returns the type of a component; 0: it has none.
func kind(c jsonbody.Value) int {
	n, err := strconv.Atoi(c.Get("type").Text())
	if err != nil {
		return 0
	}
	return n
}

// Find returns the first component that matches, at any depth.
func Find(list jsonbody.Value, match Match) (jsonbody.Value, bool) {
	for c := range All(list) {
		if match(c) {
			return c, true
		}
	}
	return jsonbody.Value{}, false
}

// All yields the components of a list at any depth, each before those that it contains.
func All(list jsonbody.Value) func(yield func(jsonbody.Value) bool) {
	return func(yield func(jsonbody.Value) bool) { visit(list.Items(), yield) }
}

// visit calls yield with each component until it returns false.
func visit(list []jsonbody.Value, yield func(jsonbody.Value) bool) bool {
	for _, c := range list {
		inner := slices.Concat(c.Get("components").Items(), []jsonbody.Value{c.Get("accessory"), c.Get("component")})
		inner = slices.DeleteFunc(inner, func(v jsonbody.Value) bool { return v.Kind() != jsonbody.Object })
		if !yield(c) || !visit(inner, yield) {
			return false
		}
	}
	return true
}

// Use returns the interaction of a person who presses a button of an application's message, or selects values in a menu. Values are
// labels or values of options, or the names or ids of users, roles and channels.
func Use(application, message string, c jsonbody.Value, values []string, ids IDs) Object {
	data := Object{"component_type": kind(c), "custom_id": c.Get("custom_id").Text()}
	if !IsButton(c) {
		data["values"] = chosen(c, values, ids)
	}
	return Object{"type": componentInteraction, "application_id": application, "message_id": message, "data": data}
}

// chosen returns the values that names select in a menu.
func chosen(menu jsonbody.Value, names []string, ids IDs) []string {
	values := make([]string, len(names))
	for i, name := range names {
		values[i] = value(menu, name, ids)
	}
	return values
}

// value returns the value of the option with a label, or the id of the user, role or channel with a name.
func value(menu jsonbody.Value, name string, ids IDs) string {
	options := menu.Get("options").Items()
	for _, o := range options {
		if o.Get("label").Text() == name {
			return o.Get("value").Text()
		}
	}
	if kind(menu) == stringSelectType || len(options) > 0 || ids == nil {
		return name
	}
	if id, ok := ids(strings.TrimLeft(name, "@#")); ok {
		return id
	}
	return name
}

// Form is a form that an app has opened.
type Form struct {
	Modal       jsonbody.Value
	Interaction string // that opened it
	Application string
}

// FormOf returns the form that the outcome of an invocation opened, and whether it opened one.
func FormOf(outcome jsonbody.Value) (Form, bool) {
	in := outcome.Get("interaction")
	f := Form{outcome.Get("modal"), in.Get("id").Text(), in.Get("application_id").Text()}
	return f, f.Modal.IsSet()
}

// Submit returns the interaction of a person who submits a form. The keys of fields are labels or custom ids. Each value is a text or
// a []string for a menu. It fails if the form has no such field.
func (f Form) Submit(fields map[string]any, ids IDs) (Object, error) {
	filled := []any{}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		field, ok := f.field(name)
		if !ok {
			return nil, fmt.Errorf("the form %q has no field %q", f.Modal.Get("title").Text(), name)
		}
		one := Object{"type": kind(field), "custom_id": field.Get("custom_id").Text()}
		if list, ok := fields[name].([]string); ok {
			one["values"] = chosen(field, list, ids)
		} else {
			one["value"] = fields[name]
		}
		filled = append(filled, one)
	}
	return Object{
		"type": modalInteraction, "application_id": f.Application,
		"data": Object{"id": f.Interaction, "custom_id": f.Modal.Get("custom_id").Text(), "components": filled},
	}, nil
}

// field returns the field of a form with a custom id or a label.
func (f Form) field(name string) (jsonbody.Value, bool) {
	labelled, ok := Find(f.Modal.Get("components"), func(c jsonbody.Value) bool {
		return c.Get("custom_id").Text() == name || c.Get("label").Text() == name
	})
	if inner := labelled.Get("component"); inner.IsSet() {
		return inner, ok
	}
	return labelled, ok
}
