package bellhop_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestSecurityChecklist checks that each rule of the OAuth2 checklist in SECURITY.md names a test, and that these tests exist.
func TestSecurityChecklist(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(page), "\n## OAuth2 checklist\n")
	text, _, _ = strings.Cut(text, "\n## ")
	named := testNames.FindAllStringSubmatch(text, -1)
	if len(named) < 50 {
		t.Errorf("the checklist names %d tests, want at least 50", len(named))
	}
	for _, n := range named {
		if !hasTest(t, n[1], n[2]) {
			t.Errorf("SECURITY.md names %s.%s, which does not exist", n[1], n[2])
		}
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "| ") && !strings.Contains(line, ".Test") && !strings.Contains(line, "shown by") {
			t.Errorf("a rule without a test: %s", line)
		}
	}
}

// TestASVSList checks that each requirement of the list of OWASP ASVS in SECURITY.md names tests that exist.
func TestASVSList(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(page), "\n## OWASP ASVS\n")
	list, _, _ = strings.Cut(list, "\n## ")
	rows := 0
	for line := range strings.Lines(list) {
		if !strings.HasPrefix(line, "| ") || strings.Contains(line, "shown by") {
			continue
		}
		rows++
		named := testNames.FindAllStringSubmatch(line, -1)
		if len(named) == 0 {
			t.Errorf("a requirement without a test: %s", line)
		}
		for _, n := range named {
			if !hasTest(t, n[1], n[2]) {
				t.Errorf("SECURITY.md names %s.%s, which does not exist", n[1], n[2])
			}
		}
	}
	if rows < 40 {
		t.Errorf("the list has %d requirements, want at least 40", rows)
	}
}

// testNames matches the names of tests on a page.
var testNames = regexp.MustCompile("`([a-z0-9/]+)\\.(Test\\w+)`")

// hasTest reports whether a package has a test function.
func hasTest(t *testing.T, pkg, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(pkg, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(source), "\nfunc "+name+"(t *testing.T) {") {
			return true
		}
	}
	return false
}
