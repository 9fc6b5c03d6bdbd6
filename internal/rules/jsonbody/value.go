// Package jsonbody reads request bodies. It parses JSON into a tree of values that keeps what was sent. Its readers
// convert a value to a Go type, or record in a Tree, under the path of the value, why they cannot. Reading continues
// after an error, so that one answer lists all of them. Suggest finds the known name closest to a misspelled one. The
// package performs no I/O.
package jsonbody

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// ErrInvalid means that a body is not a JSON document.
var ErrInvalid = errors.New("invalid JSON")

// MaxDepth bounds the nesting of lists and objects.
const MaxDepth = 64

// Kind is the kind of a JSON value.
type Kind uint8

// The kinds. The zero Value is Absent.
const (
	Absent Kind = iota
	Null
	Bool
	Number
	String
	List
	Object
)

// Value is one JSON value as it was sent.
type Value struct {
	kind   Kind
	truth  bool
	text   string  // for strings and numbers
	nested *nested // for lists and objects
}

// nested holds the items of a list or the members of an object.
type nested struct {
	items   []Value
	members []Member
}

func textValue(k Kind, text string) Value { return Value{kind: k, text: text} }

// Member is one member of an object.
type Member struct {
	Name  string
	Value Value
}

// ObjectOf returns an object with the given members.
func ObjectOf(members ...Member) Value {
	return Value{kind: Object, nested: &nested{members: members}}
}

// ListOf returns a list of the given items.
func ListOf(items ...Value) Value {
	return Value{kind: List, nested: &nested{items: items}}
}

// StringOf returns a string.
func StringOf(s string) Value { return textValue(String, s) }

// IntOf returns a number.
func IntOf(n int) Value { return textValue(Number, strconv.Itoa(n)) }

// BoolOf returns a boolean.
func BoolOf(b bool) Value { return Value{kind: Bool, truth: b} }

// Kind returns the value's kind.
func (v Value) Kind() Kind { return v.kind }

// IsSet reports whether the value is neither absent nor null.
func (v Value) IsSet() bool { return v.kind > Null }

// Get returns the last member with a name, or an absent value. It returns an absent value for anything but an object.
func (v Value) Get(name string) Value {
	members := v.Members()
	for i := range members { // slices.Backward costs more than the comparisons
		if m := &members[len(members)-1-i]; m.Name == name {
			return m.Value
		}
	}
	return Value{}
}

// Members returns the members of an object in their order, with duplicates. The caller does not change them.
func (v Value) Members() []Member {
	if v.kind != Object {
		return nil
	}
	return v.nested.members
}

// Items returns the items of a list. The caller does not change them.
func (v Value) Items() []Value {
	if v.kind != List {
		return nil
	}
	return v.nested.items
}

// Text returns the content of a string, or a number as it was written.
func (v Value) Text() string {
	return v.text
}

// With returns the object with the members of over replacing its own.
func (v Value) With(over Value) Value {
	return ObjectOf(slices.Concat(v.Members(), over.Members())...)
}

// String returns the value as error messages show it.
func (v Value) String() string {
	switch v.kind {
	case Absent, Null:
		return "null"
	case Bool:
		if v.truth {
			return "true"
		}
		return "false"
	case Number, String:
		return clip(v.Text())
	case List:
		return fmt.Sprintf("list of %d", len(v.Items()))
	case Object:
		return fmt.Sprintf("object of %d", len(v.Members()))
	}
	return ""
}

// clip shortens input that an error message shows.
func clip(s string) string {
	const most = 100
	n := 0
	for i := range s {
		if n == most {
			return s[:i] + "…"
		}
		n++
	}
	return s
}
