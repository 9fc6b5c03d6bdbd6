package world

import (
	"bytes"
	"errors"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
)

// ParseFile parses a YAML or JSON file of another format than the world file, with the same limits. A file that cannot
// be parsed is a *FileError. Locate finds the positions of problems in it.
func ParseFile(name string, data []byte) (jsonbody.Value, error) {
	text, err := source(data)
	if wrong, ok := errors.AsType[*syntaxError](err); ok {
		return jsonbody.Value{}, wrong.inFile(name)
	}
	if err != nil {
		return jsonbody.Value{}, err
	}
	return jsonbody.Parse(text)
}

// Position is a line and a column in a file, from 1.
type Position struct{ Line, Column int }

// Positions returns where the values with the given paths are in a YAML or JSON file that can be parsed. A path such as
// guilds.0.roles names a value by the keys and indexes that lead to it.
func Positions(data []byte, paths []string) map[string]Position {
	want := positions{"": {1, 1}}
	for _, path := range paths {
		want[path] = position{}
	}
	found := locate(bytes.TrimPrefix(data, byteOrderMark), want)
	all := make(map[string]Position, len(paths))
	for _, path := range paths {
		at := found.of(path)
		all[path] = Position{at.line, at.column}
	}
	return all
}
