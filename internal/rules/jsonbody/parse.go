package jsonbody

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// MaxValues bounds the number of values in a document, and with it the memory that a request can take.
const MaxValues = 1 << 18

var (
	errDepth  = fmt.Errorf("nested deeper than %d", MaxDepth)
	errValues = fmt.Errorf("more than %d values", MaxValues)
	errMore   = errors.New("more than one value")
)

// Parse parses one JSON document. If an object has a name twice, the last member counts. Text that is not valid UTF-8
// is an error. The texts of all values share one copy of the document: clone a text to keep it without the document.
func Parse(data []byte) (Value, error) {
	r := readers.Get().(*reader)
	defer r.done()
	d := r.open(data)
	document, err := d.ReadValue()
	if err != nil {
		return Value{}, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if rest := bytes.TrimLeft(data[d.InputOffset():], blanks); len(rest) > 0 {
		return Value{}, fmt.Errorf("%w: %w", ErrInvalid, errMore)
	}
	w := walker{rest: string(document), escapes: bytes.IndexByte(document, '\\') >= 0}
	v, err := w.value(0)
	if err != nil {
		return Value{}, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return v, nil
}

// reader checks the syntax of a document. Readers are reused.
type reader struct {
	text    bytes.Buffer
	decoder jsontext.Decoder
}

var readers = sync.Pool{New: func() any { return new(reader) }}

func (r *reader) open(data []byte) *jsontext.Decoder {
	r.text = *bytes.NewBuffer(data)
	r.decoder.Reset(&r.text, jsontext.AllowDuplicateNames(true))
	return &r.decoder
}

// done releases the document and returns the reader to the pool.
func (r *reader) done() {
	r.open(nil)
	readers.Put(r)
}

const blanks = " \t\r\n"

// walker splits a valid document into values. It checks only their depth and number. It collects the items of a list
// and the members of an object on two stacks and copies them to an arena at the end of the list or object, so that a
// document needs few allocations.
type walker struct {
	rest    string // the unread part of the document
	escapes bool   // the document contains a backslash
	values  int
	members []Member
	items   []Value

	memberArena arena[Member]
	itemArena   arena[Value]
}

// arena allocates short slices from long ones.
type arena[T any] struct {
	free []T
	size int // the capacity of the next long slice
}

// copy returns a copy of s.
func (a *arena[T]) copy(s []T) []T {
	if len(s) == 0 {
		return nil
	}
	if cap(a.free)-len(a.free) < len(s) {
		a.size = min(max(2*a.size, 8), 512)
		a.free = make([]T, 0, max(len(s), a.size))
	}
	start := len(a.free)
	a.free = append(a.free, s...)
	return a.free[start:len(a.free):len(a.free)]
}

// next skips blanks and returns the next byte.
func (w *walker) next() byte {
	i := 0
	for w.rest[i] == ' ' || w.rest[i] == '\n' || w.rest[i] == '\t' || w.rest[i] == '\r' {
		i++
	}
	w.rest = w.rest[i:]
	return w.rest[0]
}

// take consumes and returns the next n bytes.
func (w *walker) take(n int) string {
	text := w.rest[:n]
	w.rest = w.rest[n:]
	return text
}

func (w *walker) value(depth int) (Value, error) {
	if w.values++; w.values > MaxValues {
		return Value{}, errValues
	}
	switch w.next() {
	case '{', '[':
		if depth == MaxDepth {
			return Value{}, errDepth
		}
		if w.take(1) == "{" {
			return w.object(depth + 1)
		}
		return w.list(depth + 1)
	case '"':
		text, err := w.text()
		return textValue(String, text), err
	case 'n':
		w.take(len("null"))
		return Value{kind: Null}, nil
	case 't':
		w.take(len("true"))
		return Value{kind: Bool, truth: true}, nil
	case 'f':
		w.take(len("false"))
		return Value{kind: Bool}, nil
	}
	return textValue(Number, w.take(w.numberEnd())), nil
}

// numberEnd returns the length of the next number.
func (w *walker) numberEnd() int {
	for i := range len(w.rest) {
		switch w.rest[i] {
		case ',', ']', '}', ' ', '\t', '\r', '\n':
			return i
		}
	}
	return len(w.rest)
}

// text consumes the next string and returns its content.
func (w *walker) text() (string, error) {
	end := strings.IndexByte(w.rest[1:], '"') + 1
	if !w.escapes || strings.IndexByte(w.rest[:end], '\\') < 0 {
		quoted := w.take(end + 1)
		return quoted[1:end], nil
	}
	for end = 1; w.rest[end] != '"'; end++ {
		if w.rest[end] == '\\' {
			end++ // the escaped character
		}
	}
	plain, err := jsontext.AppendUnquote(nil, w.take(end+1))
	return string(plain), err
}

func (w *walker) list(depth int) (Value, error) {
	start := len(w.items)
	for w.next() != ']' {
		item, err := w.value(depth)
		if err != nil {
			return Value{}, err
		}
		w.items = append(w.items, item)
		if w.next() == ',' {
			w.take(1)
		}
	}
	w.take(1)
	v := ListOf(w.itemArena.copy(w.items[start:])...)
	w.items = w.items[:start]
	return v, nil
}

func (w *walker) object(depth int) (Value, error) {
	start := len(w.members)
	for w.next() != '}' {
		name, err := w.text()
		if err != nil {
			return Value{}, err
		}
		w.next() // the colon
		w.take(1)
		v, err := w.value(depth)
		if err != nil {
			return Value{}, err
		}
		w.members = append(w.members, Member{name, v})
		if w.next() == ',' {
			w.take(1)
		}
	}
	w.take(1)
	v := ObjectOf(w.memberArena.copy(w.members[start:])...)
	w.members = w.members[:start]
	return v, nil
}
