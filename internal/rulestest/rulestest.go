// Package rulestest has what the tests of the rules share: it reads documents and findings, compares what is written with
// golden files, and holds it to what JavaScript would write.
package rulestest

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

// Codes are findings by their paths.
type Codes = map[string][]jsonbody.Code

// Parse returns a JSON document as a form value.
func Parse(tb testing.TB, doc string) jsonbody.Value {
	tb.Helper()
	v, err := jsonbody.Parse([]byte(doc))
	if err != nil {
		tb.Fatalf("Parse(%.80q) = %v", doc, err)
	}
	return v
}

// Findings returns the codes of an error by path, nil for no error.
func Findings(tb testing.TB, err error) Codes {
	tb.Helper()
	if err == nil {
		return nil
	}
	tree, ok := errors.AsType[*jsonbody.Tree](err)
	if !ok {
		tb.Fatalf("error is %T (%v), want *problem.Tree", err, err)
	}
	return tree.Flat()
}

// Chars is a JSON string of n characters.
func Chars(n int) string { return `"` + strings.Repeat("é", n) + `"` }

// Repeat joins n copies, %d being replaced by their number.
func Repeat(item string, n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = strings.ReplaceAll(item, "%d", strconv.Itoa(i))
	}
	return strings.Join(list, ",")
}

// Golden compares JSON with a file of testdata, which holds it indented, or rewrites that. The bytes themselves must be JavaScript's.
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
	want, err := os.ReadFile(path) //nolint:gosec // G304: a file of the test
	if err != nil {
		t.Fatalf("%v; run the test with -update", err)
	}
	if diff := cmp.Diff(string(want), string(readable)); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", path, diff)
	}
}
