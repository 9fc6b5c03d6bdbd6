package message

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/snowflake"
)

// shape lists the members of an object in the order in which they are written. Other members are ignored.
type shape []field

type field struct {
	key  string
	need bool
	read rule
}

// rule returns the normal form of a value and adds errors to t.
type rule func(t *jsonbody.Tree, v jsonbody.Value) jsonbody.Value

// read returns the members of v that the shape lists, without those that are null.
func (s shape) read(t *jsonbody.Tree, v jsonbody.Value) []jsonbody.Member {
	members := make([]jsonbody.Member, 0, len(s)+3) // room for members that callers add
	for i := range s {
		f := &s[i]
		m := v.Get(f.key)
		switch {
		case m.IsSet():
			members = append(members, jsonbody.Member{Name: f.key, Value: f.read(t.At(f.key), m)})
		case f.need:
			t.At(f.key).Required()
		}
	}
	return members
}

// text accepts strings of low to high code points.
func text(low, high int) rule {
	return func(t *jsonbody.Tree, v jsonbody.Value) jsonbody.Value {
		if s, ok := jsonbody.AsString(t, v); ok {
			jsonbody.CheckLength(t, jsonbody.Len(s), low, high)
		}
		return v
	}
}

// whole accepts integers from low to high.
func whole(low, high int64) rule {
	return func(t *jsonbody.Tree, v jsonbody.Value) jsonbody.Value {
		n, _ := jsonbody.AsInt(t, v, low, high)
		return numberOf(v, n)
	}
}

// oneOfInts accepts the integers of a set.
func oneOfInts(set ...int) rule {
	return func(t *jsonbody.Tree, v jsonbody.Value) jsonbody.Value {
		n, ok := jsonbody.AsWhole(t, v)
		if ok && !slices.Contains(set, int(n)) {
			jsonbody.NotOneOfInts(t, set...)
		}
		return numberOf(v, n)
	}
}

// numberOf returns v if it is a number, and else the number n, because a string of digits is accepted as a number.
func numberOf(v jsonbody.Value, n int64) jsonbody.Value {
	if v.Kind() == jsonbody.Number {
		return v
	}
	return integer(n)
}

// integer returns an integer value.
func integer(n int64) jsonbody.Value {
	if n >= 0 && n < int64(len(small)) {
		return small[n]
	}
	return parsed(strconv.FormatInt(n, 10))
}

// small caches the values of small integers, such as component types and ids.
var small = func() (list [64]jsonbody.Value) {
	for n := range list {
		list[n] = parsed(strconv.Itoa(n))
	}
	return list
}()

// null is the value null.
var null = parsed("null")

// parsed parses a valid JSON text.
func parsed(doc string) jsonbody.Value {
	v, _ := jsonbody.Parse([]byte(doc))
	return v
}

// oneOf accepts the strings of a set.
func oneOf(set ...string) rule {
	return func(t *jsonbody.Tree, v jsonbody.Value) jsonbody.Value {
		if s, ok := jsonbody.AsString(t, v); ok && !slices.Contains(set, s) {
			t.NotOneOf(set...)
		}
		return v
	}
}

// boolean accepts booleans.
func boolean(t *jsonbody.Tree, v jsonbody.Value) jsonbody.Value {
	jsonbody.AsBool(t, v)
	return v
}

// id accepts snowflakes and converts them to strings.
func id(t *jsonbody.Tree, v jsonbody.Value) jsonbody.Value {
	n, _ := jsonbody.AsID[snowflake.Target](t, v)
	return jsonbody.StringOf(n.String())
}

// object accepts objects of a shape.
func object(s shape) rule {
	return func(t *jsonbody.Tree, v jsonbody.Value) jsonbody.Value {
		v, ok := jsonbody.AsObject(t, v)
		if !ok {
			return jsonbody.Value{}
		}
		return jsonbody.ObjectOf(s.read(t, v)...)
	}
}

// filled adds members to the objects that another rule accepts and that lack them.
func filled(read rule, fill ...jsonbody.Member) rule {
	return func(t *jsonbody.Tree, v jsonbody.Value) jsonbody.Value {
		clean := read(t, v)
		return jsonbody.ObjectOf(addMissing(clean.Members(), fill)...)
	}
}

// addMissing returns members with those of fill that they lack.
func addMissing(members, fill []jsonbody.Member) []jsonbody.Member {
	for _, f := range fill {
		if !slices.ContainsFunc(members, func(m jsonbody.Member) bool { return m.Name == f.Name }) {
			members = append(members, f)
		}
	}
	return members
}

// list accepts lists of low to high items.
func list(low, high int, item rule) rule {
	return func(t *jsonbody.Tree, v jsonbody.Value) jsonbody.Value {
		items, ok := jsonbody.AsList(t, v)
		if !ok {
			return jsonbody.Value{}
		}
		jsonbody.CheckLength(t, len(items), low, high)
		clean := make([]jsonbody.Value, 0, min(len(items), high))
		for i, v := range items[:min(len(items), high)] {
			if !v.IsSet() {
				t.Index(i).Required()
				continue
			}
			clean = append(clean, item(t.Index(i), v))
		}
		return jsonbody.ListOf(clean...)
	}
}

const maxURL = 2048

// urlWith accepts URLs with one of the schemes, up to most code points. An attachment:// URL consists of a file name.
func urlWith(most int, schemes ...string) rule {
	return func(t *jsonbody.Tree, v jsonbody.Value) jsonbody.Value {
		s, ok := jsonbody.AsString(t, v)
		if !ok {
			return v
		}
		jsonbody.CheckLength(t, jsonbody.Len(s), 0, most)
		scheme, rest, ok := strings.Cut(s, "://")
		switch {
		case !ok || rest == "" || rest[0] == '/' || strings.ContainsFunc(s, isBlank):
			t.Add(URLInvalid, "Not a well formed URL.")
		case !slices.Contains(schemes, strings.ToLower(scheme)):
			t.Add(URLScheme, fmt.Sprintf(`Scheme "%s" is not supported. Scheme must be one of ('%s').`,
				jsonbody.StringOf(scheme), strings.Join(schemes, "', '")))
		}
		return v
	}
}

// isBlank reports whether r is a blank or a control character, which URLs cannot contain.
func isBlank(r rune) bool { return r <= ' ' || r == 0x7f }

// timestamp accepts ISO 8601 times and converts them to wire.TimeLayout.
func timestamp(t *jsonbody.Tree, v jsonbody.Value) jsonbody.Value {
	at := jsonbody.Time(t, v)
	if t.Failed() {
		return v
	}
	return jsonbody.StringOf(at.Format(wire.TimeLayout))
}

var emojiShape = shape{{"id", false, id}, {"name", false, text(0, 100)}, {"animated", false, boolean}}

// emoji accepts partial emoji: custom emoji have an id, standard emoji have a name.
func emoji(t *jsonbody.Tree, v jsonbody.Value) jsonbody.Value {
	v, ok := jsonbody.AsObject(t, v)
	if !ok {
		return v
	}
	clean := jsonbody.ObjectOf(emojiShape.read(t, v)...)
	if !clean.Get("id").IsSet() && clean.Get("name").Text() == "" {
		t.Add(EmojiInvalid, "Invalid emoji")
	}
	return clean
}
