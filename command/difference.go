package command

import (
	"slices"
	"strings"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
)

// Difference is one value that differs between two definitions.
type Difference struct {
	// Path is the dotted path of the value. Options and choices appear by name: "options.sides.max_value". A path that
	// ends in "order" stands for the order of options or choices.
	Path string
	// Before and After show the value in a form close to JSON; "" stands for no value. The names in an order have
	// commas between them.
	Before, After string
}

// differences compares two documents.
func differences(before, after []byte) []Difference {
	var c comparison
	b, errBefore := jsonbody.Parse(before)
	a, errAfter := jsonbody.Parse(after)
	if errBefore == nil && errAfter == nil {
		c.compare("", b, a)
	}
	return c.found
}

type comparison struct{ found []Difference }

func (c *comparison) compare(path string, before, after jsonbody.Value) {
	switch {
	case before.Kind() == jsonbody.Object && after.Kind() == jsonbody.Object:
		c.objects(path, before, after)
	case isNamedList(before) && (isNamedList(after) || isUnset(after)), isUnset(before) && isNamedList(after):
		c.lists(path, before, after)
	default:
		b, a := show(before), show(after)
		if b != a {
			c.found = append(c.found, Difference{path, b, a})
		}
	}
}

func (c *comparison) objects(path string, before, after jsonbody.Value) {
	var keys []string
	for _, m := range slices.Concat(before.Members(), after.Members()) {
		if !slices.Contains(keys, m.Name) {
			keys = append(keys, m.Name)
		}
	}
	for _, key := range keys {
		c.compare(join(path, key), before.Get(key), after.Get(key))
	}
}

// lists compares two lists of options or choices, item by item under their names, and then the order of the items that
// both lists have.
func (c *comparison) lists(path string, before, after jsonbody.Value) {
	var oldOrder, newOrder []string
	for _, b := range before.Items() {
		name := b.Get("name").Text()
		a := itemNamed(after, name)
		if a.Kind() != jsonbody.Absent {
			oldOrder = append(oldOrder, name)
		}
		c.compare(join(path, name), b, a)
	}
	for _, a := range after.Items() {
		name := a.Get("name").Text()
		if itemNamed(before, name).Kind() == jsonbody.Absent {
			c.compare(join(path, name), jsonbody.Value{}, a)
			continue
		}
		newOrder = append(newOrder, name)
	}
	if !slices.Equal(oldOrder, newOrder) {
		c.found = append(c.found, Difference{join(path, "order"), strings.Join(oldOrder, ", "), strings.Join(newOrder, ", ")})
	}
}

func itemNamed(list jsonbody.Value, name string) jsonbody.Value {
	for _, item := range list.Items() {
		if item.Get("name").Text() == name {
			return item
		}
	}
	return jsonbody.Value{}
}

// isNamedList reports whether v is a list of objects that have names.
func isNamedList(v jsonbody.Value) bool {
	items := v.Items()
	return len(items) > 0 && items[0].Get("name").Kind() == jsonbody.String
}

// isUnset reports whether v is absent, null or an empty list.
func isUnset(v jsonbody.Value) bool {
	return !v.IsSet() || v.Kind() == jsonbody.List && len(v.Items()) == 0
}

func join(path, key string) string { return strings.TrimPrefix(path+"."+key, ".") }

// show returns a value for people. Null and absent are both "", because a definition means the same by either.
func show(v jsonbody.Value) string {
	switch v.Kind() {
	case jsonbody.Absent, jsonbody.Null:
		return ""
	case jsonbody.Bool:
		return v.String()
	case jsonbody.Number:
		return v.Text()
	case jsonbody.String:
		return string(jsonbody.AppendString(nil, v.Text()))
	case jsonbody.List:
		parts := make([]string, len(v.Items()))
		for i, item := range v.Items() {
			parts[i] = show(item)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case jsonbody.Object:
		var parts []string
		for _, m := range v.Members() {
			if s := show(m.Value); s != "" {
				parts = append(parts, m.Name+": "+s)
			}
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return ""
}
