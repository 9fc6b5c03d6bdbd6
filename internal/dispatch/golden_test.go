package dispatch_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// changing matches what differs in each run: ids, tokens and times.
var changing = regexp.MustCompile(`\d{15,}|"token": "[^"]*"|\d{4}-\d\d-\d\dT[0-9:.]+\+00:00`)

// wantGolden compares JSON with a golden file. Ids and times are replaced by numbers in the order in which they first occur, so
// that the file shows which of them are the same.
func wantGolden(t *testing.T, name string, text []byte) {
	t.Helper()
	value := jsontext.Value(text).Clone()
	if err := value.Indent(); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	names := map[string]string{}
	got := changing.ReplaceAllStringFunc(string(value), func(s string) string {
		if names[s] == "" {
			names[s] = fmt.Sprintf("<%d>", len(names)+1)
		}
		return names[s]
	}) + "\n"
	file := filepath.Join("testdata", name+".json")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}
