package scenario

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/wire"
)

// Matcher says which value is expected: a value itself, or conditions on it, which must all hold.
type Matcher struct {
	exact    bool
	equals   jsonbody.Value
	not      *jsonbody.Value
	contains *jsonbody.Value
	matches  *regexp.Regexp
	atLeast  *float64
	atMost   *float64
	absent   *bool
}

// conditions are the keys of a matcher.
var conditions = []string{"equals", "not", "contains", "matches", "at_least", "at_most", "absent"}

func (m *Matcher) read(t *jsonbody.Tree, v jsonbody.Value) {
	if v.Kind() != jsonbody.Object {
		m.exact, m.equals = true, v
		return
	}
	if len(v.Members()) == 0 {
		t.Add(badValue, "Must have a condition: "+strings.Join(conditions, ", ")+".")
	}
	for _, c := range v.Members() {
		at := t.At(c.Name)
		switch c.Name {
		case "equals":
			m.exact, m.equals = true, c.Value
		case "not":
			m.not = &c.Value
		case "contains":
			m.contains = &c.Value
		case "matches":
			var p Pattern
			p.read(at, c.Value)
			m.matches = p.Regexp
		case "at_least":
			m.atLeast = readNumber(at, c.Value)
		case "at_most":
			m.atMost = readNumber(at, c.Value)
		case "absent":
			if b, ok := jsonbody.AsBool(at, c.Value); ok {
				m.absent = &b
			}
		default:
			at.Add(unknownKey, unknown("condition", c.Name, conditions))
		}
	}
}

func readNumber(t *jsonbody.Tree, v jsonbody.Value) *float64 {
	n, ok := jsonbody.AsFloat(t, v, -1e15, 1e15)
	if !ok {
		return nil
	}
	return &n
}

func (Matcher) schema() any {
	return object{"anyOf": []any{
		object{"type": []any{"string", "number", "boolean", "array", "null"}},
		object{"type": "object", "additionalProperties": false, "minProperties": 1, "properties": object{
			"equals": true, "not": true, "contains": object{"description": "A part of a text, or an item of a list."},
			"matches":  object{"type": "string", "format": "regex", "description": "A regular expression."},
			"at_least": object{"type": "number"}, "at_most": object{"type": "number"},
			"absent": object{"type": "boolean", "description": "Whether the value is missing or null."},
		}},
	}}
}

// check returns the conditions that do not hold, as text.
func (m *Matcher) check(got jsonbody.Value) []string {
	var wrong []string
	fail := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	if m.exact && !equal(m.equals, got) {
		fail("%s", shown(m.equals))
	}
	if m.not != nil && equal(*m.not, got) {
		fail("not %s", shown(*m.not))
	}
	if m.contains != nil && !contains(got, *m.contains) {
		fail("contains %s", shown(*m.contains))
	}
	if m.matches != nil && (got.Kind() != jsonbody.String || !m.matches.MatchString(got.Text())) {
		fail("matches %q", m.matches.String())
	}
	n, isNumber := number(got)
	if m.atLeast != nil && (!isNumber || n < *m.atLeast) {
		fail("at least %v", *m.atLeast)
	}
	if m.atMost != nil && (!isNumber || n > *m.atMost) {
		fail("at most %v", *m.atMost)
	}
	if m.absent != nil && *m.absent == got.IsSet() {
		fail("absent: %v", *m.absent)
	}
	return wrong
}

// equal compares values. A number equals the same number as text, because ids are text in the API, and null equals a
// missing value.
func equal(want, got jsonbody.Value) bool {
	switch want.Kind() {
	case jsonbody.Absent, jsonbody.Null:
		return !got.IsSet()
	case jsonbody.String, jsonbody.Number:
		a, isNumber := number(want)
		b, isToo := number(got)
		same := got.Kind() == jsonbody.String || got.Kind() == jsonbody.Number
		return same && (want.Text() == got.Text() || want.Kind() == jsonbody.Number && isNumber && isToo && a == b)
	case jsonbody.List:
		return got.Kind() == jsonbody.List && slices.EqualFunc(want.Items(), got.Items(), equal)
	case jsonbody.Object:
		return got.Kind() == jsonbody.Object && len(want.Members()) == len(got.Members()) &&
			!slices.ContainsFunc(want.Members(), func(m jsonbody.Member) bool { return !equal(m.Value, got.Get(m.Name)) })
	case jsonbody.Bool:
		return got.Kind() == jsonbody.Bool && want.String() == got.String()
	}
	return false
}

// contains reports whether a text has a part, or a list has an item or all items of a list.
func contains(got, part jsonbody.Value) bool {
	if got.Kind() == jsonbody.List {
		wanted := []jsonbody.Value{part}
		if part.Kind() == jsonbody.List {
			wanted = part.Items()
		}
		return !slices.ContainsFunc(wanted, func(w jsonbody.Value) bool {
			return !slices.ContainsFunc(got.Items(), func(g jsonbody.Value) bool { return equal(w, g) })
		})
	}
	return got.Kind() == jsonbody.String && strings.Contains(got.Text(), part.Text())
}

func number(v jsonbody.Value) (float64, bool) {
	if v.Kind() != jsonbody.Number && v.Kind() != jsonbody.String {
		return 0, false
	}
	n, err := strconv.ParseFloat(v.Text(), 64)
	return n, err == nil
}

// shown returns a value as JSON.
func shown(v jsonbody.Value) string {
	if v.Kind() == jsonbody.Absent {
		return "nothing"
	}
	return string(wire.AppendValue(nil, v))
}
