package locale

// Map holds the translations of one text by locale.
type Map = map[Code]string

// Lookup returns the translation of a text for a locale. If m has none, it tries the one fallback locale that the
// specification names for c.
func Lookup(m Map, c Code) (string, bool) {
	if len(m) == 0 {
		return "", false
	}
	if text, ok := m[c]; ok {
		return text, true
	}
	text, ok := m[fallback(c)]
	return text, ok
}

// AlsoSeenIn returns the locale that shows the translation of m for c because it has none of its own, or "".
func AlsoSeenIn(m Map, c Code) Code {
	for _, other := range [...]Code{EnglishUS, EnglishUK, SpanishLatin} {
		if _, own := m[other]; fallback(other) == c && !own {
			return other
		}
	}
	return ""
}

// fallback returns the locale to try when a text has no translation for c, or "". Fallbacks do not chain.
func fallback(c Code) Code {
	switch c {
	case EnglishUS:
		return EnglishUK
	case EnglishUK:
		return EnglishUS
	case SpanishLatin:
		return Spanish
	default:
		return ""
	}
}
