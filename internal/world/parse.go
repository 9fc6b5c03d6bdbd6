package world

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/go-json-experiment/json/jsontext"
)

// Parse reads a world file, YAML or JSON, and completes it. Its error is a *FileError that names everything that is wrong
// with the file. Whether what it refers to exists is for whoever applies the world to judge; Locate finds the place.
func Parse(name string, data []byte) (World, error) { return ParseOne[World](name, data) }

// ParseOne reads one record of a world file that stands alone, such as a User. What depends on the guild around a part of
// it is not judged; the part's Complete does that.
func ParseOne[T any, P record[T]](name string, data []byte) (T, error) {
	var r, none T
	doc, err := source(data)
	if wrong, ok := errors.AsType[*syntaxError](err); ok {
		return none, wrong.of(name)
	}
	if err != nil {
		return none, err
	}
	var t jsonbody.Tree
	r = readRecord[T, P](&t, doc)
	P(&r).complete(&t)
	if err := t.Err(); err != nil {
		return none, Locate(name, data, err)
	}
	return r, nil
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// source reads a file into values that know nothing of how they were written.
func source(data []byte) (jsonbody.Value, error) {
	data = bytes.TrimPrefix(data, byteOrderMark)
	if len(data) > MaxSize {
		return jsonbody.Value{}, &syntaxError{position{1, 1}, fmt.Sprintf("Is larger than %d MiB.", MaxSize>>20)}
	}
	if at := invalidUTF8(data); at >= 0 {
		return jsonbody.Value{}, &syntaxError{(&lineCounter{data: data}).at(at), "Is not UTF-8."}
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

// tooLarge says that a large file has to be JSON, and where it is not.
func tooLarge(data []byte, notJSON error) error {
	e := &syntaxError{position{1, 1}, fmt.Sprintf("Is larger than %d MiB: write a file of that size as JSON.", MaxYAML>>20)}
	if wrong, ok := errors.AsType[*jsontext.SyntacticError](notJSON); ok {
		e.position = (&lineCounter{data: data}).at(int(wrong.ByteOffset))
		e.message = fmt.Sprintf("Is not JSON: %v.", wrong.Err)
	}
	return e
}

func looksLikeJSON(data []byte) bool {
	head := bytes.TrimLeft(data, " \t\r\n")
	return len(head) > 0 && (head[0] == '{' || head[0] == '[')
}

// invalidUTF8 returns where data stops being UTF-8, -1 for nowhere.
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
