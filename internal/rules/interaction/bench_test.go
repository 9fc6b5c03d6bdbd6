package interaction_test

import (
	"testing"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/rules/interaction"
)

// busy is the use of a subcommand with a value for every option type but ATTACHMENT.
const busy = `[{"type":1,"name":"all","options":[{"type":3,"name":"s","value":"hello there"},{"type":4,"name":"i","value":42},{"type":5,"name":"b","value":true},
	{"type":6,"name":"u","value":"200"},{"type":7,"name":"c","value":"310"},{"type":8,"name":"r","value":"301"},{"type":9,"name":"m","value":"201"},{"type":10,"name":"n","value":1.5}]}]`

func BenchmarkMatchOptions(b *testing.B) {
	for _, bb := range []struct{ name, options, give string }{
		{"one integer", flat, `[{"type":4,"name":"sides","value":6}]`},
		{"eight kinds", everything, busy},
	} {
		b.Run(bb.name, func(b *testing.B) {
			d, in := definition(b, bb.options), use(b, bb.give)
			b.ReportAllocs()
			for b.Loop() {
				matched, err := interaction.MatchOptions(d, in, nil)
				if err != nil {
					b.Fatal(err)
				}
				if err := matched.Check(around); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkInteraction(b *testing.B) {
	matched, err := interaction.MatchOptions(definition(b, everything), use(b, busy), nil)
	if err != nil {
		b.Fatal(err)
	}
	i := inGuild(interaction.ApplicationCommand, interaction.CommandData{Command: deploy(command.ChatInput, "deploy"), Options: matched.Options, Resolved: around})
	buffer := make([]byte, 0, 8<<10)
	b.ReportAllocs()
	for b.Loop() {
		buffer = i.AppendJSON(buffer[:0])
	}
	b.SetBytes(int64(len(buffer)))
}

func BenchmarkReadInvoke(b *testing.B) {
	v := parse(b, body("2", rollData+`,"options":`+busy+"}"))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := interaction.ReadInvoke(v); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReadCallback(b *testing.B) {
	for _, bb := range []struct{ name, give string }{
		{"text", `{"type":4,"data":{"content":"You rolled a 6"}}`},
		{"embed and buttons", `{"type":4,"data":{"embeds":[{"title":"t","description":"d","fields":[{"name":"a","value":"b"}]}],"components":[` + row(repeat(button, 5)) + `]}}`},
	} {
		b.Run(bb.name, func(b *testing.B) {
			v := parse(b, bb.give)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := interaction.ReadCallback(v, interaction.Origin{Type: interaction.ApplicationCommand}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
