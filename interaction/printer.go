package interaction

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/bellhop/bellhop/form"
	"github.com/bellhop/bellhop/permission"
	"github.com/go-json-experiment/json/jsontext"
)

// printer writes JSON the way JavaScript does, so that a program which reads and writes it again gets the same bytes. A
// key is given with the punctuation around it.
type printer struct {
	b     []byte
	files []Attachment // that attachment:// addresses may name
}

// attachmentScheme is how texts address files of their own message.
const attachmentScheme = "attachment://"

func (p *printer) raw(s string) { p.b = append(p.b, s...) }

func (p *printer) comma(more bool) {
	if more {
		p.b = append(p.b, ',')
	}
}

func (p *printer) quote(s string) {
	// What is not UTF-8 can only come from Go code; it is written with replacement characters, and that is the error.
	p.b, _ = jsontext.AppendQuote(p.b, s)
}

func (p *printer) text(key, s string) {
	p.raw(key)
	p.quote(s)
}

func (p *printer) textOrNull(key, s string) {
	if s == "" {
		p.raw(key)
		p.raw(`null`)
		return
	}
	p.text(key, s)
}

func (p *printer) id(key string, id uint64) {
	p.b = append(strconv.AppendUint(append(append(p.b, key...), '"'), id, 10), '"')
}

func (p *printer) idOrNull(key string, id uint64) {
	if id == 0 {
		p.raw(key)
		p.raw(`null`)
		return
	}
	p.id(key, id)
}

func (p *printer) bits(key string, b permission.Bits) { p.id(key, uint64(b)) }

func (p *printer) integer(key string, n int64) { p.b = strconv.AppendInt(append(p.b, key...), n, 10) }

func (p *printer) flag(key string, b bool) { p.b = strconv.AppendBool(append(p.b, key...), b) }

// timeLayout has microseconds, as public clients expect.
const timeLayout = "2006-01-02T15:04:05.000000-07:00"

// time writes a moment; the zero time is null.
func (p *printer) time(key string, t time.Time) {
	p.raw(key)
	if t.IsZero() {
		p.raw(`null`)
		return
	}
	p.b = append(t.UTC().AppendFormat(append(p.b, '"'), timeLayout), '"')
}

// value writes a value in its normal form: no object has a key twice or one that is a number.
func (p *printer) value(v form.Value) {
	switch v.Kind() {
	case form.Absent, form.Null:
		p.raw(`null`)
	case form.Bool:
		p.raw(v.String())
	case form.Number:
		p.number(v.Text())
	case form.String:
		p.quote(v.Text())
	case form.List:
		p.raw(`[`)
		for i, item := range v.Items() {
			p.comma(i > 0)
			p.value(item)
		}
		p.raw(`]`)
	case form.Object:
		p.raw(`{`)
		p.members(v, false)
		p.raw(`}`)
	}
}

func (p *printer) members(v form.Value, more bool) {
	for _, m := range v.Members() {
		p.comma(more)
		more = true
		p.quote(m.Name)
		p.raw(`:`)
		if m.Name == "url" || m.Name == "icon_url" {
			p.address(m.Value.Text())
			continue
		}
		p.value(m.Value)
	}
}

// address writes a URL. One that names a file of the message becomes the address of that file.
func (p *printer) address(url string) {
	if name, ok := strings.CutPrefix(url, attachmentScheme); ok {
		for i := range p.files {
			if p.files[i].Filename == name {
				url = p.files[i].URL
				break
			}
		}
	}
	p.quote(url)
}

// number writes the digits of a JSON number as JavaScript would.
func (p *printer) number(digits string) {
	if isPlain(digits) {
		p.raw(digits)
		return
	}
	f, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		p.raw(`null`) // as JavaScript does with what it has no number for
		return
	}
	p.b = appendNumber(p.b, f)
}

// isPlain reports whether digits are an integer that JavaScript holds exactly and writes the same way.
func isPlain(digits string) bool {
	const safe = 15 // digits that every double keeps
	if len(digits) > safe || digits == "-0" {
		return false
	}
	return strings.Trim(strings.TrimPrefix(digits, "-"), "0123456789") == ""
}

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

// AppendValue appends a value in the form in which everything is written here.
func AppendValue(dst []byte, v form.Value) []byte {
	p := printer{b: dst}
	p.value(v)
	return p.b
}
