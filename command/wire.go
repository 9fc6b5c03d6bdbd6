package command

import "github.com/bellhop/bellhop/locale"

// Doc returns the definition as it is kept: a JSON object with every member of the wire form but the ids. Definitions that
// are equal have equal documents.
func (d Definition) Doc() []byte {
	// Most texts are ASCII and most documents fit; the others grow the buffer.
	p := printer{b: make([]byte, 0, 320+d.Size()+roughSize(d.Options))}
	p.raw(`{`)
	p.definition(&d)
	p.raw(`}`)
	return p.b
}

// roughSize guesses what options take in a document beside their texts.
func roughSize(options []Option) int {
	const option, choice = 160, 48
	n := option * len(options)
	for i := range options {
		n += choice*len(options[i].Choices) + roughSize(options[i].Options)
	}
	return n
}

// AppendJSON appends the command as answers to writes and single reads show it.
func (c Command) AppendJSON(dst []byte) []byte {
	dst = c.appendIDs(dst)
	return append(dst, c.Doc[1:]...)
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
