package wire

import (
	"strconv"
	"strings"
	"time"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
)

// Printer appends JSON to a buffer. Its output equals what JavaScript's JSON.stringify(JSON.parse(output)) returns,
// because JavaScript apps serialize a request body again before they verify its signature: numbers have the form that
// JavaScript gives them, and strings are escaped only where JSON requires it.
//
// Methods with a key write the key as it is, so a key includes its quotes, its colon and the punctuation before it.
type Printer struct {
	Out   []byte       // the JSON written so far
	Files []Attachment // the files that attachment:// URLs can refer to
}

// Raw writes a piece of JSON.
func (p *Printer) Raw(s string) { p.Out = append(p.Out, s...) }

// Comma writes a comma if more is true.
func (p *Printer) Comma(more bool) {
	if more {
		p.Out = append(p.Out, ',')
	}
}

// Quote writes a string.
func (p *Printer) Quote(s string) { p.Out = jsonbody.AppendString(p.Out, s) }

// Text writes a string under a key.
func (p *Printer) Text(key, s string) { p.Out = jsonbody.AppendString(append(p.Out, key...), s) }

// TextOrNull writes a string under a key. The empty string is null.
func (p *Printer) TextOrNull(key, s string) {
	if s == "" {
		p.null(key)
		return
	}
	p.Text(key, s)
}

// optionalText writes a string under a key. It writes nothing if the string is empty.
func (p *Printer) optionalText(key, s string) {
	if s != "" {
		p.Text(key, s)
	}
}

func (p *Printer) null(key string) { p.Out = append(append(p.Out, key...), `null`...) }

// ID writes an id or a set of permissions under a key. Both are decimal strings.
func (p *Printer) ID(key string, id uint64) {
	p.Out = append(strconv.AppendUint(append(append(p.Out, key...), '"'), id, 10), '"')
}

// IDOrNull writes an id under a key. 0 is null.
func (p *Printer) IDOrNull(key string, id uint64) {
	if id == 0 {
		p.null(key)
		return
	}
	p.ID(key, id)
}

// Integer writes an integer under a key.
func (p *Printer) Integer(key string, n int64) {
	p.Out = strconv.AppendInt(append(p.Out, key...), n, 10)
}

// Bool writes a boolean under a key.
func (p *Printer) Bool(key string, b bool) { p.Out = strconv.AppendBool(append(p.Out, key...), b) }

// Time writes a time under a key. The zero time is null.
func (p *Printer) Time(key string, t time.Time) {
	if t.IsZero() {
		p.null(key)
		return
	}
	p.Out = append(append(p.Out, key...), '"')
	p.Out = append(t.UTC().AppendFormat(p.Out, TimeLayout), '"')
}

// Float writes a finite number.
func (p *Printer) Float(f float64) { p.Out = jsonbody.AppendNumber(p.Out, f) }

// Value writes a JSON value. No object in it may have a duplicate key or a key that is an integer, because JavaScript
// would drop or reorder those.
func (p *Printer) Value(v jsonbody.Value) {
	switch v.Kind() {
	case jsonbody.Absent, jsonbody.Null:
		p.Raw(`null`)
	case jsonbody.Bool:
		p.Raw(v.String())
	case jsonbody.Number:
		p.number(v.Text())
	case jsonbody.String:
		p.Quote(v.Text())
	case jsonbody.List:
		p.Raw(`[`)
		for i, item := range v.Items() {
			p.Comma(i > 0)
			p.Value(item)
		}
		p.Raw(`]`)
	case jsonbody.Object:
		p.Raw(`{`)
		p.members(v)
		p.Raw(`}`)
	}
}

func (p *Printer) members(v jsonbody.Value) {
	for i, m := range v.Members() {
		p.Comma(i > 0)
		p.Quote(m.Name)
		p.Raw(`:`)
		if m.Name == "url" || m.Name == "icon_url" {
			p.url(m.Value.Text())
			continue
		}
		p.Value(m.Value)
	}
}

// url writes a URL. An attachment:// URL that names one of Files becomes the URL of that file.
func (p *Printer) url(s string) {
	if name, ok := strings.CutPrefix(s, AttachmentScheme); ok {
		for i := range p.Files {
			if p.Files[i].Filename == name {
				s = p.Files[i].URL
				break
			}
		}
	}
	p.Quote(s)
}

// number writes the digits of a JSON number in the form that JavaScript gives it.
func (p *Printer) number(digits string) {
	if isPlain(digits) {
		p.Raw(digits)
		return
	}
	f, err := strconv.ParseFloat(digits, 64)
	if err != nil { // out of range: JavaScript reads it as Infinity and writes null
		p.Raw(`null`)
		return
	}
	p.Float(f)
}

// isPlain reports whether digits are an integer that JavaScript represents exactly and writes unchanged.
func isPlain(digits string) bool {
	const exact = 15 // digits that every float64 keeps
	if len(digits) > exact || digits == "-0" {
		return false
	}
	return strings.Trim(strings.TrimPrefix(digits, "-"), "0123456789") == ""
}

// AppendValue appends a JSON value as [Printer.Value] writes it.
func AppendValue(dst []byte, v jsonbody.Value) []byte {
	p := Printer{Out: dst}
	p.Value(v)
	return p.Out
}
