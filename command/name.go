package command

import "unicode"

// spelling is how a name stands to the rules of naming.
type spelling uint8

const (
	wellSpelled spelling = iota
	upperCase            // has a letter whose lower-case variant must be used
	foreign              // has a character outside of the pattern
)

// spell judges the characters of a CHAT_INPUT or option name, not its length: hyphen, underscore, apostrophe, letters,
// numbers, and the scripts whose vowel signs are no letters. Of the two faults it reports the graver.
func spell(name string) spelling {
	s := wellSpelled
	for _, r := range name {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9', r == '-', r == '_', r == '\'':
		case !unicode.In(r, unicode.L, unicode.N, unicode.Devanagari, unicode.Thai):
			return foreign
		case unicode.ToLower(r) != r:
			s = upperCase
		}
	}
	return s
}
