package command

import (
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/locale"
)

// MaxSize is the largest size of a CHAT_INPUT command.
const MaxSize = 8000

// Size returns the combined length of all names, descriptions and choice values of the definition, in code points. For a
// localized text the longest variant counts. A number counts as many characters as its JSON has.
func (d Definition) Size() int { return measure(jsonbody.Len).definition(&d) }

// fits reports whether the size is at most MaxSize. It counts bytes first: no text has more code points than bytes.
func (d *Definition) fits() bool {
	bytes := measure(func(s string) int { return len(s) })
	return bytes.definition(d) <= MaxSize || d.Size() <= MaxSize
}

// measure returns the length of a text.
type measure func(string) int

func (m measure) definition(d *Definition) int {
	return m.longest(d.Name, d.NameLocalizations) + m.longest(d.Description, d.DescriptionLocalizations) + m.options(d.Options)
}

func (m measure) options(list []Option) int {
	n := 0
	for i := range list {
		o := &list[i]
		n += m.longest(o.Name, o.NameLocalizations) + m.longest(o.Description, o.DescriptionLocalizations) + m.options(o.Options)
		for j := range o.Choices {
			c := &o.Choices[j]
			n += m.longest(c.Name, c.NameLocalizations) + m(c.Value.printed())
		}
	}
	return n
}

func (m measure) longest(text string, variants locale.Map) int {
	n := m(text)
	for _, s := range variants {
		n = max(n, m(s))
	}
	return n
}
