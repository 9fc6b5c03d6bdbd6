// Package commandfile reads files of command definitions, in JSON or YAML, and says where in the file each fault is.
package commandfile

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// Fault is one thing wrong with a file.
type Fault struct {
	File         string
	Line, Column int
	Path         string // within its command; "" when the whole command or file is meant
	Command      string // name of the command, when it has one
	Code         jsonbody.Code
	Message      string
}

// String is the form that editors and people jump to.
func (f Fault) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%d:%d: ", f.File, f.Line, f.Column)
	if f.Path != "" {
		b.WriteString(f.Path + ": ")
	}
	b.WriteString(f.Message)
	if f.Code != "" {
		fmt.Fprintf(&b, " (%s)", f.Code)
	}
	if f.Command != "" {
		fmt.Fprintf(&b, " in command %q", f.Command)
	}
	return b.String()
}

// File is a file of definitions: a list of commands, a single one, or an object that holds a list as its "commands", which
// lets a JSON file name its schema.
type File struct {
	name   string
	value  jsonbody.Value
	text   jsontext.Value   // of value
	prefix string           // of the paths of the definitions in the file
	places map[string]place // by dotted path
}

type place struct{ line, column int }

// Read reads a file. Text that is neither JSON nor YAML is a fault.
func Read(name string, data []byte) (*File, *Fault) {
	f := &File{name: name, places: map[string]place{}}
	read := f.readYAML
	trimmed := bytes.TrimLeft(data, " \t\r\n\ufeff")
	if FormatOf(name) == JSON && len(trimmed) > 0 && (trimmed[0] == '[' || trimmed[0] == '{') { // YAML can begin so too, but then it says so
		read = f.readJSON
	}
	if fault := read(data); fault != nil {
		return f, fault
	}
	if inner := f.value.Get(listKey); inner.Kind() != jsonbody.Absent {
		f.value, f.prefix = inner, listKey+"."
		var members map[string]jsontext.Value
		_ = json.Unmarshal(f.text, &members, jsontext.AllowDuplicateNames(true)) // it is an object
		f.text = members[listKey]
	}
	return f, nil
}

// listKey is the member of an object that holds the definitions.
const listKey = "commands"

// Entry is one definition of a file.
type Entry struct {
	command.Item
	Raw jsontext.Value // as it stands in the file
}

// Entries returns the definitions, or everything that is wrong with them.
func (f *File) Entries(env command.Env) ([]Entry, []Fault) {
	faults, _ := f.Lint(env)
	if len(faults) > 0 {
		return nil, faults
	}
	values, texts := f.value, []jsontext.Value{f.text}
	if f.value.Kind() == jsonbody.Object {
		values = jsonbody.ListOf(f.value)
	} else {
		texts = f.items()
	}
	items, err := command.ParseList(values, env)
	if err != nil {
		return nil, f.faults(err)
	}
	entries := make([]Entry, len(items))
	for i, item := range items {
		entries[i] = Entry{item, texts[i]}
	}
	return entries, nil
}

// items returns the definitions of a list as JSON.
func (f *File) items() []jsontext.Value {
	var items []jsontext.Value
	_ = json.Unmarshal(f.text, &items, jsontext.AllowDuplicateNames(true)) // it is a list
	return items
}

// Lint returns everything that is wrong with the definitions in an environment, and how many there are.
func (f *File) Lint(env command.Env) (faults []Fault, commands int) {
	var err error
	if f.value.Kind() == jsonbody.Object {
		commands = 1
		_, err = command.Parse(f.value, env)
	} else {
		commands = len(f.value.Items())
		_, err = command.ParseList(f.value, env)
	}
	return f.faults(err), commands
}

// faults returns what a *problem.Tree tells of, each with its place in the file.
func (f *File) faults(err error) (faults []Fault) {
	tree, ok := errors.AsType[*jsonbody.Tree](err)
	if !ok {
		return nil
	}
	tree.Walk(func(path string, finding jsonbody.Finding) {
		at := f.at(f.prefix + path)
		fault := Fault{
			File: f.name, Line: at.line, Column: at.column, Path: path, Code: finding.Code, Message: finding.Message,
		}
		owner := f.value
		if owner.Kind() != jsonbody.Object {
			var index string
			index, fault.Path, _ = strings.Cut(path, ".")
			owner = item(f.value, index)
		}
		fault.Command = owner.Get("name").Text()
		faults = append(faults, fault)
	})
	return faults
}

