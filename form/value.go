// Package form reads request bodies: JSON into a tree of values that keeps what was sent, and readers that turn a value
// into a Go type or note under its path why that cannot be done. Nothing is refused at the first fault, so that one
// answer can name them all. It performs no I/O.
package form

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// ErrInvalid says that a body is not a JSON document.
var ErrInvalid = errors.New("invalid JSON")

// MaxDepth is how deep lists and objects may nest.
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
	kind    Kind
	truth   bool
	text    string // of a string its content, of a number its digits as sent
	members []Member
	items   []Value
}

// Member is one member of an object.
type Member struct {
	Name  string
	Value Value
}

// Parse reads one JSON document. Of a name that stands twice in an object the last member counts. Text that is not
// UTF-8 is refused.
func Parse(data []byte) (Value, error) {
	d := jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true))
	v, err := read(d, 0)
	if err != nil {
		return Value{}, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if rest := bytes.TrimLeft(data[d.InputOffset():], " \t\r\n"); len(rest) > 0 {
		return Value{}, fmt.Errorf("%w: more than one value", ErrInvalid)
	}
	return v, nil
}

var errDepth = fmt.Errorf("nested deeper than %d", MaxDepth)

func read(d *jsontext.Decoder, depth int) (Value, error) {
	t, err := d.ReadToken()
	if err != nil {
		return Value{}, err
	}
	switch t.Kind() {
	case jsontext.KindNull:
		return Value{kind: Null}, nil
	case jsontext.KindTrue, jsontext.KindFalse:
		return Value{kind: Bool, truth: t.Bool()}, nil
	case jsontext.KindNumber:
		return Value{kind: Number, text: t.String()}, nil
	case jsontext.KindString:
		return Value{kind: String, text: t.String()}, nil
	default: // the beginning of a list or an object: the decoder lets no end stand here
	}
	if depth == MaxDepth {
		return Value{}, errDepth
	}
	if t.Kind() == jsontext.KindBeginArray {
		return readList(d, depth+1)
	}
	return readObject(d, depth+1)
}

func readList(d *jsontext.Decoder, depth int) (Value, error) {
	v := Value{kind: List}
	for d.PeekKind() != ']' {
		item, err := read(d, depth)
		if err != nil {
			return Value{}, err
		}
		v.items = append(v.items, item)
	}
	_, err := d.ReadToken()
	return v, err
}

func readObject(d *jsontext.Decoder, depth int) (Value, error) {
	v := Value{kind: Object}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return Value{}, err
		}
		m := Member{Name: name.String()}
		if m.Value, err = read(d, depth); err != nil {
			return Value{}, err
		}
		v.members = append(v.members, m)
	}
	_, err := d.ReadToken()
	return v, err
}

// ObjectOf returns an object with the given members.
func ObjectOf(members ...Member) Value { return Value{kind: Object, members: members} }

// ListOf returns a list of the given items.
func ListOf(items ...Value) Value { return Value{kind: List, items: items} }

// StringOf returns a string.
func StringOf(s string) Value { return Value{kind: String, text: s} }

// Kind returns the value's kind.
func (v Value) Kind() Kind { return v.kind }

// IsSet reports whether there is a value that is not null.
func (v Value) IsSet() bool { return v.kind > Null }

// Get returns the last member of that name, or an absent value. Values that are no objects have no members.
func (v Value) Get(name string) Value {
	for _, m := range slices.Backward(v.members) {
		if m.Name == name {
			return m.Value
		}
	}
	return Value{}
}

// Members returns an object's members in the order sent, duplicates included. The caller does not change them.
func (v Value) Members() []Member { return v.members }

// Items returns a list's items. The caller does not change them.
func (v Value) Items() []Value { return v.items }

// Text returns a string's content or a number's digits as sent.
func (v Value) Text() string { return v.text }

// With returns the object with the members of over in place of its own.
func (v Value) With(over Value) Value {
	merged := make([]Member, 0, len(v.members)+len(over.members))
	merged = append(append(merged, v.members...), over.members...)
	return Value{kind: Object, members: merged}
}

// String shows the value the way error messages quote it.
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
		return clip(v.text)
	case List:
		return fmt.Sprintf("list of %d", len(v.items))
	case Object:
		return fmt.Sprintf("object of %d", len(v.members))
	}
	return ""
}

// clip keeps quoted input short: an answer is not a way to get one's own megabytes back.
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
