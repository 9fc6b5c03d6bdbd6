package message

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/internal/payload"
	"github.com/bellhop/bellhop/snowflake"
)

// shape lists the members that an object may hold, in the order in which they are written. Others are ignored.
type shape []field

type field struct {
	key  string
	need bool
	read rule
}

// rule returns a value in its normal form and notes what is wrong with it.
type rule func(t *jsonbody.Tree, v jsonbody.Value) jsonbody.Value

// read returns the members of v that the shape lists. What is null is left out.
func (s shape) read(t *jsonbody.Tree, v jsonbody.Value) []jsonbody.Member {
	members := make([]jsonbody.Member, 0, len(s)+3) // some shapes get members of their type in addition
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

// text takes strings of low to high code points.
func text(low, high int) rule {
	return func(t *jsonbody.Tree, v jsonbody.Value) jsonbody.Value {
		if s, ok := jsonbody.AsString(t, v); ok {
			jsonbody.CheckLength(t, jsonbody.Len(s), low, high)
		}
		return v
	}
}

// whole takes integers from low to high.
func whole(low, high int64) rule {
	return func(t *jsonbody.Tree, v jsonbody.Value) jsonbody.Value {
		n, _ := jsonbody.AsInt(t, v, low, high)
		return numberOf(v, n)
	}
}

// among takes integers of a closed set.
func among(set ...int) rule {
	return func(t *jsonbody.Tree, v jsonbody.Value) jsonbody.Value {
		n, ok := jsonbody.AsWhole(t, v)
		if ok && !slices.Contains(set, int(n)) {
			jsonbody.NotOneOfInts(t, set...)
		}
		return numberOf(v, n)
	}
}

// numberOf returns v when it is a number, else n in its place: digits in a string count as a number.
func numberOf(v jsonbody.Value, n int64) jsonbody.Value {
	if v.Kind() == jsonbody.Number {
		return v
	}
	return integer(n)
}

// integer returns a number.
func integer(n int64) jsonbody.Value {
	if n >= 0 && n < int64(len(small)) {
		return small[n]
	}
	return parsed(strconv.FormatInt(n, 10))
}

// small holds the numbers that types and ids of components have.
var small = func() (list [64]jsonbody.Value) {
	for n := range list {
		list[n] = parsed(strconv.Itoa(n))
	}
	return list
}()

// parsed returns the value of a text that is JSON, so that there is no error.
func parsed(doc string) jsonbody.Value {
	v, _ := jsonbody.Parse([]byte(doc))
	return v
}

// words takes strings of a closed set.
func words(set ...string) rule {
	return func(t *jsonbody.Tree, v jsonbody.Value) jsonbody.Value {
		if s, ok := jsonbody.AsString(t, v); ok && !slices.Contains(set, s) {
			t.NotOneOf(set...)
		}
		return v
	}
}

// truth takes booleans.
func truth(t *jsonbody.Tree, v jsonbody.Value) jsonbody.Value {
	jsonbody.AsBool(t, v)
	return v
}

// id takes snowflakes and writes them as strings.
func id(t *jsonbody.Tree, v jsonbody.Value) jsonbody.Value {
	n, _ := jsonbody.AsID[snowflake.Target](t, v)
	return jsonbody.StringOf(n.String())
}

// object takes objects of a shape.
func object(s shape) rule {
	return func(t *jsonbody.Tree, v jsonbody.Value) jsonbody.Value {
		v, ok := jsonbody.AsObject(t, v)
		if !ok {
			return jsonbody.Value{}
		}
		return jsonbody.ObjectOf(s.read(t, v)...)
	}
}

// list takes lists of low to high items.
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

// link takes URLs with one of the schemes, up to most characters. With attachment:// a file's name is all there is.
func link(most int, schemes ...string) rule {
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

// isBlank reports whether a character cannot stand in a URL: a blank or a control.
func isBlank(r rune) bool { return r <= ' ' || r == 0x7f }

// moment takes ISO 8601 times and writes them the one way that payloads have.
func moment(t *jsonbody.Tree, v jsonbody.Value) jsonbody.Value {
	s, ok := jsonbody.AsString(t, v)
	if !ok {
		return v
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00", time.DateOnly} {
		if at, err := time.Parse(layout, s); err == nil {
			return jsonbody.StringOf(at.UTC().Format(payload.TimeLayout))
		}
	}
	t.Add(TimeInvalid, fmt.Sprintf("Could not parse %s. Should be ISO8601.", v))
	return v
}

var emojiShape = shape{{"id", false, id}, {"name", false, text(0, 100)}, {"animated", false, truth}}

// emoji takes partial emoji: a custom one by its id, a standard one by its name.
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
