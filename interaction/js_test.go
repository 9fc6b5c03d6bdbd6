package interaction_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/form"
	"github.com/bellhop/bellhop/problem"
	"github.com/go-json-experiment/json/jsontext"
)

// parse returns a JSON document as a form value.
func parse(tb testing.TB, doc string) form.Value {
	tb.Helper()
	v, err := form.Parse([]byte(doc))
	if err != nil {
		tb.Fatalf("Parse(%.80q) = %v", doc, err)
	}
	return v
}

// findings returns the codes of an error by path, nil for no error.
func findings(tb testing.TB, err error) map[string][]problem.Code {
	tb.Helper()
	if err == nil {
		return nil
	}
	tree, ok := errors.AsType[*problem.Tree](err)
	if !ok {
		tb.Fatalf("error is %T (%v), want *problem.Tree", err, err)
	}
	return tree.Flat()
}

// stringify returns what JavaScript makes of a document when it reads it and writes it again. It shares no code with
// the package: numbers go through the canonical form of RFC 8785, which is JavaScript's.
func stringify(tb testing.TB, doc []byte) string {
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
		f, _ := strconv.ParseFloat(token.String(), 64) // of what is too large: infinity
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

// arrayIndex reports whether JavaScript takes a key for the index of an array.
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

// wantJS reports bytes that JavaScript would not reproduce.
func wantJS(tb testing.TB, body []byte) {
	tb.Helper()
	if again := stringify(tb, body); again != string(body) {
		tb.Errorf("JavaScript writes it differently:\n%s\n%s", body, again)
	}
}

func TestStringifyKnowsJavaScript(t *testing.T) {
	t.Parallel()
	for give, want := range map[string]string{
		`{"b":1,"10":2,"9":3,"a":4,"4294967295":5,"4294967294":6}`: `{"9":3,"10":2,"4294967294":6,"b":1,"a":4,"4294967295":5}`,
		`{"a":1,"b":2,"a":3}`:                            `{"a":3,"b":2}`,
		`[-0,1.0,1e21,1e20,1e-7,0.000001]`:               `[0,1,1e+21,100000000000000000000,1e-7,0.000001]`,
		`[9007199254740993,1e400,123456789012345680000]`: `[9007199254740992,null,123456789012345680000]`,
		`"\u003c\u2028\u001f\u007f\/"`:                   "\"<\u2028\\u001f\u007f/\"",
		` [ true , null ] `:                              `[true,null]`,
	} {
		if got := stringify(t, []byte(give)); got != want {
			t.Errorf("stringify(%s) = %s, want %s", give, got, want)
		}
	}
}
