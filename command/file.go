package command

import (
	"bytes"
	"errors"
	"strconv"
	"strings"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// File is a parsed file of command definitions: a list of definitions, a single definition, or an object whose member
// "commands" is such a list. The object lets a JSON file name its schema.
type File struct {
	value     jsonbody.Value
	text      jsontext.Value      // value as JSON
	prefix    string              // of the paths of the definitions in the file
	positions map[string]position // by dotted path
}

// position is a place in a file. Both numbers count from 1; columns count code points.
type position struct{ line, column int }

// listKey is the member of an object that holds the definitions.
const listKey = "commands"

// ParseFile parses a file in JSON or YAML. The extensions .yaml and .yml of the name select YAML. Any other file is
// JSON if it begins with a bracket or a brace, and YAML if not. default_member_permissions can be a list of names, such as
// [BAN_MEMBERS]; ParseFile replaces it by a bit set. If the file is neither JSON nor YAML, or has an unknown name,
// ParseFile returns the finding that says where and why.
func ParseFile(name string, data []byte) (*File, *Finding) {
	f := &File{positions: map[string]position{}}
	parse := f.parseYAML
	trimmed := bytes.TrimLeft(data, " \t\r\n\ufeff")
	if !isYAML(name) && len(trimmed) > 0 && (trimmed[0] == '[' || trimmed[0] == '{') {
		parse = f.parseJSON
	}
	if finding := parse(data); finding != nil {
		return nil, finding
	}
	if inner := f.value.Get(listKey); inner.Kind() != jsonbody.Absent {
		f.value, f.prefix = inner, listKey+"."
		var members map[string]jsontext.Value
		_ = json.Unmarshal(f.text, &members, jsontext.AllowDuplicateNames(true)) // f.text is a valid object
		f.text = members[listKey]
	}
	if finding := f.replaceNames(); finding != nil {
		return nil, finding
	}
	return f, nil
}

func isYAML(name string) bool {
	return strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")
}

// Len returns the number of definitions.
func (f *File) Len() int {
	if f.value.Kind() == jsonbody.Object {
		return 1
	}
	return len(f.value.Items())
}

// Lint reports every rule that a definition of the file breaks for an application.
func (f *File) Lint(env Env) []Finding {
	var err error
	if f.value.Kind() == jsonbody.Object {
		_, err = parseValue(f.value, env)
	} else {
		_, err = parseItems(f.value, env)
	}
	return f.Findings(err)
}

// Items returns the definitions of the file, or the findings of Lint.
func (f *File) Items(env Env) ([]Item, []Finding) {
	if findings := f.Lint(env); len(findings) > 0 {
		return nil, findings
	}
	list := f.value
	if list.Kind() == jsonbody.Object {
		list = jsonbody.ListOf(list)
	}
	items, err := parseItems(list, env)
	return items, f.Findings(err)
}

// Raw returns each definition as JSON, with all members that the file has.
func (f *File) Raw() [][]byte {
	if f.value.Kind() == jsonbody.Object {
		return [][]byte{f.text}
	}
	var items []jsontext.Value
	_ = json.Unmarshal(f.text, &items, jsontext.AllowDuplicateNames(true)) // f.text is a valid list
	list := make([][]byte, len(items))
	for i, item := range items {
		list[i] = item
	}
	return list
}

// Findings returns the findings of an error of [Diff] with their positions in the file.
func (f *File) Findings(err error) []Finding {
	tree, ok := errors.AsType[*jsonbody.Tree](err)
	if !ok {
		return nil
	}
	var findings []Finding
	tree.Walk(func(path string, found jsonbody.Finding) {
		at := f.position(f.prefix + path)
		finding := Finding{Line: at.line, Column: at.column, Path: path, Code: string(found.Code), Message: found.Message}
		definition := f.value
		if definition.Kind() != jsonbody.Object {
			var index string
			index, finding.Path, _ = strings.Cut(path, ".")
			definition = itemAt(f.value, index)
		}
		finding.Command = definition.Get("name").Text()
		findings = append(findings, finding)
	})
	return findings
}

// itemAt returns the item of a list with an index from a path.
func itemAt(list jsonbody.Value, index string) jsonbody.Value {
	i, err := strconv.Atoi(index)
	if err != nil || i < 0 || i >= len(list.Items()) {
		return jsonbody.Value{}
	}
	return list.Items()[i]
}

// position returns the position of the value at a path. For a value that is missing it returns the position of the
// value that should contain it.
func (f *File) position(path string) position {
	for {
		if p, ok := f.positions[path]; ok {
			return p
		}
		i := strings.LastIndexByte(path, '.')
		if i < 0 {
			break
		}
		path = path[:i]
	}
	if p, ok := f.positions[""]; ok {
		return p
	}
	return position{1, 1}
}
