package world

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/permission"
)

// Codes of problems in a world.
const (
	UnknownKey jsonbody.Code = "WORLD_UNKNOWN_KEY" // a key that does not exist
	Duplicate  jsonbody.Code = "WORLD_DUPLICATE"   // a value that must be unique occurs twice
	Misplaced  jsonbody.Code = "WORLD_MISPLACED"   // a value that another value does not allow
	BadText    jsonbody.Code = "WORLD_BAD_TEXT"    // a string with a wrong format
	BadSyntax  jsonbody.Code = "WORLD_BAD_SYNTAX"  // the file is neither YAML nor JSON, or too large
)

// object reads the members of a mapping. An absent member and null read as zero. An empty member is a problem when zero
// would mean the default.
type object struct {
	tree  *jsonbody.Tree
	value jsonbody.Value
	known []string // the keys that were read
}

// record is a type of mapping. complete sets default values and reports problems.
type record[T any] interface {
	*T
	read(o *object)
	complete(t *jsonbody.Tree)
}

// readRecord reads a mapping and reports unknown keys.
func readRecord[T any, P record[T]](t *jsonbody.Tree, v jsonbody.Value) T {
	var r T
	if v.Kind() != jsonbody.Object {
		t.Add(jsonbody.ModelConvert, "Must be a mapping of keys to values.")
		return r
	}
	o := &object{tree: t, value: v}
	P(&r).read(o)
	o.close()
	return r
}

// list reads a list of mappings.
func list[T any, P record[T]](o *object, key string, limit int) []T {
	items, at := o.items(key, 0, limit)
	if len(items) == 0 {
		return nil
	}
	all := make([]T, len(items))
	for i, item := range items {
		all[i] = readRecord[T, P](at.Index(i), item)
	}
	return all
}

// take returns a member, its branch of the tree, and whether it is present and not null.
func (o *object) take(key string) (jsonbody.Value, *jsonbody.Tree, bool) {
	o.known = append(o.known, key)
	v := o.value.Get(key)
	return v, o.tree.At(key), v.IsSet()
}

// items returns the elements of a list with low to high elements.
func (o *object) items(key string, low, high int) ([]jsonbody.Value, *jsonbody.Tree) {
	v, at, set := o.take(key)
	if !set {
		return nil, at
	}
	if v.Kind() != jsonbody.List {
		at.Add(jsonbody.ListConvert, "Must be a list.")
		return nil, at
	}
	items := v.Items()
	if len(items) < low || len(items) > high {
		length(at, low, high)
		return nil, at
	}
	return items, at
}

// text reads a string that is not empty.
func (o *object) text(key string) string {
	v, at, set := o.take(key)
	if !set {
		return ""
	}
	s, ok := jsonbody.AsString(at, v)
	if ok && s == "" {
		at.Add(jsonbody.Required, "Must not be empty.")
	}
	return s
}

// secret reads a string that is not empty. Its messages do not repeat the string.
func (o *object) secret(key string) string {
	v, at, set := o.take(key)
	if set && (v.Kind() != jsonbody.String || v.Text() == "") {
		at.Add(jsonbody.StringConvert, "Must be a quoted string that is not empty.")
	}
	if v.Kind() != jsonbody.String {
		return ""
	}
	return v.Text()
}

// mayBeEmpty reads a string that may be empty.
func (o *object) mayBeEmpty(key string) string {
	v, at, set := o.take(key)
	if !set {
		return ""
	}
	s, _ := jsonbody.AsString(at, v)
	return s
}

// texts reads a list of low to high strings.
func (o *object) texts(key string, low, high int) []string {
	items, at := o.items(key, low, high)
	var all []string
	for i, item := range items {
		s, _ := jsonbody.AsString(at.Index(i), item)
		all = append(all, s)
	}
	return all
}

func (o *object) bool(key string) bool {
	v, at, set := o.take(key)
	if !set {
		return false
	}
	b, _ := jsonbody.AsBool(at, v)
	return b
}

// int reads a number between low and high.
func (o *object) int(key string, low, high int) int {
	v, at, set := o.take(key)
	if !set {
		return 0
	}
	n, _ := jsonbody.AsInt(at, v, int64(low), int64(high))
	return int(n)
}

