package locale_test

import (
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/rules/locale"
	"pgregory.net/rapid"
)

func TestChooseSource(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, rule               string
		service, discord, accept string
		settings, want           locale.Code
	}{
		{"service header first", "Localization rules", "de", "fr", "it", "ja", "de"},
		{"then the public header", "Localization rules", "", "fr", "it", "ja", "fr"},
		{"then Accept-Language", "Localization rules", "", "", "it", "ja", "it"},
		{"then the settings", "Localization rules", "", "", "", "ja", "ja"},
		{"then American English", "Localization rules", "", "", "", "", "en-US"},
		{"service header in another case", "Localization rules", "DE", "fr", "it", "ja", "de"},
		{"region in another case", "Localization rules", "EN-us", "fr", "it", "ja", "en-US"},
		{"public header in another case", "Localization rules", "", "PT-br", "it", "ja", "pt-BR"},
		{"very long service header counts as absent", "Localization rules", strings.Repeat("D", 1000), "fr", "it", "ja", "fr"},
		{"unknown service header counts as absent", "Localization rules", "xx", "fr", "it", "ja", "fr"},
		{"unknown public header counts as absent", "Localization rules", "", "undefined", "it", "ja", "it"},
		{"Accept-Language without a known tag counts as absent", "Localization rules", "", "", "xx, *", "ja", "ja"},
		{"unknown settings count as absent", "Localization rules", "", "", "", "tlh", "en-US"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := locale.Choose(tt.service, tt.discord, tt.accept, tt.settings); got != tt.want {
				t.Errorf("Choose() = %q, want %q (%s)", got, tt.want, tt.rule)
			}
		})
	}
}

func TestChooseAcceptLanguage(t *testing.T) {
	t.Parallel()
	const none = "lt" // the settings, used when the header matches no locale
	for _, tt := range []struct {
		name, give string
		want       locale.Code
	}{
		{"one tag", "de", "de"},
		{"order", "fr,de", "fr"},
		{"weights", "fr;q=0.5,de;q=0.9", "de"},
		{"a missing weight is 1", "fr;q=0.9,de", "de"},
		{"equal weights keep their order", "fr;q=0.5,de;q=0.5", "fr"},
		{"weight 0 is left out", "de;q=0,fr;q=0.1", "fr"},
		{"weight 0.000 is left out", "de;q=0.000", none},
		{"three digits", "de;q=0.801,fr;q=0.802", "fr"},
		{"blanks", " fr ; q=0.5 ,\tde ; Q=0.9 ", "de"},
		{"weight above 1", "de;q=1.1,fr;q=0.1", "fr"},
		{"weight 1", "fr;q=0.9,de;q=1", "de"},
		{"weight 1.000", "fr;q=0.999,de;q=1.000", "de"},
		{"weight 2", "de;q=2", none},
		{"weight 15", "de;q=15,fr;q=0.1", "fr"},
		{"weight with a colon", "de;q=0.:,fr;q=0.1", "fr"},
		{"weight with a sign", "de;q=-1,fr;q=0.1", "fr"},
		{"weight with four digits", "de;q=0.9999,fr;q=0.1", "fr"},
		{"weight that is no number", "de;q=abc,fr;q=0.1", "fr"},
		{"weight with a letter", "de;q=0.x,fr;q=0.1", "fr"},
		{"weight without a point", "de;q=05,fr;q=0.1", "fr"},
		{"empty weight", "de;q=,fr;q=0.1", "fr"},
		{"other parameter", "de;v=1,fr;q=0.1", "fr"},
		{"any case", "PT-br", "pt-BR"},
		{"any case of the language", "DE-at", "de"},
		{"star is skipped", "*,de;q=0.1", "de"},
		{"unknown tags are skipped", "xx,yy-ZZ,de;q=0.1", "de"},
		{"empty entries are skipped", ",,de", "de"},
		{"underscore is no separator", "pt_BR", none},
		{"preferred language before a lesser exact tag", "pt-PT,pt;q=0.9,en-US;q=0.8", "pt-BR"},
		{"more subtags", "en-GB-oxendict,en;q=0.9", "en-GB"},
		{"longest tag", "de-" + strings.Repeat("x", 32) + ",fr", "de"},
		{"tag that begins with a hyphen", "-de,fr;q=0.1", "fr"},
		{"long tag", "de-" + strings.Repeat("x", 40) + ",fr", "fr"},
		{"en", "en", "en-US"},
		{"en-AU", "en-AU", "en-US"},
		{"es", "es", "es-ES"},
		{"es-MX", "es-MX", "es-419"},
		{"es-AR", "es-ar", "es-419"},
		{"es-Latn-CO", "es-Latn-CO", "es-419"},
		{"es-GQ", "es-GQ", "es-ES"},
		{"pt", "pt", "pt-BR"},
		{"sv", "sv", "sv-SE"},
		{"sv-FI", "sv-FI", "sv-SE"},
		{"zh", "zh", "zh-CN"},
		{"zh-SG", "zh-SG", "zh-CN"},
		{"zh-Hans", "zh-Hans", "zh-CN"},
		{"zh-Hant", "zh-Hant", "zh-TW"},
		{"zh-HK", "zh-HK", "zh-TW"},
		{"zh-MO", "zh-MO", "zh-TW"},
		{"zh-Hant-HK", "zh-Hant-HK", "zh-TW"},
		{"zh-Hans-HK", "zh-Hans-HK", "zh-CN"},
		{"nb", "nb", "no"},
		{"nb-NO", "nb-NO", "no"},
		{"nn-NO", "nn-NO", "no"},
		{"no-NO", "no-NO", "no"},
		{"de-CH", "de-CH", "de"},
		{"he-IL", "he-IL", "he"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := locale.Choose("", "", tt.give, none); got != tt.want {
				t.Errorf("Choose(%q) = %q, want %q", tt.give, got, tt.want)
			}
		})
	}
}

func TestChooseKnowsEveryCodeInAnyCase(t *testing.T) {
	t.Parallel()
	for _, c := range locale.All() {
		for _, s := range []string{c, strings.ToUpper(c), strings.ToLower(c)} {
			if got := locale.Choose("", "", s, ""); got != c {
				t.Errorf("Choose(%q) = %q, want %q", s, got, c)
			}
		}
	}
}

func TestChooseAlwaysKnown(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String()
		got := locale.Choose(s.Draw(t, "service"), s.Draw(t, "discord"),
			rapid.StringMatching(`([a-zA-Z*-]{0,8}(;q=[0-9.]{0,5})?,?){0,6}`).Draw(t, "accept"), s.Draw(t, "settings"))
		if !locale.Known(got) {
			t.Fatalf("Choose() = %q, want a known locale", got)
		}
	})
}

func FuzzChoose(f *testing.F) {
	for _, s := range []string{"de;q=0.5, en", "*;q=0", "zh-Hant-HK;q=1.000", ";;;,=,-"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, header string) {
		if got := locale.Choose("", "", header, "xx"); !locale.Known(got) {
			t.Errorf("Choose(%q) = %q, want a known locale", header, got)
		}
	})
}

func BenchmarkChoose(b *testing.B) {
	for _, bb := range []struct{ name, accept string }{
		{"no header", ""},
		{"browser", "de-DE,de;q=0.9,en-US;q=0.8,en;q=0.7"},
		{"100 KB of tags", strings.Repeat("xx-YY;q=0.5,", 100<<10/12)},
		{"100 KB in one tag", strings.Repeat("x", 100<<10)},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				locale.Choose("", "", bb.accept, "de")
			}
		})
	}
}
