package apierror_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"testing"

	"github.com/bellhop/bellhop/internal/rules/apierror"
)

// TestCodesAreListedOnce reads the source: a code has one row, except for the emoji of a reaction and the thread of a
// webhook, which are 400 instead of 404.
func TestCodesAreListedOnce(t *testing.T) {
	t.Parallel()
	f, err := parser.ParseFile(token.NewFileSet(), "apierror.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	seen, rows := map[string]bool{}, 0
	ast.Inspect(f, func(n ast.Node) bool {
		row, ok := n.(*ast.CompositeLit)
		if !ok || len(row.Elts) != 3 {
			return true
		}
		rows++
		status, code := row.Elts[0].(*ast.BasicLit).Value, row.Elts[1].(*ast.BasicLit).Value
		if key := status + " " + code; seen[key] || seen[code] && code != "10003" && code != "10014" {
			t.Errorf("code %s is listed twice", code)
		}
		seen[status+" "+code], seen[code] = true, true
		return true
	})
	if rows < 70 {
		t.Errorf("found %d rows, want at least 70", rows)
	}
}

func TestErrorIsComparable(t *testing.T) {
	t.Parallel()
	err := fmt.Errorf("edit: %w", apierror.ThreadLocked)
	if !errors.Is(err, apierror.ThreadLocked) || errors.Is(err, apierror.ThreadArchived) {
		t.Errorf("errors.Is cannot tell %v from others", err)
	}
}
