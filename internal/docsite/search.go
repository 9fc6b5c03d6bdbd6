package docsite

import (
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/yuin/goldmark/ast"
)

// docsEntry is the entry of the search index for the text below one heading.
type docsEntry struct {
	ID, Heading string
	text        strings.Builder
}

// excerptLength is the number of bytes of a section that a search result shows.
const excerptLength = 160

// collect collects the title, the headings and the text of a page.
func (p *docsPage) collect(doc ast.Node, source []byte) error {
	p.Entries = []docsEntry{{}}
	return ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		entry := &p.Entries[len(p.Entries)-1]
		switch n := n.(type) {
		case *ast.Heading:
			title := plainText(n, source)
			if n.Level == 1 {
				p.Title, entry.Heading = title, title
				return ast.WalkSkipChildren, nil
			}
			if n.Level <= 3 {
				p.Heads = append(p.Heads, docsHead{Level: n.Level, ID: headingID(n), Text: title})
			}
			p.Entries = append(p.Entries, docsEntry{ID: headingID(n), Heading: title})
			return ast.WalkSkipChildren, nil
		case *ast.FencedCodeBlock:
			p.Script = p.Script || string(n.Language(source)) == "calculator"
			for i := range n.Lines().Len() {
				line := n.Lines().At(i)
				entry.text.Write(line.Value(source))
			}
		case *ast.Text:
			entry.text.Write(n.Value(source))
			if n.SoftLineBreak() {
				entry.text.WriteByte(' ')
			}
		case *ast.AutoLink:
			entry.text.Write(n.URL(source))
		}
		if n.Type() == ast.TypeBlock {
			entry.text.WriteByte(' ')
		}
		return ast.WalkContinue, nil
	})
}

// plainText returns the text below a node.
func plainText(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(c ast.Node, entering bool) (ast.WalkStatus, error) { // the function returns no error
		if t, ok := c.(*ast.Text); ok && entering {
			b.Write(t.Value(source))
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// searchIndex returns a script with the index: for each section of a page its URL, the titles, the beginning of its text,
// and the other words of the section. A script works without a server; pages cannot fetch a file there.
func (s *docsSite) searchIndex() ([]byte, error) {
	var rows [][5]string
	for _, p := range s.pages {
		for i := range p.Entries {
			e := &p.Entries[i]
			url := p.URL
			if e.ID != "" {
				url += "#" + e.ID
			}
			text := strings.Join(strings.Fields(e.text.String()), " ")
			excerpt := text
			if len(text) > excerptLength {
				excerpt = strings.ToValidUTF8(text[:excerptLength], "")
				if i := strings.LastIndexByte(excerpt, ' '); i > 0 {
					excerpt = excerpt[:i]
				}
			}
			rows = append(rows, [5]string{url, p.Title, e.Heading, excerpt, restWords(text[len(excerpt):])})
		}
	}
	data, err := json.Marshal(rows)
	if err != nil {
		return nil, err
	}
	return slices.Concat([]byte("globalThis.searchIndex = "), data, []byte(";\n")), nil
}

// restWords returns the different words of a text in lower case.
func restWords(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-'
	})
	words = slices.DeleteFunc(words, func(w string) bool { return len(w) < 3 })
	slices.Sort(words)
	return strings.Join(slices.Compact(words), " ")
}
