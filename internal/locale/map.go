package locale

// Map holds the variants of one text by language.
type Map map[Code]string

// For returns the variant for a language: its own, else that of the one language that stands in for it. Without either
// the default text is shown.
func (m Map) For(c Code) (string, bool) {
	if len(m) == 0 {
		return "", false
	}
	if text, ok := m[c]; ok {
		return text, true
	}
	text, ok := m[fallback(c)]
	return text, ok
}

// fallback returns the language that stands in for c, or "". It is asked once: a stand-in has no stand-in.
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
