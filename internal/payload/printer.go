// Package payload knows how people, places and files look in what the service sends to apps, and writes it. It performs
// no I/O and reads no clock.
//
// Everything that a [Printer] writes equals what JavaScript makes of it when it reads it and writes it again: programs
// that verify a signature over the body do that. Numbers are written as JavaScript prints them and strings are escaped
// only where they must be.
package payload

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/permission"
	"github.com/go-json-experiment/json/jsontext"
)

// Printer writes JSON the way JavaScript does, so that a program which reads and writes it again gets the same bytes. A
// key is given with the punctuation around it.
type Printer struct {
	Out   []byte       // what has been written
	Files []Attachment // that attachment:// addresses may name
}

// AttachmentScheme is how texts address files of their own message.
const AttachmentScheme = "attachment://"

// Raw writes what is JSON already.
func (p *Printer) Raw(s string) { p.Out = append(p.Out, s...) }

// Comma writes a comma when something stands before.
func (p *Printer) Comma(after bool) {
	if after {
		p.Out = append(p.Out, ',')
	}
}

// Quote writes a string.
func (p *Printer) Quote(s string) {
	// What is not UTF-8 can only come from Go code; it is written with replacement characters, and that is the error.
	p.Out, _ = jsontext.AppendQuote(p.Out, s)
}

// Text writes a string under a key.
func (p *Printer) Text(key, s string) {
	p.Raw(key)
	p.Quote(s)
}

// TextOrNull writes a string, null in place of an empty one.
func (p *Printer) TextOrNull(key, s string) {
	if s == "" {
		p.Raw(key)
		p.Raw(`null`)
		return
	}
	p.Text(key, s)
}

// ID writes an id, which is a string on the wire.
func (p *Printer) ID(key string, id uint64) {
	p.Out = append(strconv.AppendUint(append(append(p.Out, key...), '"'), id, 10), '"')
}

// IDOrNull writes an id, null in place of 0.
func (p *Printer) IDOrNull(key string, id uint64) {
	if id == 0 {
		p.Raw(key)
		p.Raw(`null`)
		return
	}
	p.ID(key, id)
}

// Bits writes permissions, which are a string on the wire.
func (p *Printer) Bits(key string, b permission.Bits) { p.ID(key, uint64(b)) }

// Integer writes a whole number.
func (p *Printer) Integer(key string, n int64) {
	p.Out = strconv.AppendInt(append(p.Out, key...), n, 10)
}

// Flag writes a boolean.
func (p *Printer) Flag(key string, b bool) { p.Out = strconv.AppendBool(append(p.Out, key...), b) }

// TimeLayout has microseconds, as public clients expect.
const TimeLayout = "2006-01-02T15:04:05.000000-07:00"

// Time writes a moment; the zero time is null.
func (p *Printer) Time(key string, t time.Time) {
	p.Raw(key)
	if t.IsZero() {
		p.Raw(`null`)
		return
	}
	p.Out = append(t.UTC().AppendFormat(append(p.Out, '"'), TimeLayout), '"')
}

// Value writes a value in its normal form: no object has a key twice or one that is a number.
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
		p.members(v, false)
		p.Raw(`}`)
	}
}

func (p *Printer) members(v jsonbody.Value, more bool) {
	for _, m := range v.Members() {
		p.Comma(more)
		more = true
		p.Quote(m.Name)
		p.Raw(`:`)
		if m.Name == "url" || m.Name == "icon_url" {
			p.address(m.Value.Text())
			continue
		}
		p.Value(m.Value)
	}
}

// address writes a URL. One that names a file of the message becomes the address of that file.
func (p *Printer) address(url string) {
	if name, ok := strings.CutPrefix(url, AttachmentScheme); ok {
		for i := range p.Files {
			if p.Files[i].Filename == name {
				url = p.Files[i].URL
				break
			}
		}
	}
	p.Quote(url)
}

// number writes the digits of a JSON number as JavaScript would.
func (p *Printer) number(digits string) {
	if isPlain(digits) {
		p.Raw(digits)
		return
	}
	f, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		p.Raw(`null`) // as JavaScript does with what it has no number for
		return
	}
	p.Float(f)
}

// isPlain reports whether digits are an integer that JavaScript holds exactly and writes the same way.
func isPlain(digits string) bool {
	const safe = 15 // digits that every double keeps
	if len(digits) > safe || digits == "-0" {
		return false
	}
	return strings.Trim(strings.TrimPrefix(digits, "-"), "0123456789") == ""
}

// Float writes a finite number.
func (p *Printer) Float(f float64) { p.Out = appendNumber(p.Out, f) }

// appendNumber writes a finite number as JavaScript does.
func appendNumber(b []byte, f float64) []byte {
	size := math.Abs(f)
	if size == 0 {
		return append(b, '0') // also for -0
	}
	if size >= 1e-6 && size < 1e21 {
		return strconv.AppendFloat(b, f, 'f', -1, 64)
	}
	b = strconv.AppendFloat(b, f, 'e', -1, 64)
	if n := len(b); b[n-4] == 'e' && b[n-2] == '0' { // a one-digit exponent stands alone
		b[n-2] = b[n-1]
		b = b[:n-1]
	}
	return b
}

// AppendValue appends a value in the form in which everything is written.
func AppendValue(dst []byte, v jsonbody.Value) []byte {
	p := Printer{Out: dst}
	p.Value(v)
	return p.Out
}
