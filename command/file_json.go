package command

import (
	"bytes"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/go-json-experiment/json/jsontext"
)

// parseJSON parses JSON and records the position of each value.
func (f *File) parseJSON(data []byte) *Finding {
	v, err := jsonbody.Parse(data)
	if err != nil {
		at := position{1, 1}
		if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
			at = positionOf(data, int(syntax.ByteOffset))
			err = syntax.Err
		}
		return &Finding{Line: at.line, Column: at.column, Message: "invalid JSON: " + err.Error()}
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
			return nil // the end of the file: jsonbody.Parse has accepted all of it
		}
		if kind := token.Kind(); kind != jsontext.KindEndObject && kind != jsontext.KindEndArray {
			path := strings.ReplaceAll(strings.TrimPrefix(string(d.StackPointer()), "/"), "/", ".")
			f.positions[path] = positionOf(data, start)
		}
	}
}

// positionOf returns the position of the byte at an offset.
func positionOf(data []byte, offset int) position {
	before := data[:min(offset, len(data))]
	line := bytes.Count(before, []byte{'\n'}) + 1
	column := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
	return position{line, column}
}
