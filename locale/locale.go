// Package locale knows the languages of the interface: their codes, which one a request asks for, and which one stands
// in for another. It performs no I/O.
package locale

// Code names a language the way the interface spells it.
type Code string

// The languages that are named in rules.
const (
	EnglishUS    Code = "en-US"
	EnglishUK    Code = "en-GB"
	SpanishLatin Code = "es-419"
	Spanish      Code = "es-ES"
)
