package bellhop_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// riddles are forms of sentences that make a reader guess the subject. CONTRIBUTING.md says how to write comments.
var riddles = []struct {
	form   *regexp.Regexp
	advice string
}{
	{
		regexp.MustCompile(`(?i)\b(is|are) (what|how|who|where|why)\b`),
		`name the subject: "X is the longest time that …", "X is the number of …", "X has the …"`,
	},
	{regexp.MustCompile(`(?i)\b(whoever|anew)\b`), "name the caller, the node or the session, and write again"},
}

// TestComments finds forms in comments of Go and JavaScript that are hard to read.
func TestComments(t *testing.T) {
	t.Parallel()
	files := 0
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if base := d.Name(); d.IsDir() && (base == "node_modules" || base == "vendor" || len(base) > 1 && base[0] == '.') {
			return filepath.SkipDir
		}
		var lines map[int]string
		switch filepath.Ext(name) {
		case ".go":
			lines = goComments(t, name)
		case ".js", ".mjs":
			lines = scriptComments(t, name)
		default:
			return nil
		}
		files++
		for line, text := range lines {
			for _, r := range riddles {
				if found := r.form.FindString(text); found != "" {
					t.Errorf("%s:%d: a comment has %q: %s", name, line, found, r.advice)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 500 {
		t.Errorf("read %d files, want at least 500", files)
	}
}

// goComments returns the comments of a Go file by the numbers of their first lines.
func goComments(t *testing.T, name string) map[int]string {
	t.Helper()
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	lines := map[int]string{}
	for _, group := range file.Comments {
		lines[set.Position(group.Pos()).Line] = strings.Join(strings.Fields(group.Text()), " ")
	}
	return lines
}

// scriptComment finds a comment in a line of JavaScript: after two slashes that are not part of an address, or after the
// star of a block.
var scriptComment = regexp.MustCompile(`(?:^|[^:'"` + "`" + `/])//(.*)$|^\s*/?\*+(.*)$`)

// scriptComments returns the comments of a file of JavaScript by the numbers of their lines.
func scriptComments(t *testing.T, name string) map[int]string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	lines, number := map[int]string{}, 0
	for line := range strings.Lines(string(text)) {
		number++
		if found := scriptComment.FindString(strings.TrimRight(line, "\n")); found != "" {
			lines[number] = found
		}
	}
	return lines
}
