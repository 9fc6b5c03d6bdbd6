package command

import (
	"math"
	"slices"
	"strconv"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/locale"
)

// printer writes definitions as compact JSON. It writes strings and numbers as JavaScript does, so that a JavaScript
// program that parses and prints a document gets the same bytes.
type printer struct {
	b     []byte
	style style
	code  locale.Code // the locale, for listed and indexed
	// ofCommand is true while the texts of the command are written, and false for those of its options and choices.
	ofCommand bool
}

// style selects how localized texts are written.
type style uint8

const (
	whole   style = iota // the default and all localizations; see appendShown for texts without localizations
	listed               // the default, and the text of one locale
	indexed              // the text of one locale, and the default if it differs
)

// definition writes the members of a definition without the braces around them.
func (p *printer) definition(d *Definition) {
	p.raw(`"default_member_permissions":`)
	if d.MemberPermissions == nil {
		p.raw(`null`)
	} else {
		p.b = append(strconv.AppendUint(append(p.b, '"'), uint64(*d.MemberPermissions), 10), '"')
	}
	if d.DefaultPermission != nil {
		p.flag(`,"default_permission":`, *d.DefaultPermission)
	}
	p.integer(`,"type":`, int(d.Type))
	p.ofCommand = true
	p.text(',', "name", d.Name, d.NameLocalizations)
	p.text(',', "description", d.Description, d.DescriptionLocalizations)
	p.ofCommand = false
	p.availability(d)
	p.options(d.Options)
	p.flag(`,"nsfw":`, d.NSFW)
	if d.Handler != 0 {
		p.integer(`,"handler":`, int(d.Handler))
	}
}

// availability writes dm_permission, contexts and integration_types. A guild command shows only those that differ from
// the default, because they have no effect there.
func (p *printer) availability(d *Definition) {
	if !d.Guild || d.NoDM {
		p.flag(`,"dm_permission":`, !d.NoDM)
	}
	if d.Contexts != nil {
		printSet(p, `,"contexts":[`, d.Contexts)
	} else if !d.Guild {
		p.raw(`,"contexts":null`)
	}
	if d.IntegrationTypes != nil {
		printSet(p, `,"integration_types":[`, d.IntegrationTypes)
	}
}

func (p *printer) options(list []Option) {
	if len(list) == 0 {
		return
	}
	p.raw(`,"options":[`)
	for i := range list {
		p.option(&list[i], i > 0)
	}
	p.raw(`]`)
}

func (p *printer) option(o *Option, more bool) {
	p.comma(more)
	p.integer(`{"type":`, int(o.Type))
	p.text(',', "name", o.Name, o.NameLocalizations)
	p.text(',', "description", o.Description, o.DescriptionLocalizations)
	if o.Required {
		p.raw(`,"required":true`)
	}
	if o.Autocomplete {
		p.raw(`,"autocomplete":true`)
	}
	if len(o.Choices) > 0 {
		p.raw(`,"choices":[`)
		for i := range o.Choices {
			p.choice(&o.Choices[i], i > 0)
		}
		p.raw(`]`)
	}
	p.options(o.Options)
	if len(o.ChannelTypes) > 0 {
		printSet(p, `,"channel_types":[`, o.ChannelTypes)
	}
	p.number(`,"min_value":`, o.MinValue)
	p.number(`,"max_value":`, o.MaxValue)
	if o.MinLength != nil {
		p.integer(`,"min_length":`, *o.MinLength)
	}
	if o.MaxLength != nil {
		p.integer(`,"max_length":`, *o.MaxLength)
	}
	p.fileTypes(o.FileTypes)
	p.raw(`}`)
}

// fileTypes writes file_types only in the style whole. Lists do not show the member.
func (p *printer) fileTypes(list []string) {
	if len(list) == 0 || p.style != whole {
		return
	}
	p.raw(`,"file_types":[`)
	for i, s := range list {
		p.comma(i > 0)
		p.string(s)
	}
	p.raw(`]`)
}

func (p *printer) choice(c *Choice, more bool) {
	p.comma(more)
	p.text('{', "name", c.Name, c.NameLocalizations)
	p.raw(`,"value":`)
	switch c.Value.kind {
	case noValue:
		p.raw(`null`)
	case textValue:
		p.string(c.Value.text)
	case numberValue:
		p.b = appendNumber(p.b, c.Value.number)
	}
	p.raw(`}`)
}

// text writes a text and its localizations. open is the comma or brace before them. In the style listed, the texts of a
// command always have a localized form, and other texts have one if they have localizations. Without a translation for
// the locale it is the default.
func (p *printer) text(open byte, key, text string, m locale.Map) {
	if p.style == whole {
		p.member(open, key, "", text)
		if len(m) > 0 {
			p.key(',', key, "_localizations")
			p.languages(m)
		}
		return
	}
	variant, ok := locale.Lookup(m, p.code)
	if !ok {
		variant = text
	}
	switch {
	case p.style == listed && (p.ofCommand || len(m) > 0):
		p.member(open, key, "", text)
		p.member(',', key, "_localized", variant)
	case p.style == indexed && variant != text:
		p.member(open, key, "", variant)
		p.member(',', key, "_default", text)
	default:
		p.member(open, key, "", text)
	}
}

func (p *printer) member(open byte, key, suffix, text string) {
	p.key(open, key, suffix)
	p.string(text)
}

func (p *printer) key(open byte, key, suffix string) {
	p.b = append(p.b, open, '"')
	p.raw(key)
	p.raw(suffix)
	p.raw(`":`)
}

func (p *printer) languages(m locale.Map) {
	codes := make([]locale.Code, 0, 34) // the number of locales; a constant capacity stays on the stack
	for c := range m {
		codes = append(codes, c)
	}
	slices.Sort(codes)
	p.raw(`{`)
	for i, c := range codes {
		p.comma(i > 0)
		p.string(c)
		p.raw(`:`)
		p.string(m[c])
	}
	p.raw(`}`)
}

func printSet[N ~uint8](p *printer, key string, set []N) {
	p.raw(key)
	for i, n := range set {
		p.comma(i > 0)
		p.integer("", int(n))
	}
	p.raw(`]`)
}

func (p *printer) raw(s string) { p.b = append(p.b, s...) }

func (p *printer) comma(more bool) {
	if more {
		p.b = append(p.b, ',')
	}
}

func (p *printer) integer(key string, n int) {
	p.b = strconv.AppendInt(append(p.b, key...), int64(n), 10)
}

func (p *printer) flag(key string, b bool) {
	p.b = strconv.AppendBool(append(p.b, key...), b)
}

func (p *printer) number(key string, f *float64) {
	if f != nil {
		p.b = appendNumber(append(p.b, key...), *f)
	}
}

func (p *printer) string(s string) {
	p.b = jsonbody.AppendString(p.b, s)
}

// appendNumber writes a number as JavaScript does. NaN and infinities, which JSON cannot express, become strings, so
// that Validate reports them.
func appendNumber(b []byte, f float64) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return append(strconv.AppendFloat(append(b, '"'), f, 'g', -1, 64), '"')
	}
	return jsonbody.AppendNumber(b, f)
}
