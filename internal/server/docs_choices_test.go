package server

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// choiceTest is the name of a test in the table of choices: its folder and its function.
var choiceTest = regexp.MustCompile("`([a-z0-9/]+)/(Test[A-Za-z0-9]+)`")

// TestDocsChoices checks that each choice in docs/fidelity.md names tests, and that they exist.
func TestDocsChoices(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/fidelity.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## Choices\n")
	section, _, _ = strings.Cut(section, "\n## ")
	_, table, _ := strings.Cut(section, "|---|---|---|---|\n")
	rows := strings.Split(strings.TrimSpace(table), "\n")
	if len(rows) < 15 {
		t.Fatalf("docs/fidelity.md has %d choices, want at least 15", len(rows))
	}
	for _, row := range rows {
		tests := choiceTest.FindAllStringSubmatch(row, -1)
		if len(tests) == 0 {
			t.Errorf("no test holds this choice: %s", row)
		}
		for _, test := range tests {
			if !hasTest(t, filepath.Join("../..", test[1]), test[2]) {
				t.Errorf("%s has no test %s, which holds this choice: %s", test[1], test[2], row)
			}
		}
	}
}

// hasTest reports whether a test file of a folder has a test.
func hasTest(t *testing.T, folder, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "\nfunc "+name+"(") {
			return true
		}
	}
	return false
}
