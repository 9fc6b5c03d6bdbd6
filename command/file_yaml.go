package command

import (
	"errors"
	"strconv"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/yamltree"
	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// parseYAML parses YAML and records the position of each value.
func (f *File) parseYAML(data []byte) *Finding {
	tree, err := yamltree.Parse(data, 0)
	if err != nil {
		return yamlFinding(err)
	}
	if f.text, err = yaml.YAMLToJSON(data); err != nil {
		return yamlFinding(err)
	}
	if f.value, err = jsonbody.Parse(f.text); err != nil {
		return &Finding{Line: 1, Column: 1, Message: err.Error()}
	}
	if len(tree.Docs) > 0 {
		f.recordNode("", tree.Docs[0].Body)
	}
	return nil
}

func yamlFinding(err error) *Finding {
	finding := &Finding{Line: 1, Column: 1, Message: "invalid YAML: " + err.Error()}
	if syntax, ok := errors.AsType[yaml.Error](err); ok && syntax.GetToken() != nil {
		at := syntax.GetToken().Position
		finding.Line, finding.Column, finding.Message = at.Line, at.Column, "invalid YAML: "+syntax.GetMessage()
	}
	return finding
}

// recordNode records the positions of a node and of the nodes below it.
func (f *File) recordNode(path string, n ast.Node) {
	if n == nil || n.GetToken() == nil {
		return
	}
	f.record(path, n.GetToken())
	switch n := n.(type) {
	case *ast.MappingNode:
		if len(n.Values) > 0 && !n.IsFlowStyle { // the token of a block mapping is its first colon
			f.record(path, n.Values[0].Key.GetToken())
		}
		for _, v := range n.Values {
			f.recordNode(join(path, v.Key.String()), v.Value)
		}
	case *ast.MappingValueNode:
		f.record(path, n.Key.GetToken())
		f.recordNode(join(path, n.Key.String()), n.Value)
	case *ast.SequenceNode:
		for i, v := range n.Values {
			f.recordNode(join(path, strconv.Itoa(i)), v)
		}
	case *ast.AnchorNode:
		f.recordNode(path, n.Value)
	case *ast.TagNode:
		f.recordNode(path, n.Value)
	}
}

func (f *File) record(path string, t *token.Token) {
	f.positions[path] = position{t.Position.Line, t.Position.Column}
}
