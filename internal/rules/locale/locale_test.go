package locale_test

import (
	"slices"
	"testing"

	"github.com/bellhop/bellhop/internal/rules/locale"
	"github.com/google/go-cmp/cmp"
)

func TestAll(t *testing.T) {
	t.Parallel()
	want := []locale.Code{
		"ar", "bg", "cs", "da", "de", "el", "en-GB", "en-US", "es-419", "es-ES", "fi", "fr", "he", "hi", "hr", "hu", "id", "it",
		"ja", "ko", "lt", "nl", "no", "pl", "pt-BR", "ro", "ru", "sv-SE", "th", "tr", "uk", "vi", "zh-CN", "zh-TW",
	}
	got := locale.All()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("All() differs (-want +got):\n%s", diff)
	}
	if !slices.IsSorted(got) || len(got) != 34 {
		t.Errorf("All() = %d codes, sorted %v, want 34 sorted", len(got), slices.IsSorted(got))
	}
	got[0] = "xx"
	if locale.All()[0] != "ar" {
		t.Error("changing the result of All() changes the next result")
	}
}

func TestKnown(t *testing.T) {
	t.Parallel()
	for _, c := range locale.All() {
		if !locale.Known(c) {
			t.Errorf("Known(%q) = false", c)
		}
	}
	for _, c := range []locale.Code{"", "en", "en-us", "EN-US", "pt_BR", "de-DE", "zz", "undefined"} {
		if locale.Known(c) {
			t.Errorf("Known(%q) = true", c)
		}
	}
}

func TestLookup(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		give locale.Map
		code locale.Code
		want string
		ok   bool
	}{
		{"own key", locale.Map{"de": "hallo"}, "de", "hallo", true},
		{"own key before fallback", locale.Map{"en-US": "color", "en-GB": "colour"}, "en-US", "color", true},
		{"en-US falls back to en-GB", locale.Map{"en-GB": "colour"}, "en-US", "colour", true},
		{"en-GB falls back to en-US", locale.Map{"en-US": "color"}, "en-GB", "color", true},
		{"es-419 falls back to es-ES", locale.Map{"es-ES": "vale"}, "es-419", "vale", true},
		{"es-ES has no fallback", locale.Map{"es-419": "dale"}, "es-ES", "", false},
		{"other languages have no fallback", locale.Map{"en-US": "color", "de": "Farbe"}, "fr", "", false},
		{"fallbacks do not chain", locale.Map{"en-US": "color"}, "es-419", "", false},
		{"no map", nil, "de", "", false},
		{"unknown code", locale.Map{"de": "hallo"}, "xx", "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got, ok := locale.Lookup(tt.give, tt.code); got != tt.want || ok != tt.ok {
				t.Errorf("Lookup(%q) = %q, %v, want %q, %v", tt.code, got, ok, tt.want, tt.ok)
			}
		})
	}
}

func TestAlsoSeenIn(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		give locale.Map
		code locale.Code
		want locale.Code
	}{
		{"en-GB in en-US", locale.Map{"en-GB": "x"}, "en-GB", "en-US"},
		{"en-US in en-GB", locale.Map{"en-US": "x"}, "en-US", "en-GB"},
		{"es-ES in es-419", locale.Map{"es-ES": "x"}, "es-ES", "es-419"},
		{"es-419 nowhere else", locale.Map{"es-419": "x"}, "es-419", ""},
		{"a translation of its own", locale.Map{"en-GB": "x", "en-US": "y"}, "en-GB", ""},
		{"no fallback", locale.Map{"de": "x"}, "de", ""},
	} {
		if got := locale.AlsoSeenIn(tt.give, tt.code); got != tt.want {
			t.Errorf("%s: AlsoSeenIn() = %q, want %q", tt.name, got, tt.want)
		}
	}
}
