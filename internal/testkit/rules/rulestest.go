// Package rules holds helpers for the tests of rules. They parse documents, return the findings of errors,
// compare JSON with golden files, and check that JSON is printed as JavaScript prints it.
package rules

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

// Codes holds the codes of findings by path.
type Codes = map[string][]jsonbody.Code

// Parse parses a JSON document.
func Parse(tb testing.TB, doc string) jsonbody.Value {
	tb.Helper()
	v, err := jsonbody.Parse([]byte(doc))
	if err != nil {
		tb.Fatalf("Parse(%.80q) = %v", doc, err)
	}
	return v
}

// Findings returns the codes of an error by path; nil without an error.
func Findings(tb testing.TB, err error) Codes {
	tb.Helper()
	if err == nil {
		return nil
	}
	tree, ok := errors.AsType[*jsonbody.Tree](err)
	if !ok {
		tb.Fatalf("error is %T (%v), want *jsonbody.Tree", err, err)
	}
	return tree.Flat()
}

// Wrong compares an error with the findings or, if code is set, with the error of the API that a rule demands.
func Wrong(t testing.TB, rule string, err error, want Codes, code error) {
	t.Helper()
	if code != nil {
		if !errors.Is(err, code) {
			t.Errorf("%s: error %v, want %v", rule, err, code)
		}
		return
	}
	if diff := cmp.Diff(want, Findings(t, err)); diff != "" {
		t.Errorf("%s: errors differ (-want +got):\n%s", rule, diff)
	}
}

// Chars returns a JSON string of n characters.
func Chars(n int) string { return `"` + strings.Repeat("é", n) + `"` }

// Repeat joins n copies of item with commas. In each copy, %d is replaced by its number.
func Repeat(item string, n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = strings.ReplaceAll(item, "%d", strconv.Itoa(i))
	}
	return strings.Join(list, ",")
}

// Golden compares JSON with an indented file in testdata, or rewrites the file with update. It also calls WantJS.
func Golden(t *testing.T, name string, got []byte, update bool) {
	t.Helper()
	WantJS(t, got)
	readable := jsontext.Value(slices.Clone(got))
	if err := readable.Indent(); err != nil {
		t.Fatalf("%v\n%s", err, got)
	}
	readable = append(readable, '\n')
	path := filepath.Join("testdata", name+".json")
	if update {
		if err := os.WriteFile(path, readable, 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; run the test with -update", err)
	}
	if diff := cmp.Diff(string(want), string(readable)); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", path, diff)
	}
}
