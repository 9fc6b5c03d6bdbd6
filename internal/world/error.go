package world

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
)

// FileError holds the problems of a file, ordered by position. It wraps them as a *jsonbody.Tree.
type FileError struct {
	Name     string
	Problems []Problem // at most jsonbody.MaxFindings
	tree     *jsonbody.Tree
}

// Problem is one problem of a file.
type Problem struct {
	Line, Column int    // from 1
	Path         string // such as guilds.0.roles.1.id; empty for the file as a whole
	Message      string
}

// Error returns one line per problem: file, line, column, path and message.
func (e *FileError) Error() string {
	var b strings.Builder
	for i, p := range e.Problems {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s:%d:%d: ", e.Name, p.Line, p.Column)
		if p.Path != "" {
			b.WriteString(printable(p.Path) + ": ")
		}
		b.WriteString(p.Message)
	}
	if len(e.Problems) == jsonbody.MaxFindings {
		fmt.Fprintf(&b, "\n%s: there may be more", e.Name)
	}
	return b.String()
}

// printable shortens a path and replaces characters that cannot be printed. A path contains keys of the file.
func printable(path string) string {
	const maxLen = 200
	if len(path) > maxLen {
		path = strings.ToValidUTF8(path[:maxLen], "") + "…"
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, path)
}

// Unwrap returns the problems as a *jsonbody.Tree.
func (e *FileError) Unwrap() error { return e.tree }

// Locate converts a *jsonbody.Tree with the problems of a world into a *FileError with positions in the file. It
// returns other errors unchanged.
func Locate(name string, data []byte, err error) error {
	tree, ok := errors.AsType[*jsonbody.Tree](err)
	if !ok {
		return err
	}
	positions := locate(bytes.TrimPrefix(data, byteOrderMark), wanted(tree))
	e := &FileError{Name: name, tree: tree}
	unread := "" // the path of a value that is no mapping; problems of its members are left out
	tree.Walk(func(path string, f jsonbody.Finding) {
		if unread != "" && strings.HasPrefix(path, unread+".") {
			return
		}
		if f.Code == jsonbody.ModelConvert {
			unread = path
		}
		at := positions.of(path)
		e.Problems = append(e.Problems, Problem{at.line, at.column, path, f.Message})
	})
	slices.SortStableFunc(e.Problems, func(a, b Problem) int {
		return cmp.Or(a.Line-b.Line, a.Column-b.Column)
	})
	return e
}

func locate(data []byte, want positions) positions {
	if looksLikeJSON(data) {
		if checkJSON(data) == nil {
			locateJSON(data, want)
			return want
		}
	}
	// A file that cannot be read has no positions. Its problems are reported at the beginning of the file.
	_, _ = yamlToJSON(data, want)
	return want
}

// inFile converts the error to a *FileError.
func (e *syntaxError) inFile(name string) error {
	var t jsonbody.Tree
	t.Add(BadSyntax, e.message)
	return &FileError{Name: name, tree: &t, Problems: []Problem{{e.line, e.column, "", e.message}}}
}
