package world

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/go-json-experiment/json/jsontext"
)

// Parse reads a YAML or JSON world file and completes it. A file with problems is a *FileError. Parse does not check
// references between records: directory.Check does that, and Locate finds the positions of its problems.
func Parse(name string, data []byte) (World, error) {
	v, err := source(data)
	if wrong, ok := errors.AsType[*syntaxError](err); ok {
		return World{}, wrong.inFile(name)
	}
	if err != nil {
		return World{}, err
	}
	w, err := Read[World](v)
	return w, Locate(name, data, err)
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// source parses a YAML or JSON file.
func source(data []byte) (jsonbody.Value, error) {
	data = bytes.TrimPrefix(data, byteOrderMark)
	if len(data) > MaxSize {
		return jsonbody.Value{}, &syntaxError{position{1, 1}, fmt.Sprintf("The file is larger than %d MiB.", MaxSize>>20)}
	}
	if at := invalidUTF8(data); at >= 0 {
		return jsonbody.Value{}, &syntaxError{(&lineCounter{data: data}).at(at), "The file is not UTF-8."}
	}
	var notJSON error
	if looksLikeJSON(data) {
		var v jsonbody.Value
		if v, notJSON = jsonbody.Parse(data); notJSON == nil {
			return v, nil
		}
	}
	if len(data) > MaxYAML {
		return jsonbody.Value{}, tooLarge(data, notJSON)
	}
	text, err := yamlToJSON(data, nil)
	if err != nil {
		return jsonbody.Value{}, err
	}
	v, err := jsonbody.Parse(text)
	if err == nil && v.Kind() == jsonbody.Null {
		v = jsonbody.ObjectOf()
	}
	return v, err
}

// tooLarge returns the error for a large file that is not JSON.
func tooLarge(data []byte, notJSON error) error {
	e := &syntaxError{position{1, 1}, fmt.Sprintf("The YAML file is larger than %d MiB: use JSON for a file of this size.", MaxYAML>>20)}
	if wrong, ok := errors.AsType[*jsontext.SyntacticError](notJSON); ok {
		e.position = (&lineCounter{data: data}).at(int(wrong.ByteOffset))
		e.message = fmt.Sprintf("The file is not JSON: %v.", wrong.Err)
	}
	return e
}

func looksLikeJSON(data []byte) bool {
	head := bytes.TrimLeft(data, " \t\r\n")
	return len(head) > 0 && (head[0] == '{' || head[0] == '[')
}

// invalidUTF8 returns the offset of the first invalid byte, or -1.
func invalidUTF8(data []byte) int {
	if utf8.Valid(data) {
		return -1
	}
	for i := 0; ; {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size <= 1 {
			return i
		}
		i += size
	}
}
