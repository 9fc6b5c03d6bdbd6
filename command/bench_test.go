package command_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/command"
)

// typical is a command with three options, one of them with five choices.
const typical = `{"name":"roll","description":"Roll some dice","options":[
	{"type":4,"name":"sides","description":"How many sides","required":true,"min_value":2,"max_value":100},
	{"type":3,"name":"kind","description":"What kind of dice","choices":[{"name":"Plain","value":"plain"},{"name":"Loaded","value":"loaded"},
		{"name":"Fudge","value":"fudge"},{"name":"Coin","value":"coin"},{"name":"Percentile","value":"percentile"}]},
	{"type":5,"name":"secret","description":"Show it to nobody else"}]}`

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	body := []byte(typical)
	for b.Loop() {
		if _, err := command.Parse(body, anyApp); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseList50(b *testing.B) {
	b.ReportAllocs()
	items := make([]string, 50)
	for i := range items {
		items[i] = strings.Replace(typical, `"roll"`, `"roll`+strconv.Itoa(i)+`"`, 1)
	}
	v := []byte(`[` + strings.Join(items, ",") + `]`)
	for b.Loop() {
		if _, err := command.ParseList(v, anyApp); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDoc(b *testing.B) {
	b.ReportAllocs()
	d := parse(b, typical, anyApp)
	for b.Loop() {
		d.Doc()
	}
}

func BenchmarkDefinition(b *testing.B) {
	b.ReportAllocs()
	c := command.Command{Doc: parse(b, typical, anyApp).Doc()}
	for b.Loop() {
		if _, err := c.Definition(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAmend(b *testing.B) {
	b.ReportAllocs()
	d, body := parse(b, typical, anyApp), []byte(`{"nsfw":true}`)
	for b.Loop() {
		if _, err := d.Amend(body, anyApp); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppendJSON(b *testing.B) {
	b.ReportAllocs()
	c, _ := register(b, typical, anyApp, 1400000000000000001)
	var buf []byte
	for b.Loop() {
		buf = c.AppendJSON(buf[:0])
	}
}

func BenchmarkAppendListed(b *testing.B) {
	b.ReportAllocs()
	c, d := register(b, full, anyApp, 1400000000000000001)
	var buf []byte
	for b.Loop() {
		buf = c.AppendListed(buf[:0], &d, "de")
	}
}

func BenchmarkAppendPlain(b *testing.B) {
	b.ReportAllocs()
	c, _ := register(b, typical, anyApp, 1400000000000000001)
	var buf []byte
	for b.Loop() {
		buf, _ = c.AppendPlain(buf[:0])
	}
}

func BenchmarkDiff50(b *testing.B) {
	b.ReportAllocs()
	items, err := command.ParseList([]byte(`[`+named(50)+`]`), anyApp)
	if err != nil {
		b.Fatal(err)
	}
	current := stored(b, `[`+named(50)+`]`)
	for b.Loop() {
		if _, err := command.Diff(current, items); err != nil {
			b.Fatal(err)
		}
	}
}
