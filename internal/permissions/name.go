package permissions

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/bellhop/bellhop/internal/locale"
	"golang.org/x/text/cases"
	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"
)

// isDiacritic reports whether r is one of the marks that letters of alphabets carry. The marks of other scripts are vowels
// and tones: without them a word is another one.
func isDiacritic(r rune) bool { return r >= 0x0300 && r <= 0x036F }

// fold returns a text in the form in which names are compared: without case, diacritics and widths.
func fold(s string) string {
	if isPlain(s) {
		return s
	}
	t := transform.Chain(norm.NFKD, runes.Remove(runes.Predicate(isDiacritic)), cases.Fold())
	folded, _, err := transform.String(t, s)
	if err != nil {
		return strings.ToLower(s) // what cannot be transformed can still be compared
	}
	return folded
}

// isPlain reports whether folding changes nothing: most names are ASCII in lower case.
func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= utf8.RuneSelf || c >= 'A' && c <= 'Z' {
			return false
		}
	}
	return true
}

// name is what a command is called, folded.
type name struct {
	shown string // in the person's language
	plain string // by default; empty when that is the same
}

func nameIn(plain string, variants locale.Map, code locale.Code) name {
	n := name{shown: fold(plain)}
	if variant, ok := variants.For(code); ok && variant != plain {
		n.plain, n.shown = n.shown, fold(variant)
	}
	return n
}

// match says how well a query fits a name. Smaller fits better.
type match uint8

const (
	prefix match = iota
	wordPrefix
	anywhere
	none
)

// fits returns how well a folded query fits the name. The name that is shown counts a little more than the default.
func (n *name) fits(query string) match {
	best := 2 * matches(n.shown, query)
	if n.plain != "" {
		best = min(best, 2*matches(n.plain, query)+1)
	}
	return min(best, 2*none)
}

func matches(text, query string) match {
	found := none
	for at := 0; ; {
		i := strings.Index(text[at:], query)
		switch {
		case i < 0:
			return found
		case at+i == 0:
			return prefix
		case beginsWord(text, at+i):
			return wordPrefix
		}
		found = anywhere
		_, size := utf8.DecodeRuneInString(text[at+i:])
		at += i + size
	}
}

// beginsWord reports whether a word begins at i, which is not the beginning of the text.
func beginsWord(text string, i int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	return !unicode.IsLetter(before) && !unicode.IsNumber(before)
}
