package form

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// Parse reads one JSON document. Of a name that stands twice in an object the last member counts. Text that is not
// UTF-8 is refused.
func Parse(data []byte) (Value, error) {
	p := parser{d: jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true))}
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

// parser reads a document. What lists and objects hold gathers on two stacks until their end, and is copied then: each
// needs memory once, however long it gets.
type parser struct {
	d       *jsontext.Decoder
	members []Member
	items   []Value
	names   [64]string // of members, lately seen: documents repeat them
}

func (p *parser) value(depth int) (Value, error) {
	t, err := p.d.ReadToken()
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
		return p.list(depth + 1)
	}
	return p.object(depth + 1)
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
		v = ListOf(slices.Clone(p.items[start:])...)
		p.items = p.items[:start]
	}
	_, err := p.d.ReadToken()
	return v, err
}

func (p *parser) object(depth int) (Value, error) {
	start := len(p.members)
	for p.d.PeekKind() != '}' {
		name, err := p.name()
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
		v = ObjectOf(slices.Clone(p.members[start:])...)
		p.members = p.members[:start]
	}
	_, err := p.d.ReadToken()
	return v, err
}

// name reads a member's name, and makes a string of it only when it differs from the last one in its place.
func (p *parser) name() (string, error) {
	quoted, err := p.d.ReadValue()
	if err != nil {
		return "", err
	}
	text := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(text, '\\') >= 0 {
		plain, err := jsontext.AppendUnquote(nil, quoted)
		return string(plain), err
	}
	if len(text) == 0 {
		return "", nil
	}
	last := &p.names[(5*len(text)+3*int(text[0])+int(text[len(text)-1]))%len(p.names)]
	if *last != string(text) {
		*last = string(text)
	}
	return *last, nil
}
