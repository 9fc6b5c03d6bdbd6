// Package yamltree bounds what the aliases of a YAML file expand to, before a decoder builds it. A file of some hundred bytes
// can expand to gigabytes: each list of aliases multiplies the list that it refers to.
package yamltree

import (
	"errors"
	"fmt"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// MaxExpanded bounds the weight of what all aliases of a file expand to: the number of nodes and the bytes of their text.
const MaxExpanded = 1 << 20

// Parse parses a file and checks its aliases. The error is a yaml.Error where the position is known.
func Parse(data []byte, mode parser.Mode) (*ast.File, error) {
	f, err := parser.ParseBytes(data, mode)
	if err != nil {
		return nil, err
	}
	c := checker{anchors: map[string]int{}}
	for _, doc := range f.Docs {
		if doc.Body == nil {
			continue
		}
		if _, err := c.weigh(doc.Body); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// Locate adds the name of a file, and the position if it is known, to an error of Parse or Decode.
func Locate(name string, err error) error {
	if at, ok := errors.AsType[yaml.Error](err); ok && at.GetToken() != nil {
		pos := at.GetToken().Position
		return fmt.Errorf("%s:%d:%d: %s", name, pos.Line, pos.Column, at.GetMessage())
	}
	return fmt.Errorf("%s: %w", name, err)
}

// Decode parses a file into v. It refuses unknown keys, and tags: with the wrong value behind a tag the decoder panics.
func Decode(data []byte, v any) error {
	f, err := Parse(data, 0)
	if err != nil {
		return err
	}
	tags := tagFinder{}
	for _, doc := range f.Docs {
		if doc.Body != nil {
			ast.Walk(&tags, doc.Body)
		}
	}
	if tags.first != nil {
		return at(tags.first, "YAML tags are not supported")
	}
	return yaml.UnmarshalWithOptions(data, v, yaml.Strict())
}

// tagFinder finds the first tag of a file.
type tagFinder struct{ first *token.Token }

// Visit looks at a node and continues with its children.
func (t *tagFinder) Visit(n ast.Node) ast.Visitor {
	if tag, ok := n.(*ast.TagNode); ok {
		if t.first == nil {
			t.first = tag.GetToken()
		}
		return nil
	}
	return t
}

// checker weighs the nodes of a file in their order. It visits each node once: the weight of an alias is that of its anchor.
type checker struct {
	anchors  map[string]int // weight by name
	expanded int            // weight of all aliases
}

// weigh returns the weight of a node with its aliases expanded.
func (c *checker) weigh(n ast.Node) (int, error) {
	switch n := n.(type) {
	case nil:
		return 0, nil
	case *ast.MappingNode:
		return weighAll(c, n.Values)
	case *ast.MappingValueNode:
		return weighAll(c, []ast.Node{n.Key, n.Value})
	case *ast.MappingKeyNode:
		return c.weigh(n.Value)
	case *ast.SequenceNode:
		return weighAll(c, n.Values)
	case *ast.TagNode:
		return c.weigh(n.Value)
	case *ast.AnchorNode:
		return c.anchor(n)
	case *ast.AliasNode:
		w := c.anchors[n.Value.GetToken().Value]
		if c.expanded += w; c.expanded > MaxExpanded {
			return 0, tooLarge(n.GetToken())
		}
		return w, nil
	}
	return 1 + len(n.GetToken().Value), nil
}

// weighAll returns the weight of a list or a mapping. Aliases inside of it count again each time it is expanded.
func weighAll[N ast.Node](c *checker, nodes []N) (int, error) {
	sum := 1
	for _, n := range nodes {
		w, err := c.weigh(n)
		if err != nil {
			return 0, err
		}
		sum += w
	}
	return sum, nil
}

// anchor weighs the value of an anchor. A name has one value, so that the weight of an alias does not depend on when a decoder
// expands it.
func (c *checker) anchor(n *ast.AnchorNode) (int, error) {
	name := n.Name.GetToken().Value
	if _, ok := c.anchors[name]; ok {
		return 0, at(n.GetToken(), fmt.Sprintf("the anchor %q is used twice", name))
	}
	w, err := c.weigh(n.Value)
	c.anchors[name] = w
	return w, err
}

func tooLarge(tk *token.Token) error {
	return at(tk, "the file is too large after its aliases are expanded")
}

// at returns an error with a position.
func at(tk *token.Token, message string) error {
	if tk == nil {
		return errors.New(message)
	}
	return &yaml.SyntaxError{Message: message, Token: tk}
}
