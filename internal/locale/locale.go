// Package locale knows the languages of the interface: their codes, which one a request asks for, and which one stands
// in for another. It performs no I/O.
package locale

import "slices"

// Code names a language the way the interface spells it.
type Code string

// The languages that are named in rules.
const (
	EnglishUS    Code = "en-US"
	EnglishUK    Code = "en-GB"
	SpanishLatin Code = "es-419"
	Spanish      Code = "es-ES"
)

// codes holds every language in ascending order.
var codes = [...]Code{
	"ar", "bg", "cs", "da", "de", "el", "en-GB", "en-US", "es-419", "es-ES", "fi", "fr", "he", "hi", "hr", "hu", "id", "it",
	"ja", "ko", "lt", "nl", "no", "pl", "pt-BR", "ro", "ru", "sv-SE", "th", "tr", "uk", "vi", "zh-CN", "zh-TW",
}

// known holds the same codes for looking one up: list requests ask for one each.
var known = func() map[Code]struct{} {
	set := make(map[Code]struct{}, len(codes))
	for _, c := range codes {
		set[c] = struct{}{}
	}
	return set
}()

// All returns the codes of every language in ascending order.
func All() []Code { return slices.Clone(codes[:]) }

// Known reports whether c is the code of a language, in exactly this spelling.
func Known(c Code) bool {
	_, ok := known[c]
	return ok
}
