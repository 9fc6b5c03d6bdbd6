package commandfile

import (
	"slices"
	"strconv"
	"strings"

	"github.com/bellhop/bellhop/internal/jsonbody"
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

func (c *comparison) compare(path string, before, after jsonbody.Value) {
	switch {
	case before.Kind() == jsonbody.Object && after.Kind() == jsonbody.Object:
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

// lists compares what stands under a name in each: options and choices.
func (c *comparison) lists(path string, before, after jsonbody.Value) {
	var stay, order []string
	for _, b := range before.Items() {
		name := b.Get("name").Text()
		a := byName(after, name)
		if a.Kind() != jsonbody.Absent {
			stay = append(stay, name)
		}
		c.compare(join(path, name), b, a)
	}
	for _, a := range after.Items() {
		name := a.Get("name").Text()
		if byName(before, name).Kind() == jsonbody.Absent {
			c.compare(join(path, name), jsonbody.Value{}, a)
			continue
		}
		order = append(order, name)
	}
	if !slices.Equal(stay, order) {
		c.found = append(c.found, Detail{join(path, "order"), strings.Join(stay, ", "), strings.Join(order, ", ")})
	}
}

func byName(list jsonbody.Value, name string) jsonbody.Value {
	for _, item := range list.Items() {
		if item.Get("name").Text() == name {
			return item
		}
	}
	return jsonbody.Value{}
}

// named reports whether v is a list of things that have names.
func named(v jsonbody.Value) bool {
	items := v.Items()
	return len(items) > 0 && items[0].Get("name").Kind() == jsonbody.String
}

func empty(v jsonbody.Value) bool {
	return !v.IsSet() || v.Kind() == jsonbody.List && len(v.Items()) == 0
}

func join(path, key string) string { return strings.TrimPrefix(path+"."+key, ".") }

// text shows a value as JSON; null and nothing are the same here, since a definition says the same by either.
func text(v jsonbody.Value) string {
	switch v.Kind() {
	case jsonbody.Absent, jsonbody.Null:
		return ""
	case jsonbody.Bool:
		return v.String()
	case jsonbody.Number:
		return v.Text()
	case jsonbody.String:
		return quote(v.Text())
	case jsonbody.List:
		parts := make([]string, len(v.Items()))
		for i, item := range v.Items() {
			parts[i] = text(item)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case jsonbody.Object:
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
