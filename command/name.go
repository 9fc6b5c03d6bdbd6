package command

import "unicode"

// nameFault is the rule that the characters of a name break.
type nameFault uint8

const (
	noFault      nameFault = iota
	upperCase              // a letter has a lower-case variant, which must be used
	badCharacter           // a character is outside of the naming pattern
)

// checkName checks the characters of a CHAT_INPUT or option name, not its length. Allowed are hyphens, underscores,
// apostrophes, letters, numbers, and the scripts Devanagari and Thai, whose vowel signs are not letters. If both
// rules are broken, it returns badCharacter.
func checkName(name string) nameFault {
	fault := noFault
	for _, r := range name {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9', r == '-', r == '_', r == '\'':
		case !unicode.In(r, unicode.L, unicode.N, unicode.Devanagari, unicode.Thai):
			return badCharacter
		case unicode.ToLower(r) != r:
			fault = upperCase
		}
	}
	return fault
}
