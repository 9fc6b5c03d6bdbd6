package wire_test

import (
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/testkit/rules"
)

func TestAppendValue(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, give, want string }{
		{"plain integer", `42`, `42`},
		{"negative zero", `-0`, `0`},
		{"more digits than a float64 has", `9007199254740993`, `9007199254740992`},
		{"fraction", `1.50`, `1.5`},
		{"large exponent becomes digits", `1e20`, `100000000000000000000`},
		{"larger exponent stays", `1e21`, `1e+21`},
		{"small fraction", `0.000001`, `0.000001`},
		{"smaller fraction becomes an exponent", `0.0000001`, `1e-7`},
		{"exponent of two digits", `1e-10`, `1e-10`},
		{"number that overflows a float64", `1e400`, `null`},
		{"escapes", `"\u003c\u2028\u001f\/"`, "\"<\u2028\\u001f/\""},
		{"nested", ` { "a" : [ true , null , { } ] } `, `{"a":[true,null,{}]}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := wire.AppendValue([]byte("x"), rules.Parse(t, tt.give))[1:]
			if string(got) != tt.want {
				t.Errorf("AppendValue(%s) = %s, want %s", tt.give, got, tt.want)
			}
			rules.WantJS(t, got)
		})
	}
}

func TestPrinterAttachmentURLs(t *testing.T) {
	t.Parallel()
	p := wire.Printer{Files: []wire.Attachment{{Filename: "a.png", URL: "http://cdn/a"}}}
	p.Value(rules.Parse(t, `{"url":"attachment://a.png","icon_url":"attachment://gone.png","title":"attachment://a.png"}`))
	const want = `{"url":"http://cdn/a","icon_url":"attachment://gone.png","title":"attachment://a.png"}`
	if got := string(p.Out); got != want {
		t.Errorf("Value() = %s, want %s", got, want)
	}
}

func TestPrinterNull(t *testing.T) {
	t.Parallel()
	var p wire.Printer
	p.TextOrNull(`{"a":`, "")
	p.IDOrNull(`,"b":`, 0)
	p.Time(`,"c":`, time.Time{})
	p.TextOrNull(`,"d":`, "x")
	p.IDOrNull(`,"e":`, 5)
	p.Time(`,"f":`, time.Date(2026, 1, 2, 4, 4, 5, 6000, time.FixedZone("", 3600)))
	p.Raw(`}`)
	const want = `{"a":null,"b":null,"c":null,"d":"x","e":"5","f":"2026-01-02T03:04:05.000006+00:00"}`
	if got := string(p.Out); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
