package command

import (
	"bytes"
	"strings"

	"github.com/bellhop/bellhop/internal/locale"
)

// Doc returns the definition as it is kept: a JSON object with every member of the wire form but the ids and the
// localizations of texts that have none. Those are null on the wire, and half of most documents if they were kept.
// Definitions that are equal have equal documents.
func (d Definition) Doc() []byte {
	var p printer
	return p.doc(&d)
}

// doc returns a document in memory of its own. The printer can be used again.
func (p *printer) doc(d *Definition) []byte {
	if p.b == nil {
		p.b = make([]byte, 0, 1024) // most documents fit
	}
	p.b = append(p.b[:0], '{')
	p.definition(d)
	p.b = append(p.b, '}')
	return bytes.Clone(p.b)
}

// AppendJSON appends the command as answers to writes and single reads show it.
func (c *Command) AppendJSON(dst []byte) []byte {
	return appendShown(c.appendIDs(dst), c.Doc[1:])
}

// appendShown appends a document, or the rest of one, as the wire shows it: with null for the localizations that
// documents leave out.
func appendShown(dst, doc []byte) []byte {
	for {
		key, text := nextText(doc)
		if text < 0 {
			return append(dst, doc...)
		}
		var none string
		switch {
		case bytes.HasSuffix(doc[:key], []byte(`"name`)):
			none = `,"name_localizations":null`
		case bytes.HasSuffix(doc[:key], []byte(`"description`)):
			none = `,"description_localizations":null`
		}
		end := text + textLen(doc[text:]) + len(`"`)
		dst = append(dst, doc[:end]...)
		doc = doc[end:]
		if !bytes.HasPrefix(doc, []byte(strings.TrimSuffix(none, "null"))) {
			dst = append(dst, none...)
		}
	}
}

// nextText returns where the key of the next member with a text ends and where the text begins, or -1. Quotes inside of a
// string are escaped, so what stands around the colon cannot be part of one. There are fewer colons than quotes.
func nextText(doc []byte) (key, text int) {
	for i := 0; ; i++ {
		colon := bytes.IndexByte(doc[i:], ':')
		if colon < 0 {
			return -1, -1
		}
		i += colon
		if i > 0 && doc[i-1] == '"' && i+1 < len(doc) && doc[i+1] == '"' {
			return i - 1, i + 2
		}
	}
}

// textLen returns the length of a string in JSON whose opening quote is gone, without the closing one.
func textLen(b []byte) int {
	n := bytes.IndexByte(b, '"')
	if bytes.IndexByte(b[:n], '\\') < 0 {
		return n
	}
	for n = 0; b[n] != '"'; n++ {
		if b[n] == '\\' {
			n++ // what it escapes
		}
	}
	return n
}

// appendIDs opens the object with the members that a document lacks.
func (c *Command) appendIDs(dst []byte) []byte {
	dst = c.ID.Append(append(dst, `{"id":"`...))
	dst = c.Scope.Application.Append(append(dst, `","application_id":"`...))
	dst = c.Version.Append(append(dst, `","version":"`...))
	if !c.Scope.Global() {
		dst = c.Scope.Guild.Append(append(dst, `","guild_id":"`...))
	}
	return append(dst, `",`...)
}

// AppendListed appends the command as plain lists show it: without localizations, but with the texts of one language
// where they differ from the defaults. d is the definition that c.Doc holds.
func AppendListed(dst []byte, c Command, d Definition, code locale.Code) []byte {
	return appendStyled(dst, &c, &d, listed, code)
}

// AppendIndexed appends the command as the index of a picker shows it: in one language, with the defaults beside the texts
// that differ from them. d is the definition that c.Doc holds.
func AppendIndexed(dst []byte, c Command, d Definition, code locale.Code) []byte {
	return appendStyled(dst, &c, &d, indexed, code)
}

func appendStyled(dst []byte, c *Command, d *Definition, s style, code locale.Code) []byte {
	p := printer{b: c.appendIDs(dst), style: s, code: code}
	p.definition(d)
	p.raw(`}`)
	return p.b
}
