package form

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// Parse reads one JSON document. Of a name that stands twice in an object the last member counts. Text that is not
// UTF-8 is refused. The texts of its values share one copy of the document: whoever keeps one for long clones it.
func Parse(data []byte) (Value, error) {
	p := parser{
		d:      jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true)),
		source: string(data),
	}
	v, err := p.value(0)
	if err != nil {
		return Value{}, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if rest := bytes.TrimLeft(data[p.d.InputOffset():], " \t\r\n"); len(rest) > 0 {
		return Value{}, fmt.Errorf("%w: more than one value", ErrInvalid)
	}
	return v, nil
}

var errDepth = fmt.Errorf("nested deeper than %d", MaxDepth)

// parser reads a document. What lists and objects hold gathers on two stacks until their end and then moves to a shelf:
// memory is asked for by the dozen, not for each of them.
type parser struct {
	d       *jsontext.Decoder
	source  string // the document
	members []Member
	items   []Value

	memberShelf shelf[Member]
	itemShelf   shelf[Value]
	innerShelf  shelf[inner]
}

// shelf keeps copies of short slices in long ones.
type shelf[T any] struct {
	free []T
	size int // of the next long slice
}

// put returns a copy of s.
func (sh *shelf[T]) put(s ...T) []T {
	if cap(sh.free)-len(sh.free) < len(s) {
		sh.size = min(max(2*sh.size, 8), 512)
		sh.free = make([]T, 0, max(len(s), sh.size))
	}
	start := len(sh.free)
	sh.free = append(sh.free, s...)
	return sh.free[start:len(sh.free):len(sh.free)]
}

func (p *parser) value(depth int) (Value, error) {
	switch kind := p.d.PeekKind(); kind {
	case jsontext.KindNumber, jsontext.KindString:
		return p.scalar(kind)
	case jsontext.KindBeginArray, jsontext.KindBeginObject:
		if depth == MaxDepth {
			return Value{}, errDepth
		}
		if _, err := p.d.ReadToken(); err != nil {
			return Value{}, err
		}
		if kind == jsontext.KindBeginArray {
			return p.list(depth + 1)
		}
		return p.object(depth + 1)
	default: // null, a boolean, or nothing that can stand here: then reading it fails
	}
	t, err := p.d.ReadToken()
	if err != nil {
		return Value{}, err
	}
	if t.Kind() == jsontext.KindNull {
		return Value{kind: Null}, nil
	}
	return Value{kind: Bool, truth: t.Bool()}, nil
}

// scalar reads a number or a string.
func (p *parser) scalar(kind jsontext.Kind) (Value, error) {
	raw, err := p.d.ReadValue()
	if err != nil {
		return Value{}, err
	}
	if kind == jsontext.KindNumber {
		return Value{kind: Number, text: p.text(raw)}, nil
	}
	text, err := p.unquote(raw)
	return Value{kind: String, text: text}, err
}

// text returns what was just read as a part of the document.
func (p *parser) text(raw jsontext.Value) string {
	end := p.d.InputOffset()
	return p.source[end-int64(len(raw)) : end]
}

// unquote returns the content of a string that was just read.
func (p *parser) unquote(raw jsontext.Value) (string, error) {
	if bytes.IndexByte(raw, '\\') < 0 {
		quoted := p.text(raw)
		return quoted[1 : len(quoted)-1], nil
	}
	plain, err := jsontext.AppendUnquote(nil, raw)
	return string(plain), err
}

func (p *parser) list(depth int) (Value, error) {
	start := len(p.items)
	for p.d.PeekKind() != ']' {
		item, err := p.value(depth)
		if err != nil {
			return Value{}, err
		}
		p.items = append(p.items, item)
	}
	v := Value{kind: List}
	if len(p.items) > start {
		v.inner = &p.innerShelf.put(inner{items: p.itemShelf.put(p.items[start:]...)})[0]
		p.items = p.items[:start]
	}
	_, err := p.d.ReadToken()
	return v, err
}

func (p *parser) object(depth int) (Value, error) {
	start := len(p.members)
	for p.d.PeekKind() != '}' {
		raw, err := p.d.ReadValue()
		if err != nil {
			return Value{}, err
		}
		name, err := p.unquote(raw)
		if err != nil {
			return Value{}, err
		}
		v, err := p.value(depth)
		if err != nil {
			return Value{}, err
		}
		p.members = append(p.members, Member{name, v})
	}
	v := Value{kind: Object}
	if len(p.members) > start {
		v.inner = &p.innerShelf.put(inner{members: p.memberShelf.put(p.members[start:]...)})[0]
		p.members = p.members[:start]
	}
	_, err := p.d.ReadToken()
	return v, err
}
