package world

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// position is a place in a file, from 1.
type position struct{ line, column int }

// syntaxError is why a file cannot be read at all.
type syntaxError struct {
	position

	message string
}

func (e *syntaxError) Error() string { return e.message }

func refuse(tk *token.Token, format string, args ...any) error {
	return &syntaxError{positionOf(tk), fmt.Sprintf(format, args...)}
}

func positionOf(tk *token.Token) position {
	if tk == nil || tk.Position == nil {
		return position{1, 1}
	}
	return position{tk.Position.Line, tk.Position.Column}
}

// parseYAML returns the root of a YAML file, nil when the file is empty.
func parseYAML(data []byte) (ast.Node, error) {
	tokens := lexer.Tokenize(string(data))
	if err := shallow(tokens); err != nil {
		return nil, err
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if wrong, ok := errors.AsType[yaml.Error](err); ok {
		return nil, refuse(wrong.GetToken(), "Is neither YAML nor JSON: %s.", wrong.GetMessage())
	}
	if err != nil {
		return nil, refuse(nil, "Is neither YAML nor JSON: %v.", err)
	}
	var root ast.Node
	for _, doc := range file.Docs {
		switch {
		case doc.Body == nil:
		case root != nil:
			return nil, refuse(doc.Body.GetToken(), "Holds more than one document.")
		default:
			root = doc.Body
		}
	}
	return root, nil
}

// maxIndent is how far to the right a list may begin. Every level of nesting takes at least a column.
const maxIndent = 512

// shallow refuses nesting before the parser meets it, whose depth is limited by nothing but the stack.
func shallow(tokens token.Tokens) error {
	flow, marks := 0, 0
	for _, tk := range tokens {
		marks++
		switch tk.Type {
		case token.SequenceStartType, token.MappingStartType:
			flow++
		case token.SequenceEndType, token.MappingEndType:
			flow--
		case token.SequenceEntryType, token.MappingKeyType:
			if tk.Position.Column > maxIndent && flow == 0 {
				return refuse(tk, "Is nested too deep.")
			}
		default:
			marks = 0
		}
		if flow > jsonbody.MaxDepth || marks > jsonbody.MaxDepth {
			return refuse(tk, "Is nested too deep.")
		}
	}
	return nil
}

// walk turns YAML into JSON, and notes where things stand when somebody wants to know.
type walk struct {
	json    []byte
	anchors map[string]ast.Node
	want    places // nil: nobody does
	depth   int
}

// yamlToJSON returns the JSON form of a YAML file. Numbers keep their digits.
func yamlToJSON(data []byte, want places) ([]byte, error) {
	root, err := parseYAML(data)
	if err != nil {
		return nil, err
	}
	if root == nil {
		return []byte("{}"), nil
	}
	w := &walk{anchors: map[string]ast.Node{}, want: want}
	if err := w.value(root, ""); err != nil {
		return nil, err
	}
	return w.json, nil
}

func (w *walk) value(n ast.Node, path string) error {
	if w.depth++; w.depth > jsonbody.MaxDepth {
		return refuse(n.GetToken(), "Is nested too deep.")
	}
	defer func() { w.depth-- }()
	if len(w.json) > MaxSize {
		return refuse(n.GetToken(), "Is too large with its aliases written out.")
	}
	w.want.set(path, start(n))
	switch n := n.(type) {
	case *ast.MappingNode:
		return w.mapping(n.Values, path)
	case *ast.MappingValueNode:
		return w.mapping([]*ast.MappingValueNode{n}, path)
	case *ast.SequenceNode:
		return w.sequence(n, path)
	case *ast.AnchorNode:
		w.anchors[n.Name.GetToken().Value] = n.Value
		return w.value(n.Value, path)
	case *ast.AliasNode:
		target, ok := w.anchors[n.Value.GetToken().Value]
		if !ok {
			return refuse(n.GetToken(), "Names an anchor that is not there.")
		}
		return w.value(target, path)
	}
	return w.scalar(n)
}

func (w *walk) mapping(members []*ast.MappingValueNode, path string) error {
	w.json = append(w.json, '{')
	for i, m := range members {
		if i > 0 {
			w.json = append(w.json, ',')
		}
		key, err := keyOf(m.Key)
		if err != nil {
			return err
		}
		below := w.below(path, key)
		w.want.put(below, positionOf(m.Key.GetToken()))
		w.quote(key)
		w.json = append(w.json, ':')
		if err := w.value(m.Value, below); err != nil {
			return err
		}
	}
	w.json = append(w.json, '}')
	return nil
}

func (w *walk) sequence(n *ast.SequenceNode, path string) error {
	w.json = append(w.json, '[')
	for i, item := range n.Values {
		if i > 0 {
			w.json = append(w.json, ',')
		}
		if err := w.value(item, w.below(path, strconv.Itoa(i))); err != nil {
			return err
		}
	}
	w.json = append(w.json, ']')
	return nil
}

// below returns the path of a member. It is not made when nobody wants to know.
func (w *walk) below(path, key string) string {
	if w.want == nil {
		return ""
	}
	return join(path, key)
}

func (w *walk) scalar(n ast.Node) error {
	tk := n.GetToken()
	switch n := n.(type) {
	case *ast.NullNode:
		w.json = append(w.json, "null"...)
	case *ast.BoolNode:
		w.json = strconv.AppendBool(w.json, n.Value)
	case *ast.IntegerNode, *ast.FloatNode:
		if number := jsontext.Value(tk.Value); number.IsValid() {
			w.json = append(w.json, number...)
		} else {
			w.quote(tk.Value)
		}
	case *ast.LiteralNode:
		w.quote(n.Value.Value)
	case *ast.StringNode:
		w.quote(n.Value)
	case *ast.InfinityNode, *ast.NanNode:
		w.quote(tk.Value)
	case *ast.TagNode:
		return refuse(tk, "Tags are not understood here.")
	default:
		return refuse(tk, "Is not understood here.")
	}
	return nil
}

func (w *walk) quote(s string) {
	quoted, err := jsontext.AppendQuote(w.json, s)
	if err == nil {
		w.json = quoted
		return
	}
	w.json = append(w.json, `""`...) // not UTF-8: the file as a whole was refused before
}

// keyOf returns the text of a mapping's key.
func keyOf(n ast.MapKeyNode) (string, error) {
	var key ast.Node = n
	if explicit, ok := n.(*ast.MappingKeyNode); ok {
		key = explicit.Value
	}
	switch key := key.(type) {
	case *ast.StringNode:
		return key.Value, nil
	case *ast.MergeKeyNode:
		return "", refuse(key.GetToken(), "Merge keys are not understood here.")
	case ast.ScalarNode:
		return key.GetToken().Value, nil
	}
	return "", refuse(n.GetToken(), "Only plain keys are understood here.")
}

// start returns where a value begins: of a block mapping that is its first key, not the colon behind it.
func start(n ast.Node) position {
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
