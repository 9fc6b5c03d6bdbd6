package command

import (
	"bytes"
	"strings"
)

// Doc returns the definition as a JSON object. It has the members of the API except the ids, and omits the
// localizations of texts that have none, which the API shows as null. Equal definitions have equal documents.
func (d Definition) Doc() []byte {
	var p printer
	return p.doc(&d)
}

// doc returns the document in a new slice. The printer can be reused.
func (p *printer) doc(d *Definition) []byte {
	if p.b == nil {
		p.b = make([]byte, 0, 1024) // enough for most documents
	}
	p.b = append(p.b[:0], '{')
	p.definition(d)
	p.b = append(p.b, '}')
	return bytes.Clone(p.b)
}

// AppendJSON appends the command as the API shows it, except in lists.
func (c *Command) AppendJSON(dst []byte) []byte {
	return appendShown(c.appendIDs(dst), c.Doc[1:])
}

// appendShown appends a document, or the rest of one, and adds null for the localizations that documents omit.
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

// nextText finds the next member that has a text. It returns where its key ends and where the text begins, or -1. It
// looks for `":"`, which cannot occur inside of a string, where quotes are escaped. It searches for the colon because
// a document has fewer colons than quotes.
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

// textLen returns the length of the JSON string that b continues after its opening quote, without the closing quote.
func textLen(b []byte) int {
	n := bytes.IndexByte(b, '"')
	if bytes.IndexByte(b[:n], '\\') < 0 {
		return n
	}
	for n = 0; b[n] != '"'; n++ {
		if b[n] == '\\' {
			n++ // the escaped character
		}
	}
	return n
}

// appendIDs begins the object with the ids, which a document does not have.
func (c *Command) appendIDs(dst []byte) []byte {
	dst = c.ID.Append(append(dst, `{"id":"`...))
	dst = c.Scope.Application.Append(append(dst, `","application_id":"`...))
	dst = c.Version.Append(append(dst, `","version":"`...))
	if !c.Scope.Global() {
		dst = c.Scope.Guild.Append(append(dst, `","guild_id":"`...))
	}
	return append(dst, `",`...)
}

// AppendListed appends the command as plain lists show it: with the texts of one locale instead of the localizations. d is
// the definition in c.Doc.
func (c *Command) AppendListed(dst []byte, d *Definition, locale string) []byte {
	return c.appendStyled(dst, d, listed, locale)
}

// listedOtherwise are parts of documents that plain lists show in another way. In the texts of a document, quotes are escaped.
var listedOtherwise = [][]byte{[]byte(`_localizations":`), []byte(`"file_types":`)}

// AppendPlain appends the command as [Command.AppendListed] does in any locale, without reading the definition. It reports false
// and appends nothing if lists show the command differently in some locales, or if they leave out a part of it.
func (c *Command) AppendPlain(dst []byte) ([]byte, bool) {
	for _, part := range listedOtherwise {
		if bytes.Contains(c.Doc, part) {
			return dst, false
		}
	}
	plain, doc := c.appendIDs(dst), c.Doc[1:]
	for _, key := range []string{`"name`, `"description`} { // of the command: those of its options follow
		at := bytes.Index(doc, []byte(key+`":"`))
		if at < 0 {
			return dst, false
		}
		text := at + len(key) + len(`":"`)
		end := text + textLen(doc[text:]) + len(`"`)
		plain = append(append(append(plain, doc[:end]...), ','), key...)
		plain = append(append(plain, `_localized":"`...), doc[text:end]...)
		doc = doc[end:]
	}
	return append(plain, doc...), true
}

// AppendIndexed appends the command as the index of a command picker shows it: with the texts of one locale, and with
// the defaults where they differ. d is the definition in c.Doc.
func (c *Command) AppendIndexed(dst []byte, d *Definition, locale string) []byte {
	return c.appendStyled(dst, d, indexed, locale)
}

func (c *Command) appendStyled(dst []byte, d *Definition, s style, locale string) []byte {
	p := printer{b: c.appendIDs(dst), style: s, code: locale}
	p.definition(d)
	p.raw(`}`)
	return p.b
}
