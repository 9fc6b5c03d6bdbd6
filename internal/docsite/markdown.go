package docsite

import (
	"fmt"
	"io/fs"
	"regexp"
	"strings"
)

// IndexPath is the path of the list of all pages for programs: see https://llmstxt.org.
const IndexPath = "/llms.txt"

// Page is a page of the documentation as Markdown.
type Page struct {
	Name  string // path below /docs/, such as guide/go.md
	Title string
	About string // the first sentence of the page
	Text  string // links lead to other pages of the site
}

// Pages returns all pages in the order of the navigation.
func Pages(sources fs.FS) ([]Page, error) {
	site, err := renderText(sources)
	if err != nil {
		return nil, err
	}
	list := make([]Page, len(site.pages))
	for i, p := range site.pages {
		list[i] = Page{Name: p.markdownURL(), Title: p.Title, About: p.about(), Text: string(site.files[p.markdownURL()])}
	}
	return list, nil
}

// markdownURL returns the path below /docs/ of a page as Markdown.
func (p *docsPage) markdownURL() string { return strings.TrimSuffix(p.URL, ".html") + ".md" }

// MarkdownURL returns the relative URL of the page as Markdown, for the template.
func (p *docsPage) MarkdownURL() string { return relativeURL(p.URL, p.markdownURL()) }

// leastAbout is the length from which a sentence says enough about a page.
const leastAbout = 20

// about returns the first sentence of a page, without its full stop. A short sentence is followed by the next.
func (p *docsPage) about() string {
	for i := range p.Entries {
		text := strings.Join(strings.Fields(p.Entries[i].text.String()), " ")
		if len(text) < leastAbout {
			continue
		}
		rest, _, _ := strings.Cut(text[leastAbout:]+" ", ". ")
		return text[:leastAbout] + strings.TrimRight(rest, " ")
	}
	return p.Title
}

// addMarkdown adds the pages as Markdown, and the list of them.
func (s *docsSite) addMarkdown() error {
	for _, p := range s.pages {
		source, err := fs.ReadFile(s.sources, p.Source)
		if err != nil {
			return err
		}
		s.files[p.markdownURL()] = []byte(s.convertMarkdown(p, string(source)))
	}
	s.files[strings.TrimPrefix(IndexPath, "/")] = s.index("")
	return nil
}

// markdownLink is a link or a picture on one line.
var markdownLink = regexp.MustCompile(`(!?)\[([^\[\]]*)\]\(([^()\s]+)\)`)

// convertMarkdown converts the links of a source to links between pages as Markdown. A link to a file that the site does not have
// becomes text. Code keeps its brackets.
func (s *docsSite) convertMarkdown(p *docsPage, source string) string {
	lines := strings.SplitAfter(source, "\n")
	fenced := false
	for i, line := range lines {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
		}
		if fenced {
			continue
		}
		lines[i] = markdownLink.ReplaceAllStringFunc(line, func(link string) string {
			m := markdownLink.FindStringSubmatch(link)
			to, ok := s.target(p, m[3])
			if !ok {
				return m[2]
			}
			if !strings.Contains(to, ":") { // not a page elsewhere
				to = strings.Replace(to, ".html", ".md", 1)
			}
			return m[1] + "[" + m[2] + "](" + to + ")"
		})
	}
	return strings.Join(lines, "")
}

// index returns the list of all pages in the format of llms.txt. The links begin with prefix.
func (s *docsSite) index(prefix string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# Bellhop\n\n> %s.\n\nThe pages below are Markdown. `bellhop mcp` has tools and the same pages for coding agents.\n", s.pages[0].about())
	for _, section := range s.sections {
		fmt.Fprintf(&b, "\n## %s\n\nFor %s.\n\n", section.Title, section.About)
		for _, p := range section.Pages {
			fmt.Fprintf(&b, "- [%s](%s): %s.\n", p.Title, prefix+p.markdownURL(), p.about())
		}
	}
	return []byte(b.String())
}