// item returns the element of a list that an index in a path names.
func item(list jsonbody.Value, index string) jsonbody.Value {
	var i int
	if _, err := fmt.Sscanf(index, "%d", &i); err != nil || i < 0 || i >= len(list.Items()) {
		return jsonbody.Value{}
	}
	return list.Items()[i]
}

// at returns the place of the value at a path, or of the nearest one around it: a value that is missing has none.
func (f *File) at(path string) place {
	for {
		if p, ok := f.places[path]; ok {
			return p
		}
		i := strings.LastIndexByte(path, '.')
		if i < 0 {
			break
		}
		path = path[:i]
	}
	if p, ok := f.places[""]; ok {
		return p
	}
	return place{1, 1}
}

// readJSON reads JSON and the place of each of its values.
func (f *File) readJSON(data []byte) *Fault {
	v, err := jsonbody.Parse(data)
	if err != nil {
		at := place{1, 1}
		if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
			at = placeOf(data, int(syntax.ByteOffset))
			err = syntax.Err
		}
		return &Fault{File: f.name, Line: at.line, Column: at.column, Message: "invalid JSON: " + err.Error()}
	}
	f.value, f.text = v, bytes.TrimPrefix(data, []byte("\ufeff"))
	d := jsontext.NewDecoder(bytes.NewReader(data), jsontext.AllowDuplicateNames(true))
	for {
		start := int(d.InputOffset())
		for start < len(data) && strings.IndexByte(" \t\r\n:,", data[start]) >= 0 {
			start++
		}
		token, err := d.ReadToken()
		if err != nil {
			return nil // the end: form.Parse has read it all before
		}
		if kind := token.Kind(); kind != jsontext.KindEndObject && kind != jsontext.KindEndArray {
			path := strings.ReplaceAll(strings.TrimPrefix(string(d.StackPointer()), "/"), "/", ".")
			f.places[path] = placeOf(data, start)
		}
	}
}

// placeOf returns the line and column of a byte, both counted from 1, columns in code points.
func placeOf(data []byte, offset int) place {
	before := data[:min(offset, len(data))]
	line := bytes.Count(before, []byte{'\n'}) + 1
	column := len([]rune(string(before[bytes.LastIndexByte(before, '\n')+1:]))) + 1
	return place{line, column}
}

// readYAML reads YAML and the place of each of its values.
func (f *File) readYAML(data []byte) *Fault {
	tree, err := parser.ParseBytes(data, 0)
	if err != nil {
		return f.yamlFault(err)
	}
	if f.text, err = yaml.YAMLToJSON(data); err != nil {
		return f.yamlFault(err)
	}
	if f.value, err = jsonbody.Parse(f.text); err != nil {
		return &Fault{File: f.name, Line: 1, Column: 1, Message: err.Error()}
	}
	if len(tree.Docs) > 0 {
		f.walk("", tree.Docs[0].Body)
	}
	return nil
}

func (f *File) yamlFault(err error) *Fault {
	fault := &Fault{File: f.name, Line: 1, Column: 1, Message: "invalid YAML: " + err.Error()}
	if syntax, ok := errors.AsType[yaml.Error](err); ok && syntax.GetToken() != nil {
		at := syntax.GetToken().Position
		fault.Line, fault.Column, fault.Message = at.Line, at.Column, "invalid YAML: "+syntax.GetMessage()
	}
	return fault
}

func (f *File) walk(path string, n ast.Node) {
	if n == nil || n.GetToken() == nil {
		return
	}
	at := n.GetToken().Position
	if m, ok := n.(*ast.MappingNode); ok && len(m.Values) > 0 && !m.IsFlowStyle {
		at = m.Values[0].Key.GetToken().Position // a block mapping's own token is its first colon
	}
	f.places[path] = place{at.Line, at.Column}
	below := func(key string) string { return strings.TrimPrefix(path+"."+key, ".") }
	switch n := n.(type) {
	case *ast.MappingNode:
		for _, v := range n.Values {
			f.walk(below(v.Key.String()), v.Value)
		}
	case *ast.MappingValueNode:
		f.places[path] = place{n.Key.GetToken().Position.Line, n.Key.GetToken().Position.Column}
		f.walk(below(n.Key.String()), n.Value)
	case *ast.SequenceNode:
		for i, v := range n.Values {
			f.walk(below(strconv.Itoa(i)), v)
		}
	case *ast.AnchorNode:
		f.walk(path, n.Value)
	case *ast.TagNode:
		f.walk(path, n.Value)
	}
}
