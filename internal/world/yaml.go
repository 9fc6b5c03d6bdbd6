package world

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/yamltree"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// position is a line and a column in a file, from 1.
type position struct{ line, column int }

// syntaxError says that a file cannot be parsed.
type syntaxError struct {
	position

	message string
}

func (e *syntaxError) Error() string { return e.message }

// syntaxErrorAt returns a syntaxError at the position of a token.
func syntaxErrorAt(tk *token.Token, format string, args ...any) error {
	return &syntaxError{positionOf(tk), fmt.Sprintf(format, args...)}
}

func positionOf(tk *token.Token) position {
	if tk == nil || tk.Position == nil {
		return position{1, 1}
	}
	return position{tk.Position.Line, tk.Position.Column}
}

// parseYAML returns the root of a YAML file. It is nil when the file is empty.
func parseYAML(data []byte) (ast.Node, error) {
	tokens := lexer.Tokenize(string(data))
	if err := checkDepth(tokens); err != nil {
		return nil, err
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if wrong, ok := errors.AsType[yaml.Error](err); ok {
		return nil, syntaxErrorAt(wrong.GetToken(), "Is neither YAML nor JSON: %s.", wrong.GetMessage())
	}
	if err != nil {
		return nil, syntaxErrorAt(nil, "Is neither YAML nor JSON: %v.", err)
	}
	var root ast.Node
	for _, doc := range file.Docs {
		switch {
		case doc.Body == nil:
		case root != nil:
			return nil, syntaxErrorAt(doc.Body.GetToken(), "The file has more than one document.")
		default:
			root = doc.Body
		}
	}
	return root, nil
}

// maxIndent is the largest column of a block list or an explicit key. Every level of nesting takes at least one column.
const maxIndent = 512

// checkDepth refuses deep nesting before the parser runs, because the recursion of the parser has no limit.
func checkDepth(tokens token.Tokens) error {
	flow, indicators := 0, 0
	for _, tk := range tokens {
		indicators++
		switch tk.Type {
		case token.SequenceStartType, token.MappingStartType:
			flow++
		case token.SequenceEndType, token.MappingEndType:
			flow--
		case token.SequenceEntryType, token.MappingKeyType:
			if tk.Position.Column > maxIndent && flow == 0 {
				return syntaxErrorAt(tk, "Is nested too deeply.")
			}
		default:
			indicators = 0
		}
		if flow > jsonbody.MaxDepth || indicators > jsonbody.MaxDepth {
			return syntaxErrorAt(tk, "Is nested too deeply.")
		}
	}
	return nil
}

// converter converts YAML to JSON and collects the positions of wanted paths.
type converter struct {
	json    []byte
	anchors map[string]ast.Node
	want    positions // may be nil
	depth   int
	most    int // bytes of json
}

// maxEscape is the most bytes of JSON that a byte of YAML without aliases becomes.
const maxEscape = 6

// yamlToJSON returns the JSON form of a YAML file. Numbers keep their digits.
func yamlToJSON(data []byte, want positions) ([]byte, error) {
	root, err := parseYAML(data)
	if err != nil {
		return nil, err
	}
	if root == nil {
		return []byte("{}"), nil
	}
	c := &converter{anchors: map[string]ast.Node{}, want: want, most: min(maxEscape*len(data)+yamltree.MaxExpanded, MaxSize)}
	if err := c.value(root, ""); err != nil {
		return nil, err
	}
	return c.json, nil
}

func (c *converter) value(n ast.Node, path string) error {
	if c.depth++; c.depth > jsonbody.MaxDepth {
		return syntaxErrorAt(n.GetToken(), "Is nested too deeply.")
	}
	defer func() { c.depth-- }()
	if len(c.json) > c.most {
		return syntaxErrorAt(n.GetToken(), "The file is too large after its aliases are expanded.")
	}
	c.want.set(path, startOf(n))
	switch n := n.(type) {
	case *ast.MappingNode:
		return c.mapping(n.Values, path)
	case *ast.MappingValueNode:
		return c.mapping([]*ast.MappingValueNode{n}, path)
	case *ast.SequenceNode:
		return c.sequence(n, path)
	case *ast.AnchorNode:
		c.anchors[n.Name.GetToken().Value] = n.Value
		return c.value(n.Value, path)
	case *ast.AliasNode:
		target, ok := c.anchors[n.Value.GetToken().Value]
		if !ok {
			return syntaxErrorAt(n.GetToken(), "The alias refers to an unknown anchor.")
		}
		return c.value(target, path)
	}
	return c.scalar(n)
}

func (c *converter) mapping(members []*ast.MappingValueNode, path string) error {
	c.json = append(c.json, '{')
	for i, m := range members {
		if i > 0 {
			c.json = append(c.json, ',')
		}
		key, err := keyOf(m.Key)
		if err != nil {
			return err
		}
		below := c.below(path, key)
		c.want.put(below, positionOf(m.Key.GetToken()))
		c.quote(key)
		c.json = append(c.json, ':')
		if err := c.value(m.Value, below); err != nil {
			return err
		}
	}
	c.json = append(c.json, '}')
	return nil
}

func (c *converter) sequence(n *ast.SequenceNode, path string) error {
	c.json = append(c.json, '[')
	for i, item := range n.Values {
		if i > 0 {
			c.json = append(c.json, ',')
		}
		if err := c.value(item, c.below(path, strconv.Itoa(i))); err != nil {
			return err
		}
	}
	c.json = append(c.json, ']')
	return nil
}

// below returns the path of a member. It is empty when no positions are wanted.
func (c *converter) below(path, key string) string {
	if c.want == nil {
		return ""
	}
	return join(path, key)
}

func (c *converter) scalar(n ast.Node) error {
	tk := n.GetToken()
	switch n := n.(type) {
	case *ast.NullNode:
		c.json = append(c.json, "null"...)
	case *ast.BoolNode:
		c.json = strconv.AppendBool(c.json, n.Value)
	case *ast.IntegerNode, *ast.FloatNode:
		if number := jsontext.Value(tk.Value); number.IsValid() {
			c.json = append(c.json, number...)
		} else {
			c.quote(tk.Value)
		}
	case *ast.LiteralNode:
		c.quote(n.Value.Value)
	case *ast.StringNode:
		c.quote(n.Value)
	case *ast.InfinityNode, *ast.NanNode:
		c.quote(tk.Value)
	case *ast.TagNode:
		return syntaxErrorAt(tk, "YAML tags are not supported.")
	default:
		return syntaxErrorAt(tk, "This YAML value is not supported.")
	}
	return nil
}

func (c *converter) quote(s string) {
	quoted, err := jsontext.AppendQuote(c.json, s)
	if err == nil {
		c.json = quoted
		return
	}
	c.json = append(c.json, `""`...) // cannot happen: source refuses files that are not UTF-8
}

// keyOf returns the key of a mapping entry.
func keyOf(n ast.MapKeyNode) (string, error) {
	var key ast.Node = n
	if explicit, ok := n.(*ast.MappingKeyNode); ok {
		key = explicit.Value
	}
	switch key := key.(type) {
	case *ast.StringNode:
		return key.Value, nil
	case *ast.MergeKeyNode:
		return "", syntaxErrorAt(key.GetToken(), "YAML merge keys are not supported.")
	case ast.ScalarNode:
		return key.GetToken().Value, nil
	}
	return "", syntaxErrorAt(n.GetToken(), "Only scalar keys are supported.")
}

// startOf returns the position of a value. A block mapping begins at its first key, not at the colon.
func startOf(n ast.Node) position {
	switch m := n.(type) {
	case *ast.MappingNode:
		if !m.IsFlowStyle && len(m.Values) > 0 {
			return positionOf(m.Values[0].Key.GetToken())
		}
	case *ast.MappingValueNode:
		return positionOf(m.Key.GetToken())
	}
	return positionOf(n.GetToken())
}
