package definitions

import (
	"slices"
	"strconv"
	"strings"

	"github.com/bellhop/bellhop/form"
	"github.com/go-json-experiment/json/jsontext"
)

// Detail is one difference between two definitions.
type Detail struct {
	Path          string // dotted; options and choices by their names
	Before, After string // as JSON; "" for a value that is not there
}

// details returns in what two documents differ.
func details(before, after []byte) []Detail {
	var c comparison
	c.compare("", valueOf(before), valueOf(after))
	return c.found
}

type comparison struct{ found []Detail }

func (c *comparison) compare(path string, before, after form.Value) {
	switch {
	case before.Kind() == form.Object && after.Kind() == form.Object:
		c.objects(path, before, after)
	case named(before) && (named(after) || empty(after)), empty(before) && named(after):
		c.lists(path, before, after)
	default:
		b, a := text(before), text(after)
		if b != a {
			c.found = append(c.found, Detail{path, b, a})
		}
	}
}

func (c *comparison) objects(path string, before, after form.Value) {
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

// lists compares what stands under a name in each: options and choices.
func (c *comparison) lists(path string, before, after form.Value) {
	var stay, order []string
	for _, b := range before.Items() {
		name := b.Get("name").Text()
		a := byName(after, name)
		if a.Kind() != form.Absent {
			stay = append(stay, name)
		}
		c.compare(join(path, name), b, a)
	}
	for _, a := range after.Items() {
		name := a.Get("name").Text()
		if byName(before, name).Kind() == form.Absent {
			c.compare(join(path, name), form.Value{}, a)
			continue
		}
		order = append(order, name)
	}
	if !slices.Equal(stay, order) {
		c.found = append(c.found, Detail{join(path, "order"), strings.Join(stay, ", "), strings.Join(order, ", ")})
	}
}

func byName(list form.Value, name string) form.Value {
	for _, item := range list.Items() {
		if item.Get("name").Text() == name {
			return item
		}
	}
	return form.Value{}
}

// named reports whether v is a list of things that have names.
func named(v form.Value) bool {
	items := v.Items()
	return len(items) > 0 && items[0].Get("name").Kind() == form.String
}

func empty(v form.Value) bool { return !v.IsSet() || v.Kind() == form.List && len(v.Items()) == 0 }

func join(path, key string) string { return strings.TrimPrefix(path+"."+key, ".") }

// text shows a value as JSON; null and nothing are the same here, since a definition says the same by either.
func text(v form.Value) string {
	switch v.Kind() {
	case form.Absent, form.Null:
		return ""
	case form.Bool:
		return v.String()
	case form.Number:
		return v.Text()
	case form.String:
		return quote(v.Text())
	case form.List:
		parts := make([]string, len(v.Items()))
		for i, item := range v.Items() {
			parts[i] = text(item)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case form.Object:
		var parts []string
		for _, m := range v.Members() {
			if t := text(m.Value); t != "" {
				parts = append(parts, m.Name+": "+t)
			}
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return ""
}

func quote(s string) string {
	b, err := jsontext.AppendQuote(nil, s)
	if err != nil {
		return strconv.Quote(s)
	}
	return string(b)
}
