package guide_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// root is the folder of the checkout.
const root = "../.."

// block is a fenced block of a page. The kind and the name of a file are the words after the fence.
type block struct {
	kind, file, text string
	heading          string // the last one above
	line             int
}

// blocks returns the fenced blocks of a page in order, also those in lists.
func blocks(t *testing.T, page string) []block {
	t.Helper()
	source := []byte(readPage(t, page))
	var list []block
	heading := ""
	err := ast.Walk(goldmark.DefaultParser().Parse(text.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		if h, ok := n.(*ast.Heading); ok {
			heading = string(h.Lines().Value(source))
		}
		code, ok := n.(*ast.FencedCodeBlock)
		if !ok {
			return ast.WalkContinue, nil
		}
		b := block{text: string(code.Lines().Value(source)), heading: heading}
		if code.Info != nil {
			b.kind, b.file, _ = strings.Cut(string(code.Info.Value(source)), " ")
		}
		if code.Lines().Len() > 0 {
			b.line = 1 + strings.Count(string(source[:code.Lines().At(0).Start]), "\n")
		}
		list = append(list, b)
		return ast.WalkContinue, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// readPage returns the text of a page, or of another file of the checkout.
func readPage(t *testing.T, page string) string {
	t.Helper()
	source, err := os.ReadFile(filepath.Join(root, page))
	if err != nil {
		t.Fatal(err)
	}
	return string(source)
}

// checkedBy names the tests of pages that TestPages does not run.
var checkedBy = map[string]string{
	"README.md":                "TestReadme, and e2e/readme.test.mjs in a browser",
	"docs/clients.md":          "TestDocumentedLines in compat",
	"docs/guide/go.md":         "TestGuides",
	"docs/guide/javascript.md": "TestGuides",
	"docs/guide/python.md":     "TestGuides",
	"docs/reference-limits.md": "TestDocsReferenceLimits in internal/server",
}

// quotes has the sources of lines of code that a page quotes.
var quotes = map[string][]string{
	"docs/embedding.md": {"testdata/embedder/main.go"},
	"docs/hooks.md":     {"bellhop_test.go", "testdata/embedder/main.go", "examples/hooks/backend.mjs"},
	"docs/lobbies.md":   {"client/example_test.go"},
	"docs/kits.md":      {"kit/node/test/vitest/document.test.mjs", "kit/python/tests/test_document.py"},
}

// TestBlocks checks that every block of every page runs in a test, or is checked by one. CONTRIBUTING.md describes the kinds.
func TestBlocks(t *testing.T) {
	t.Parallel()
	c := newChecker(t)
	kinds := map[string]int{}
	for _, page := range pages(t) {
		for _, b := range blocks(t, page) {
			kinds[b.kind]++
			if problem := c.check(page, b); problem != "" {
				t.Errorf("%s:%d: %s", page, b.line, problem)
			}
		}
	}
	for _, n := range notRun {
		if !slices.ContainsFunc(blocks(t, n.page), func(b block) bool { return b.kind == "shell" && n.has(n.page, b) }) {
			t.Errorf("notRun: %s has no block of the kind shell that starts with %q", n.page, n.start)
		}
	}
	t.Logf("blocks by kind: %v", kinds)
}

// pages returns all documents of the checkout.
func pages(t *testing.T) []string {
	t.Helper()
	list := slices.DeleteFunc(sources(t), func(path string) bool { return !strings.HasSuffix(path, ".md") || path == "CHANGELOG.md" })
	if len(list) < 40 {
		t.Fatalf("%d pages, want at least 40", len(list))
	}
	return list
}

// checker knows what blocks may name.
type checker struct {
	commands map[string][]string // the flags of each command of bellhop
	targets  []string            // of the Makefile
	metrics  string              // the section with all metrics
	quoted   map[string]string   // the sources of quotes, by page
}

func newChecker(t *testing.T) checker {
	t.Helper()
	_, metrics, found := strings.Cut(readPage(t, "docs/monitoring.md"), "\n## All metrics\n")
	if !found {
		t.Fatal("docs/monitoring.md has no section with all metrics")
	}
	c := checker{commands: map[string][]string{}, metrics: metrics, quoted: map[string]string{}}
	for page, sources := range quotes {
		for _, source := range sources {
			c.quoted[page] += readPage(t, source)
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^([a-z-]+):`).FindAllStringSubmatch(readPage(t, "Makefile"), -1) {
		c.targets = append(c.targets, m[1])
	}
	flag := regexp.MustCompile("(?m)^\\| `([^`]+)`")
	for _, page := range []string{"docs/reference-cli.md", "docs/reference-configuration.md"} {
		for section := range strings.SplitSeq(readPage(t, page), "\n## bellhop ") {
			command, body, _ := strings.Cut(section, "\n")
			flags := []string{"-h", "--help"}
			for _, m := range flag.FindAllStringSubmatch(body, -1) {
				for name := range strings.SplitSeq(m[1], ", ") {
					name, _, _ = strings.Cut(name, "=")
					flags = append(flags, name)
				}
			}
			c.commands[command] = append(c.commands[command], flags...)
		}
	}
	return c
}

// check returns what is wrong with a block, or "".
func (c checker) check(page string, b block) string {
	runs := checkedBy[page] != "" || slices.ContainsFunc(runPages, func(p runPage) bool { return p.name == page })
	switch b.kind {
	case "sh", "service", "output":
		if !runs {
			return "no test runs the page: add it to runPages, or use the kind shell for commands that no test can run"
		}
	case "shell":
		if problem := c.checkCommands(b.text); problem != "" {
			return problem
		}
		if !slices.ContainsFunc(notRun, func(n unrunBlock) bool { return n.has(page, b) }) {
			return "no test runs this block, and notRun has no reason for it"
		}
	case "text":
		if strings.HasPrefix(b.text, "bellhop ") {
			return c.checkCommands(b.text)
		}
	case "json", "calculator":
		if !json.Valid([]byte(b.text)) {
			return "this is no JSON"
		}
	case "yaml":
		return c.checkYAML(b.text)
	default:
		if source, ok := c.quoted[page]; ok {
			if !strings.Contains(unindented(source), unindented(b.text)) {
				return strings.Join(quotes[page], " or ") + " does not have these lines"
			}
			return ""
		}
		if !runs {
			return fmt.Sprintf("no test checks blocks of the kind %q on this page", b.kind)
		}
	}
	return ""
}

// checkYAML parses a block, and checks the commands and metrics in it.
func (c checker) checkYAML(source string) string {
	var value any
	if err := yaml.Unmarshal([]byte(source), &value); err != nil {
		return err.Error()
	}
	for _, name := range regexp.MustCompile(`\bbellhop_[a-z_]+`).FindAllString(source, -1) {
		name = strings.TrimSuffix(name, "_bucket")
		if !strings.Contains(c.metrics, "`"+name) {
			return "there is no metric " + name
		}
	}
	var commands strings.Builder
	for _, m := range regexp.MustCompile(`(?m)\bbellhop [a-z].*$`).FindAllString(comment.ReplaceAllString(source, ""), -1) {
		commands.WriteString(m + "\n")
	}
	return c.checkCommands(commands.String())
}

// unindented returns a text without the indentation of its lines.
func unindented(source string) string {
	return regexp.MustCompile(`(?m)^[ \t]+`).ReplaceAllString(source, "")
}
