package docsite

import (
	"html/template"
	"io/fs"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"github.com/bellhop/bellhop/internal/console"
)

// repository has the sources of the documentation. The root package embeds them.
var repository = os.DirFS("../..")

// maxDocsSize bounds the documentation in the binary, and its pages as they are sent.
const maxDocsSize = 1 << 20

// rendered is the documentation. The tests only read it.
var rendered = sync.OnceValues(func() (*docsSite, error) { return renderDocs(repository) })

// served serves it.
var served = New(repository)

func renderedDocs(t *testing.T) *docsSite {
	t.Helper()
	site, err := rendered()
	if err != nil {
		t.Fatal(err)
	}
	return site
}

func TestDocsPages(t *testing.T) {
	t.Parallel()
	site := renderedDocs(t)
	for _, p := range site.pages {
		page := string(site.files[p.URL])
		for _, want := range []string{"<title>" + template.HTMLEscapeString(p.Title) + " · Bellhop</title>", "<h1 ", `aria-current="page"`, "assets/docs.js"} {
			if !strings.Contains(page, want) {
				t.Errorf("%s does not contain %s", p.URL, want)
			}
		}
		if strings.Count(page, "<h1 ") != 1 {
			t.Errorf("%s has %d titles, want one", p.Source, strings.Count(page, "<h1 "))
		}
		if strings.Contains(page, "raw HTML omitted") {
			t.Errorf("%s contains HTML, which is not rendered", p.Source)
		}
	}
}

