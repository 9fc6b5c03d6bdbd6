package docsite

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/bellhop/bellhop/internal/console"
)

// docsAssets are the template, the style and the scripts of the pages.
//
//go:embed assets
var docsAssets embed.FS

// docsSection is a section of the navigation, as docs/nav.yaml has it.
type docsSection struct {
	Title string      `yaml:"title"`
	About string      `yaml:"about"` // whom the section is for
	Files []string    `yaml:"pages"` // paths of Markdown files in the repository
	Pages []*docsPage `yaml:"-"`
}

// docsPage is a page of the documentation.
type docsPage struct {
	Section *docsSection
	Source  string // path in the repository, such as docs/guide/go.md
	URL     string // path below /docs/, such as guide/go.html
	Title   string
	Body    template.HTML
	Heads   []docsHead
	Script  bool // the page has a calculator
	Entries []docsEntry
}

// docsHead is a heading of a page.
type docsHead struct {
	Level    int
	ID, Text string
}

// docsSite is the rendered documentation.
type docsSite struct {
	sources  fs.FS // the files of the repository
	sections []*docsSection
	pages    []*docsPage
	bySource map[string]*docsPage
	files    map[string][]byte // by path below /docs/
	// references are the files of the repository that pages refer to and that are no pages, by page.
	references map[string][]string
}

// renderDocs renders the documentation.
func renderDocs(sources fs.FS) (*docsSite, error) {
	s, err := renderText(sources)
	if err != nil {
		return nil, err
	}
	if err := s.addAssets(); err != nil {
		return nil, err
	}
	return s, s.writePages()
}

// renderText renders the text of the pages: as Markdown, and as HTML without the frame of a page.
func renderText(sources fs.FS) (*docsSite, error) {
	s := &docsSite{sources: sources, bySource: map[string]*docsPage{}, files: map[string][]byte{}, references: map[string][]string{}}
	if err := s.readNavigation(); err != nil {
		return nil, fmt.Errorf("docs/nav.yaml: %w", err)
	}
	if err := s.addPictures(); err != nil {
		return nil, err
	}
	for _, p := range s.pages {
		if err := s.renderBody(p); err != nil {
			return nil, fmt.Errorf("%s: %w", p.Source, err)
		}
	}
	return s, s.addMarkdown()
}

// readNavigation reads the order of the pages.
func (s *docsSite) readNavigation() error {
	data, err := fs.ReadFile(s.sources, "docs/nav.yaml")
	if err != nil {
		return err
	}
	if err := yaml.UnmarshalWithOptions(data, &s.sections, yaml.Strict()); err != nil {
		return err
	}
	for _, section := range s.sections {
		for _, source := range section.Files {
			p := &docsPage{Section: section, Source: source, URL: docsURL(source)}
			section.Pages = append(section.Pages, p)
			s.pages = append(s.pages, p)
			s.bySource[source] = p
		}
	}
	return nil
}

// docsURL returns the path below /docs/ of a file in the repository.
func docsURL(source string) string {
	name, inDocs := strings.CutPrefix(source, "docs/")
	if !inDocs {
		name = strings.ToLower(source)
	}
	if page, ok := strings.CutSuffix(name, ".md"); ok {
		return page + ".html"
	}
	return name
}

func (s *docsSite) addPictures() error {
	pictures, err := fs.Glob(s.sources, "docs/diagrams/*")
	if err != nil {
		return err
	}
	for _, name := range pictures {
		if s.files[docsURL(name)], err = fs.ReadFile(s.sources, name); err != nil {
			return err
		}
	}
	return nil
}

// addAssets adds the style, the scripts and the search index. The colors are those of the console.
func (s *docsSite) addAssets() error {
	for name, from := range map[string]string{
		"assets/docs.css": "assets/docs.css", "assets/docs.js": "assets/docs.js", "assets/calculator.js": "assets/calculator.js",
	} {
		data, err := docsAssets.ReadFile(from)
		if err != nil {
			return err
		}
		s.files[name] = data
	}
	for _, name := range []string{"theme.css", "icon.svg"} {
		data, err := console.Static(name)
		if err != nil {
			return err
		}
		s.files["assets/"+name] = data
	}
	index, err := s.searchIndex()
	s.files["assets/search-index.js"] = index
	return err
}

// writePages puts the bodies into the template.
func (s *docsSite) writePages() error {
	for i, p := range s.pages {
		view := docsView{Page: p, Sections: s.sections}
		if i > 0 {
			view.Previous = s.pages[i-1]
		}
		if i+1 < len(s.pages) {
			view.Next = s.pages[i+1]
		}
		page, err := template.New("page.tmpl").Funcs(template.FuncMap{
			"to": func(target string) string { return relativeURL(p.URL, target) },
		}).ParseFS(docsAssets, "assets/page.tmpl")
		if err != nil {
			return err
		}
		var b bytes.Buffer
		if err := page.Execute(&b, view); err != nil {
			return fmt.Errorf("%s: %w", p.Source, err)
		}
		s.files[p.URL] = b.Bytes()
	}
	return nil
}

// docsView is the data of the template.
type docsView struct {
	Page           *docsPage
	Sections       []*docsSection
	Previous, Next *docsPage
}

// relativeURL returns the relative URL of a path below /docs/ for a page that is also there. Relative URLs work on any
// server and without one.
func relativeURL(from, to string) string {
	return strings.Repeat("../", strings.Count(path.Clean(from), "/")) + to
}
