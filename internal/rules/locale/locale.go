// Package locale lists the locales of Discord's API. It chooses the locale of a request from its headers and looks up
// translations with the fallbacks of the specification. It performs no I/O.
package locale

import "slices"

// Code is a locale as Discord spells it, for instance "pt-BR".
type Code = string

// Locales that the rules mention.
const (
	EnglishUS    Code = "en-US"
	EnglishUK    Code = "en-GB"
	SpanishLatin Code = "es-419"
	Spanish      Code = "es-ES"
)

// codes holds every locale in ascending order.
var codes = [...]Code{
	"ar", "bg", "cs", "da", "de", "el", "en-GB", "en-US", "es-419", "es-ES", "fi", "fr", "he", "hi", "hr", "hu", "id", "it",
	"ja", "ko", "lt", "nl", "no", "pl", "pt-BR", "ro", "ru", "sv-SE", "th", "tr", "uk", "vi", "zh-CN", "zh-TW",
}

// known holds the same codes as a set. Every list request looks one up.
var known = func() map[Code]struct{} {
	set := make(map[Code]struct{}, len(codes))
	for _, c := range codes {
		set[c] = struct{}{}
	}
	return set
}()

// All returns every locale in ascending order.
func All() []Code { return slices.Clone(codes[:]) }

// Known reports whether c is a locale of the API. The spelling must match exactly.
func Known(c Code) bool {
	_, ok := known[c]
	return ok
}
