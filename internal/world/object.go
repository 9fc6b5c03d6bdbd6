package world

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/internal/suggest"
	"github.com/bellhop/bellhop/permission"
)

// Findings that only a world has.
const (
	UnknownKey jsonbody.Code = "WORLD_UNKNOWN_KEY" // a member that nobody reads
	Duplicate  jsonbody.Code = "WORLD_DUPLICATE"   // what may stand once stands twice
	Misplaced  jsonbody.Code = "WORLD_MISPLACED"   // a value that does not go with another
	BadText    jsonbody.Code = "WORLD_BAD_TEXT"    // a text of the wrong form
	BadSyntax  jsonbody.Code = "WORLD_BAD_SYNTAX"  // neither YAML nor JSON, or too much of it
)

// object reads the members of one mapping of the file. A member that is absent or null reads as zero; one that is there
// and empty is a finding where zero stands for the default, so that nothing is replaced unasked.
type object struct {
	tree  *jsonbody.Tree
	value jsonbody.Value
	asked []string
}

// record is a kind of mapping: it reads itself from the file, and completes and judges itself.
type record[T any] interface {
	*T
	read(o *object)
	complete(t *jsonbody.Tree)
}

// readRecord reads a mapping and reports the members that it did not ask for.
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
func list[T any, P record[T]](o *object, key string, most int) []T {
	items, at := o.items(key, 0, most)
	if len(items) == 0 {
		return nil
	}
	all := make([]T, len(items))
	for i, item := range items {
		all[i] = readRecord[T, P](at.Index(i), item)
	}
	return all
}

// take returns a member, absent when it is null, and its branch of the tree.
func (o *object) take(key string) (jsonbody.Value, *jsonbody.Tree, bool) {
	o.asked = append(o.asked, key)
	v := o.value.Get(key)
	return v, o.tree.At(key), v.IsSet()
}

// items returns the members of a list whose length is between low and high.
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

// text reads a text that is not empty.
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

// secret is text for what no message may repeat.
func (o *object) secret(key string) string {
	v, at, set := o.take(key)
	if set && (v.Kind() != jsonbody.String || v.Text() == "") {
		at.Add(jsonbody.StringConvert, "Must be a text in quotes that is not empty.")
	}
	if v.Kind() != jsonbody.String {
		return ""
	}
	return v.Text()
}

// mayBeEmpty reads a text that says nothing when it is empty.
func (o *object) mayBeEmpty(key string) string {
	v, at, set := o.take(key)
	if !set {
		return ""
	}
	s, _ := jsonbody.AsString(at, v)
	return s
}

// texts reads a list of texts.
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

// ints reads a list of numbers, each between least and greatest.
func (o *object) ints(key string, low, high, least, greatest int) []int {
	items, at := o.items(key, low, high)
	var all []int
	for i, item := range items {
		n, _ := jsonbody.AsInt(at.Index(i), item, int64(least), int64(greatest))
		all = append(all, int(n))
	}
	return all
}

// id reads an id, exactly, as a text or as a number.
func id[T ~uint64](o *object, key string) T {
	v, at, set := o.take(key)
	if !set {
		return 0
	}
	return asID[T](at, v)
}

func ids[T ~uint64](o *object, key string, most int) []T {
	items, at := o.items(key, 0, most)
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

// bits reads a set of permissions, as a text or as a number; nil when there is none.
func (o *object) bits(key string) *permission.Bits {
	v, at, set := o.take(key)
	if !set {
		return nil
	}
	if v.Kind() == jsonbody.String || v.Kind() == jsonbody.Number {
		if b, err := permission.ParseBits(v.Text()); err == nil {
			return &b
		}
	}
	at.Add(BadText, fmt.Sprintf("%q is no permission bit set: expected a decimal number.", v.String()))
	return nil
}

// time reads a moment.
func (o *object) time(key string) time.Time {
	v, at, set := o.take(key)
	if !set {
		return time.Time{}
	}
	moment, err := time.Parse(time.RFC3339, v.Text())
	if v.Kind() != jsonbody.String || err != nil {
		at.Add(BadText, fmt.Sprintf("%q is no time: expected RFC 3339, such as 2026-01-02T15:04:05Z.", v.String()))
		return time.Time{}
	}
	if moment.IsZero() {
		at.Add(BadText, "Is not a time that anything happened at.")
	}
	return moment
}

// close reports members that nobody asked for and members that stand twice.
func (o *object) close() {
	seen := map[string]bool{}
	for _, m := range o.value.Members() {
		if seen[m.Name] {
			o.tree.At(m.Name).Add(Duplicate, "Stands twice in the same place.")
			continue
		}
		seen[m.Name] = true
		if !slices.Contains(o.asked, m.Name) {
			o.tree.At(m.Name).Add(UnknownKey, unknown(m.Name, o.asked))
		}
	}
}

// unknown says that a key is not known and which one was meant.
func unknown(key string, known []string) string {
	said := fmt.Sprintf("Unknown key %q", jsonbody.StringOf(key).String())
	if name := suggest.Name(key, known); name != "" {
		return said + fmt.Sprintf(": did you mean %q?", name)
	}
	return said + ": known are " + strings.Join(slices.Sorted(slices.Values(known)), ", ") + "."
}
