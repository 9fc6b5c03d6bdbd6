package permissions

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/bellhop/bellhop/internal/rules/locale"
	"golang.org/x/text/cases"
	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"
)

// isDiacritic reports whether r is a diacritic of an alphabet. Combining marks of other scripts are vowels and tones;
// without them a word is a different word.
func isDiacritic(r rune) bool { return r >= 0x0300 && r <= 0x036F }

// fold returns a text without case, diacritics and widths, for comparison.
func fold(s string) string {
	if isPlain(s) {
		return s
	}
	t := transform.Chain(norm.NFKD, runes.Remove(runes.Predicate(isDiacritic)), cases.Fold())
	folded, _, err := transform.String(t, s)
	if err != nil {
		return strings.ToLower(s) // invalid text can still be compared
	}
	return folded
}

// isPlain reports whether fold changes nothing. Most names are lower-case ASCII.
func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= utf8.RuneSelf || c >= 'A' && c <= 'Z' {
			return false
		}
	}
	return true
}

// name is the name of a command, folded.
type name struct {
	localized string // in the user's language
	standard  string // the default name; empty when it is the same
}

func nameIn(standard string, localizations locale.Map, code locale.Code) name {
	n := name{localized: fold(standard)}
	if localized, ok := locale.Lookup(localizations, code); ok && localized != standard {
		n.standard, n.localized = n.localized, fold(localized)
	}
	return n
}

// match is the rank of a name for a query. A smaller one is better.
type match uint8

const (
	matchPrefix match = iota
	matchWord
	matchAnywhere
	noMatch
)

// match returns how well the name matches a folded query, in half steps: a match of the default name ranks below the
// same match of the localized name. Without a match it returns 2*noMatch.
func (n *name) match(query string) match {
	best := 2 * matchText(n.localized, query)
	if n.standard != "" {
		best = min(best, 2*matchText(n.standard, query)+1)
	}
	return min(best, 2*noMatch)
}

func matchText(text, query string) match {
	found := noMatch
	for at := 0; ; {
		i := strings.Index(text[at:], query)
		switch {
		case i < 0:
			return found
		case at+i == 0:
			return matchPrefix
		case beginsWord(text, at+i):
			return matchWord
		}
		found = matchAnywhere
		_, size := utf8.DecodeRuneInString(text[at+i:])
		at += i + size
	}
}

// beginsWord reports whether a word begins at i. i must not be 0.
func beginsWord(text string, i int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	return !unicode.IsLetter(before) && !unicode.IsNumber(before)
}
