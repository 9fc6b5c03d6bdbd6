package rules

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// Stringify returns what JSON.stringify(JSON.parse(doc)) returns in JavaScript. It shares no code with the printers
// of this module: it takes numbers from the canonical form of RFC 8785, which is that of JavaScript.
func Stringify(tb testing.TB, doc []byte) string {
	tb.Helper()
	d := jsontext.NewDecoder(bytes.NewReader(doc), jsontext.AllowDuplicateNames(true))
	var b strings.Builder
	if err := rewrite(d, &b); err != nil {
		tb.Fatalf("not JSON: %v\n%s", err, doc)
	}
	return b.String()
}

func rewrite(d *jsontext.Decoder, b *strings.Builder) error {
	token, err := d.ReadToken()
	if err != nil {
		return err
	}
	switch token.Kind() {
	case jsontext.KindNumber:
		f, _ := strconv.ParseFloat(token.String(), 64) // infinity for a number that is too large
		switch {
		case math.IsInf(f, 0):
			b.WriteString("null")
			return nil
		case f == 0:
			f = 0 // not -0
		}
		v := jsontext.Value(strconv.FormatFloat(f, 'e', -1, 64))
		if err := v.Canonicalize(); err != nil {
			return err
		}
		b.Write(v)
	case jsontext.KindString:
		quoteJS(b, token.String())
	case jsontext.KindBeginArray:
		b.WriteByte('[')
		for i := 0; d.PeekKind() != jsontext.KindEndArray; i++ {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := rewrite(d, b); err != nil {
				return err
			}
		}
		b.WriteByte(']')
		_, err = d.ReadToken()
	case jsontext.KindBeginObject:
		return rewriteObject(d, b)
	default:
		b.WriteString(token.String())
	}
	return err
}

func rewriteObject(d *jsontext.Decoder, b *strings.Builder) error {
	var keys []string
	values := map[string]string{}
	for d.PeekKind() != jsontext.KindEndObject {
		name, err := d.ReadToken()
		if err != nil {
			return err
		}
		key := name.String()
		var value strings.Builder
		if err := rewrite(d, &value); err != nil {
			return err
		}
		if _, twice := values[key]; !twice {
			keys = append(keys, key)
		}
		values[key] = value.String()
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	slices.SortStableFunc(keys, func(x, y string) int {
		a, isA := arrayIndex(x)
		c, isC := arrayIndex(y)
		switch {
		case isA && isC:
			return int(a) - int(c)
		case isA:
			return -1
		case isC:
			return 1
		}
		return 0
	})
	b.WriteByte('{')
	for i, key := range keys {
		if i > 0 {
			b.WriteByte(',')
		}
		quoteJS(b, key)
		b.WriteByte(':')
		b.WriteString(values[key])
	}
	b.WriteByte('}')
	return nil
}

// arrayIndex reports whether a key is an array index in JavaScript. Objects list such keys first.
func arrayIndex(key string) (uint64, bool) {
	n, err := strconv.ParseUint(key, 10, 32)
	return n, err == nil && n < math.MaxUint32 && strconv.FormatUint(n, 10) == key
}

func quoteJS(b *strings.Builder, s string) {
	short := map[rune]string{'"': `\"`, '\\': `\\`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`}
	b.WriteByte('"')
	for _, r := range s {
		switch esc, ok := short[r]; {
		case ok:
			b.WriteString(esc)
		case r < ' ':
			fmt.Fprintf(b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
}

// WantJS reports an error if JavaScript prints the document differently.
func WantJS(tb testing.TB, body []byte) {
	tb.Helper()
	if again := Stringify(tb, body); again != string(body) {
		tb.Errorf("JavaScript prints it differently:\n%s\n%s", body, again)
	}
}
