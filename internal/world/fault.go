package world

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/bellhop/bellhop/internal/jsonbody"
)

// FileError is everything that is wrong with a file, in the order of the file. It wraps the findings as a *problem.Tree.
type FileError struct {
	Name   string
	Faults []Fault // the first problem.MaxFindings
	tree   *jsonbody.Tree
}

// Fault is one thing that is wrong with a file.
type Fault struct {
	Line, Column int    // from 1
	Path         string // such as guilds.0.roles.1.id; empty for the file as a whole
	Message      string
}

// Error returns the faults, one on a line: file, line, column, path and what is wrong.
func (e *FileError) Error() string {
	var b strings.Builder
	for i, f := range e.Faults {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s:%d:%d: ", e.Name, f.Line, f.Column)
		if f.Path != "" {
			b.WriteString(shown(f.Path) + ": ")
		}
		b.WriteString(f.Message)
	}
	if len(e.Faults) == jsonbody.MaxFindings {
		fmt.Fprintf(&b, "\n%s: there may be more", e.Name)
	}
	return b.String()
}

// shown keeps a path on its line: keys are what somebody wrote.
func shown(path string) string {
	const most = 200
	if len(path) > most {
		path = strings.ToValidUTF8(path[:most], "") + "…"
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, path)
}

// Unwrap returns the findings.
func (e *FileError) Unwrap() error { return e.tree }

// Locate turns the findings on a world, whoever made them, into a *FileError that says where in the file they stand. An
// error without findings is returned as it is.
func Locate(name string, data []byte, err error) error {
	tree, ok := errors.AsType[*jsonbody.Tree](err)
	if !ok {
		return err
	}
	where := locate(bytes.TrimPrefix(data, byteOrderMark), wanted(tree))
	e := &FileError{Name: name, tree: tree}
	unread := "" // what is no mapping: that its members are missing says nothing more
	tree.Walk(func(path string, f jsonbody.Finding) {
		if unread != "" && strings.HasPrefix(path, unread+".") {
			return
		}
		if f.Code == jsonbody.ModelConvert {
			unread = path
		}
		at := where.of(path)
		e.Faults = append(e.Faults, Fault{at.line, at.column, path, f.Message})
	})
	slices.SortStableFunc(e.Faults, func(a, b Fault) int {
		return cmp.Or(a.Line-b.Line, a.Column-b.Column)
	})
	return e
}

func locate(data []byte, want places) places {
	if looksLikeJSON(data) {
		if _, err := jsonbody.Parse(data); err == nil {
			locateJSON(data, want)
			return want
		}
	}
	// A file that cannot be read has no places: its findings stand at the beginning.
	_, _ = yamlToJSON(data, want)
	return want
}

// of makes the one fault of a file that cannot be read an error like the others.
func (e *syntaxError) of(name string) error {
	var t jsonbody.Tree
	t.Add(BadSyntax, e.message)
	return &FileError{Name: name, tree: &t, Faults: []Fault{{e.line, e.column, "", e.message}}}
}
