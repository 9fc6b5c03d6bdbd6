package jsonbody

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// MaxValues is how many values a document may hold: far more than any request needs, and few enough for memory.
const MaxValues = 1 << 18

var (
	errDepth  = fmt.Errorf("nested deeper than %d", MaxDepth)
	errValues = fmt.Errorf("more than %d values", MaxValues)
	errMore   = errors.New("more than one value")
)

// Parse reads one JSON document. Of a name that stands twice in an object the last member counts. Text that is not
// UTF-8 is refused. The texts of its values share one copy of the document: whoever keeps one for long clones it.
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

// reader judges a document. It is used again for others.
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

// done lets go of the document.
func (r *reader) done() {
	r.open(nil)
	readers.Put(r)
}

const blanks = " \t\r\n"

// walker takes apart a document that is known to be right: it looks for the ends of values and judges nothing but their
// depth and number. What lists and objects hold gathers on two stacks until their end and then moves to a shelf: memory
// is asked for by the dozen, not for each of them.
type walker struct {
	rest    string // of the document
	escapes bool   // somewhere in the document
	values  int
	members []Member
	items   []Value

	memberShelf shelf[Member]
	itemShelf   shelf[Value]
}

// shelf keeps copies of short slices in long ones.
type shelf[T any] struct {
	free []T
	size int // of the next long slice
}

// put returns a copy of s.
func (sh *shelf[T]) put(s []T) []T {
	if len(s) == 0 {
		return nil
	}
	if cap(sh.free)-len(sh.free) < len(s) {
		sh.size = min(max(2*sh.size, 8), 512)
		sh.free = make([]T, 0, max(len(s), sh.size))
	}
	start := len(sh.free)
	sh.free = append(sh.free, s...)
	return sh.free[start:len(sh.free):len(sh.free)]
}

// next skips blanks and returns the byte after them.
func (w *walker) next() byte {
	i := 0
	for w.rest[i] == ' ' || w.rest[i] == '\n' || w.rest[i] == '\t' || w.rest[i] == '\r' {
		i++
	}
	w.rest = w.rest[i:]
	return w.rest[0]
}

// take returns the next n bytes.
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

// numberEnd returns the length of the number that comes next.
func (w *walker) numberEnd() int {
	for i := range len(w.rest) {
		switch w.rest[i] {
		case ',', ']', '}', ' ', '\t', '\r', '\n':
			return i
		}
	}
	return len(w.rest)
}

// text returns the content of the string that comes next.
func (w *walker) text() (string, error) {
	end := strings.IndexByte(w.rest[1:], '"') + 1
	if !w.escapes || strings.IndexByte(w.rest[:end], '\\') < 0 {
		quoted := w.take(end + 1)
		return quoted[1:end], nil
	}
	for end = 1; w.rest[end] != '"'; end++ {
		if w.rest[end] == '\\' {
			end++ // what it escapes
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
	v := ListOf(w.itemShelf.put(w.items[start:])...)
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
	v := ObjectOf(w.memberShelf.put(w.members[start:])...)
	w.members = w.members[:start]
	return v, nil
}
