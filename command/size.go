package command

import (
	"github.com/bellhop/bellhop/form"
	"github.com/bellhop/bellhop/locale"
)

// MaxSize is how large a CHAT_INPUT command may be.
const MaxSize = 8000

// Size returns the combined length of the definition's names, descriptions and text values, of which MaxSize is the
// limit. Of a localized text the longest variant counts; numbers count nothing.
func (d Definition) Size() int {
	return longest(d.Name, d.NameLocalizations) + longest(d.Description, d.DescriptionLocalizations) + sizeOf(d.Options)
}

func sizeOf(options []Option) int {
	n := 0
	for i := range options {
		o := &options[i]
		n += longest(o.Name, o.NameLocalizations) + longest(o.Description, o.DescriptionLocalizations) + sizeOf(o.Options)
		for j := range o.Choices {
			c := &o.Choices[j]
			n += longest(c.Name, c.NameLocalizations) + form.Len(c.Value.text)
		}
	}
	return n
}

func longest(text string, m locale.Map) int {
	n := form.Len(text)
	for _, s := range m {
		n = max(n, form.Len(s))
	}
	return n
}