// ints reads a list of low to high numbers, each between least and greatest.
func (o *object) ints(key string, low, high, least, greatest int) []int {
	items, at := o.items(key, low, high)
	var all []int
	for i, item := range items {
		n, _ := jsonbody.AsInt(at.Index(i), item, int64(least), int64(greatest))
		all = append(all, int(n))
	}
	return all
}

// id reads an id that is a string or a number, without loss of precision.
func id[T ~uint64](o *object, key string) T {
	v, at, set := o.take(key)
	if !set {
		return 0
	}
	return asID[T](at, v)
}

func ids[T ~uint64](o *object, key string, limit int) []T {
	items, at := o.items(key, 0, limit)
	var all []T
	for i, item := range items {
		all = append(all, asID[T](at.Index(i), item))
	}
	return all
}

func asID[T ~uint64](t *jsonbody.Tree, v jsonbody.Value) T {
	n, ok := jsonbody.AsID[T](t, v)
	if ok && n == 0 {
		t.Below("snowflake", "1")
	}
	return n
}

// bits reads permissions: a list of names, or a bit set that is a string or a number. It returns nil when the member is
// absent.
func (o *object) bits(key string) *permission.Bits {
	v, at, set := o.take(key)
	if !set {
		return nil
	}
	if v.Kind() == jsonbody.List {
		return namedBits(at, v.Items())
	}
	if v.Kind() == jsonbody.String || v.Kind() == jsonbody.Number {
		if b, err := permission.ParseBits(v.Text()); err == nil {
			return &b
		}
	}
	at.Add(BadText, fmt.Sprintf("%q is not a permission bit set: expected a decimal number or a list of names.", v.String()))
	return nil
}

// namedBits reads a list of names of permissions.
func namedBits(t *jsonbody.Tree, items []jsonbody.Value) *permission.Bits {
	var all permission.Bits
	known := permission.All.Names()
	if len(items) > len(known) {
		length(t, 0, len(known))
		return nil
	}
	for i, item := range items {
		with, ok := all.With(item.Text())
		if !ok || item.Kind() != jsonbody.String {
			message := fmt.Sprintf("%q is not the name of a permission", item.String())
			if name := jsonbody.Suggest(strings.ToUpper(item.Text()), known); name != "" {
				message += fmt.Sprintf(": did you mean %q?", name)
			} else {
				message += ": expected a name of Discord's API, such as VIEW_CHANNEL."
			}
			t.Index(i).Add(BadText, message)
		}
		all = with
	}
	return &all
}

// time reads a time.
func (o *object) time(key string) time.Time {
	v, at, set := o.take(key)
	if !set {
		return time.Time{}
	}
	parsed, err := time.Parse(time.RFC3339, v.Text())
	if v.Kind() != jsonbody.String || err != nil {
		at.Add(BadText, fmt.Sprintf("%q is not a time: expected RFC 3339, such as 2026-01-02T15:04:05Z.", v.String()))
		return time.Time{}
	}
	if parsed.IsZero() {
		at.Add(BadText, "Must not be the zero time.")
	}
	return parsed
}

// close reports unknown and duplicate keys.
func (o *object) close() {
	seen := map[string]bool{}
	for _, m := range o.value.Members() {
		if seen[m.Name] {
			o.tree.At(m.Name).Add(Duplicate, "The key occurs twice.")
			continue
		}
		seen[m.Name] = true
		if !slices.Contains(o.known, m.Name) {
			o.tree.At(m.Name).Add(UnknownKey, unknownKey(m.Name, o.known))
		}
	}
}

// unknownKey returns the message for an unknown key. It suggests a known key.
func unknownKey(key string, known []string) string {
	message := fmt.Sprintf("Unknown key %q", jsonbody.StringOf(key).String())
	if name := jsonbody.Suggest(key, known); name != "" {
		return message + fmt.Sprintf(": did you mean %q?", name)
	}
	return message + ": known are " + strings.Join(slices.Sorted(slices.Values(known)), ", ") + "."
}