// TestDocsNavigation finds pages that docs/nav.yaml does not name.
func TestDocsNavigation(t *testing.T) {
	t.Parallel()
	site := renderedDocs(t)
	err := fs.WalkDir(repository, "docs", func(name string, _ fs.DirEntry, err error) error {
		if path.Ext(name) == ".md" && site.bySource[name] == nil {
			t.Errorf("%s is not in docs/nav.yaml: add it to the section of its readers", name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(site.pages) != len(site.bySource) {
		t.Errorf("docs/nav.yaml names %d pages, %d are different", len(site.pages), len(site.bySource))
	}
}

var (
	docsLink   = regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	docsAnchor = regexp.MustCompile(` id="([^"]*)"`)
)

// TestDocsLinks follows every link of every page: to a page, to an anchor on it, and to files of the repository.
func TestDocsLinks(t *testing.T) {
	t.Parallel()
	site := renderedDocs(t)
	anchors := map[string]map[string]bool{}
	for name, data := range site.files {
		anchors[name] = map[string]bool{"": true}
		if path.Ext(name) != ".html" {
			continue
		}
		for _, m := range docsAnchor.FindAllStringSubmatch(string(data), -1) {
			anchors[name][m[1]] = true
		}
	}
	for _, p := range site.pages {
		for _, m := range docsLink.FindAllStringSubmatch(string(site.files[p.URL]), -1) {
			if strings.Contains(m[1], ":") {
				continue
			}
			file, anchor, _ := strings.Cut(m[1], "#")
			to := p.URL
			if file != "" {
				to = path.Join(path.Dir(p.URL), file)
			}
			if !anchors[to][anchor] {
				t.Errorf("%s links to %s, which does not exist", p.Source, m[1])
			}
		}
	}
	for page, files := range site.references {
		for _, name := range files {
			if _, err := os.Stat(filepath.Join("../..", filepath.FromSlash(name))); err != nil {
				t.Errorf("%s links to %s, which does not exist", page, name)
			}
		}
	}
}

// TestMarkdownLinks follows every link of every page as Markdown, and those of the list of pages.
func TestMarkdownLinks(t *testing.T) {
	t.Parallel()
	site := renderedDocs(t)
	anchors := map[string][]string{}
	for name, data := range site.files {
		if path.Ext(name) == ".md" {
			anchors[name] = anchorsOf(data)
		}
	}
	checked := 0
	for name, data := range site.files {
		if path.Ext(name) != ".md" && name != "llms.txt" {
			continue
		}
		for _, link := range linksOf(data) {
			file, anchor, _ := strings.Cut(link, "#")
			if strings.Contains(link, ":") {
				continue
			}
			to := name
			if file != "" {
				to = path.Join(path.Dir(name), file)
			}
			if _, known := site.files[to]; !known || anchor != "" && !slices.Contains(anchors[to], anchor) {
				t.Errorf("%s links to %s, which does not exist", name, link)
			}
			checked++
		}
	}
	if checked < len(site.pages) {
		t.Errorf("only %d links", checked)
	}
}

// TestIndex checks that llms.txt names every page with a sentence about it.
func TestIndex(t *testing.T) {
	t.Parallel()
	pages, err := Pages(repository)
	if err != nil {
		t.Fatal(err)
	}
	index := string(renderedDocs(t).files["llms.txt"])
	if !strings.HasPrefix(index, "# Bellhop\n\n> ") {
		t.Errorf("the list begins with %.60q", index)
	}
	for _, p := range pages {
		if len(p.About) < 20 || len(p.About) > 400 {
			t.Errorf("%s: the first sentence has %d bytes: %q", p.Name, len(p.About), p.About)
		}
		if !strings.Contains(index, "- ["+p.Title+"]("+p.Name+"): "+p.About+".\n") {
			t.Errorf("%s is not in the list", p.Name)
		}
		if !strings.HasPrefix(p.Text, "# ") {
			t.Errorf("%s begins with %.60q", p.Name, p.Text)
		}
	}
}

// TestLinksElsewhere follows the links of documents that are not on the site.
func TestLinksElsewhere(t *testing.T) {
	t.Parallel()
	const root = "../.."
	for _, name := range []string{"README.md", "CHANGELOG.md", "bench/README.md", "examples/README.md"} {
		source, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, link := range linksOf(source) {
			file, anchor, _ := strings.Cut(link, "#")
			if strings.Contains(link, ":") {
				continue
			}
			to := filepath.Join(root, path.Dir(name), file)
			if file == "" {
				to = filepath.Join(root, name)
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s links to %s, which does not exist", name, link)
				continue
			}
			if anchor == "" {
				continue
			}
			target, err := os.ReadFile(to)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Contains(anchorsOf(target), anchor) {
				t.Errorf("%s links to %s, and there is no such heading", name, link)
			}
		}
	}
}

// parsed returns the tree of a document, with the anchors of the site.
func parsed(source []byte) ast.Node {
	return docsMarkdown.Parser().Parse(text.NewReader(source), parser.WithContext(parser.NewContext(parser.WithIDs(headingIDs{}))))
}

// linksOf returns the destinations of the links and pictures of a document.
func linksOf(source []byte) []string {
	var list []string
	_ = ast.Walk(parsed(source), func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the function returns no error
		switch n := n.(type) {
		case *ast.Link:
			if entering {
				list = append(list, string(n.Destination))
			}
		case *ast.Image:
			if entering {
				list = append(list, string(n.Destination))
			}
		}
		return ast.WalkContinue, nil
	})
	return list
}

// anchorsOf returns the anchors of the headings of a document.
func anchorsOf(source []byte) []string {
	var list []string
	_ = ast.Walk(parsed(source), func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the function returns no error
		if h, ok := n.(*ast.Heading); ok && entering {
			list = append(list, headingID(h))
		}
		return ast.WalkContinue, nil
	})
	return list
}

func TestDocsSize(t *testing.T) {
	t.Parallel()
	embedded := 0
	err := fs.WalkDir(repository, "docs", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != ".md" && name != "docs/nav.yaml" && path.Dir(name) != "docs/diagrams" {
			return err // the root package embeds only these
		}
		info, err := d.Info()
		embedded += int(info.Size())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	sent := 0
	for name := range renderedDocs(t).files {
		r := httptest.NewRequestWithContext(t.Context(), "GET", docsPath+name, nil)
		r.Header.Set("Accept-Encoding", "gzip")
		w := httptest.NewRecorder()
		served.ServeHTTP(w, r)
		if w.Header().Get("Content-Encoding") == "gzip" {
			sent += w.Body.Len()
		}
	}
	if embedded > maxDocsSize || sent > maxDocsSize {
		t.Errorf("%d bytes of sources and %d bytes of compressed pages, want at most %d of each", embedded, sent, maxDocsSize)
	}
	t.Logf("%d bytes of sources, %d bytes of compressed pages", embedded, sent)
}

func TestDocsHandler(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, path string
		status     int
		holds      string
	}{
		{"the front page", "/docs/", 200, "<title>Bellhop · Bellhop</title>"},
		{"a page", "/docs/reference-limits.html", 200, "rate limit"},
		{"a page in a folder", "/docs/guide/go.html", 200, `href="../assets/docs.css"`},
		{"a diagram", "/docs/diagrams/overview.svg", 200, "<svg"},
		{"the index of the search", "/docs/assets/search-index.js", 200, "globalThis.searchIndex = [["},
		{"without a slash", "/docs", 308, ""},
		{"an unknown page", "/docs/other.html", 404, "not found"},
		{"a page as Markdown", "/docs/guide/go.md", 200, "](../commands.md#definitions-as-code)"},
		{"a link that leaves docs", "/docs/index.md", 200, "](architecture.md)"},
		{"the list of pages", "/llms.txt", 200, "](docs/guide/go.md): "},
		{"the list of pages below /docs/", "/docs/llms.txt", 200, "](guide/go.md): "},
		{"an unknown source", "/docs/other.md", 404, "not found"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if !served.Serves(tt.path) {
				t.Fatalf("Serves(%q) = false", tt.path)
			}
			w := httptest.NewRecorder()
			served.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", tt.path, nil))
			if body := w.Body.String(); w.Code != tt.status || !strings.Contains(body, tt.holds) {
				t.Errorf("status %d, want %d with %q:\n%.300s", w.Code, tt.status, tt.holds, body)
			}
			if w.Code == 200 && w.Header().Get("Content-Security-Policy") != console.Policy {
				t.Errorf("Content-Security-Policy: %s", w.Header().Get("Content-Security-Policy"))
			}
		})
	}
	for _, other := range []string{"/", "/doc", "/docsx", "/documents", "/llms.txt/x"} {
		if served.Serves(other) {
			t.Errorf("Serves(%q) = true", other)
		}
	}
}

// TestDocsSelfContained looks for scripts and styles inside of pages, which the policy forbids, and for code that inserts
// text as markup.
func TestDocsSelfContained(t *testing.T) {
	t.Parallel()
	inline := regexp.MustCompile(`<script>|<style|\sstyle="|\son[a-z]+="|(?:src|<link[^>]*href)="https?:`)
	unsafe := regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function`)
	for name, data := range renderedDocs(t).files {
		if found := inline.Find(data); path.Ext(name) == ".html" && found != nil {
			t.Errorf("%s contains %s", name, found)
		}
		if found := unsafe.Find(data); path.Ext(name) == ".js" && name != "assets/search-index.js" && found != nil {
			t.Errorf("%s contains %s", name, found)
		}
	}
}

// TestWriteDocs compares the written pages with the served ones.
func TestWrite(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	pages, size, err := Write(repository, folder)
	if err != nil {
		t.Fatal(err)
	}
	site := renderedDocs(t)
	if pages != len(site.pages) || size == 0 {
		t.Errorf("Write() = %d pages, %d bytes", pages, size)
	}
	for name, want := range site.files {
		got, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(name)))
		if err != nil || string(got) != string(want) {
			t.Errorf("%s differs: %v", name, err)
		}
	}
}
