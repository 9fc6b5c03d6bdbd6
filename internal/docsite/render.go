package docsite

import (
	"bytes"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// docsMarkdown is the Markdown of GitHub. HTML in the sources is not rendered.
var docsMarkdown = goldmark.New(
	goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)), extension.Linkify),
	goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(docsRenderer{}, 100))),
)

// renderBody converts the Markdown of a page to HTML, and collects its title, its headings and its text for the search.
func (s *docsSite) renderBody(p *docsPage) error {
	source, err := fs.ReadFile(s.sources, p.Source)
	if err != nil {
		return err
	}
	doc := docsMarkdown.Parser().Parse(text.NewReader(source), parser.WithContext(parser.NewContext(parser.WithIDs(headingIDs{}))))
	if err := s.convertLinks(p, doc); err != nil {
		return err
	}
	if err := p.collect(doc, source); err != nil {
		return err
	}
	if p.Title == "" {
		return errors.New("the page has no title")
	}
	var b bytes.Buffer
	if err := docsMarkdown.Renderer().Render(&b, source, doc); err != nil {
		return err
	}
	p.Body = template.HTML(b.String()) //nolint:gosec // the sources are part of this program
	return nil
}

// convertLinks converts links between Markdown files to links between pages. A link to another file of the repository
// becomes text, because the site does not have the file.
func (s *docsSite) convertLinks(p *docsPage, doc ast.Node) error {
	var absent []ast.Node
	err := ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link:
			if to, ok := s.target(p, string(n.Destination)); ok {
				n.Destination = []byte(to)
			} else {
				absent = append(absent, n)
			}
		case *ast.Image:
			if to, ok := s.target(p, string(n.Destination)); ok {
				n.Destination = []byte(to)
			} else {
				absent = append(absent, n)
			}
		}
		return ast.WalkContinue, nil
	})
	for _, n := range absent {
		for c := n.FirstChild(); c != nil; c = n.FirstChild() {
			n.Parent().InsertBefore(n.Parent(), n, c)
		}
		n.Parent().RemoveChild(n.Parent(), n)
	}
	return err
}

// target returns the URL of a link's destination for the site. It returns false for a file that the site does not have.
func (s *docsSite) target(p *docsPage, destination string) (string, bool) {
	file, fragment, hasFragment := strings.Cut(destination, "#")
	if file == "" || strings.Contains(file, ":") {
		return destination, true
	}
	source := path.Join(path.Dir(p.Source), file)
	if source == "README.md" {
		source = "docs/index.md"
	}
	to, known := s.bySource[source]
	_, picture := s.files[docsURL(source)]
	switch {
	case picture:
		return relativeURL(p.URL, docsURL(source)), true
	case !known:
		s.references[p.Source] = append(s.references[p.Source], source)
		return "", false
	case hasFragment:
		return relativeURL(p.URL, to.URL) + "#" + fragment, true
	default:
		return relativeURL(p.URL, to.URL), true
	}
}

// headingIDs makes the anchors of headings in the way of GitHub, so that links work there and on the site.
type headingIDs map[string]int

// Generate returns the anchor of a heading.
func (ids headingIDs) Generate(value []byte, _ ast.NodeKind) []byte {
	var b strings.Builder
	for _, r := range strings.ToLower(string(bytes.TrimSpace(value))) {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
			b.WriteRune(r)
		case r == ' ':
			b.WriteByte('-')
		}
	}
	id := b.String()
	n := ids[id]
	ids[id]++
	if n > 0 {
		return fmt.Appendf(nil, "%s-%d", id, n)
	}
	return []byte(id)
}

// Put records an anchor that the source sets itself.
func (ids headingIDs) Put(value []byte) { ids[string(value)]++ }

// docsRenderer renders headings with anchors, and code and tables in boxes that scroll.
type docsRenderer struct{}

// RegisterFuncs registers the functions of the renderer.
func (docsRenderer) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindHeading, renderHeading)
	r.Register(ast.KindFencedCodeBlock, renderCode)
	r.Register(tables.KindTable, renderTable)
}

func renderHeading(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	n := node.(*ast.Heading)
	id := headingID(n)
	var err error
	switch {
	case entering:
		_, err = fmt.Fprintf(w, `<h%d id="%s">`, n.Level, template.HTMLEscapeString(id))
	case n.Level == 1:
		_, err = w.WriteString("</h1>\n")
	default:
		_, err = fmt.Fprintf(w, ` <a class="anchor" href="#%s" aria-label="Link to this section">#</a></h%d>`+"\n", template.HTMLEscapeString(id), n.Level)
	}
	return ast.WalkContinue, err
}

func headingID(n *ast.Heading) string {
	id, _ := n.AttributeString("id")
	b, _ := id.([]byte)
	return string(b)
}

// renderCode renders a block of code. The first word after the fence is the language, the second is the name of a file.
// The language "calculator" is a form that a script of the page fills.
func renderCode(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	n := node.(*ast.FencedCodeBlock)
	var code strings.Builder
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		code.Write(line.Value(source))
	}
	language, file := string(n.Language(source)), ""
	if n.Info != nil {
		_, file, _ = strings.Cut(string(n.Info.Value(source)), " ")
	}
	escaped := template.HTMLEscapeString(code.String())
	if language == "calculator" {
		_, err := fmt.Fprintf(w, `<div class="calculator" hidden><script type="application/json">%s</script></div>`+"\n", strings.ReplaceAll(code.String(), "<", `\u003c`))
		return ast.WalkSkipChildren, err
	}
	caption := ""
	if file != "" {
		caption = "<figcaption>" + template.HTMLEscapeString(file) + "</figcaption>"
	}
	_, err := fmt.Fprintf(w, `<figure class="code">%s<pre tabindex="0"><code data-language="%s">%s</code></pre></figure>`+"\n",
		caption, template.HTMLEscapeString(language), escaped)
	return ast.WalkSkipChildren, err
}

func renderTable(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
	tag := "</table></div>\n"
	if entering {
		tag = `<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>` + "\n"
	}
	_, err := w.WriteString(tag)
	return ast.WalkContinue, err
}
