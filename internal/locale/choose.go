package locale

import (
	"bytes"
	"strings"
)

// Choose returns the language of a request: what the header X-Service-Locale names, else X-Discord-Locale, else the best
// of Accept-Language, else the language of the user's settings, else American English. A header that names no known
// language counts as absent.
func Choose(serviceHeader, discordHeader, acceptLanguage string, settings Code) Code {
	if c := Code(serviceHeader); Known(c) {
		return c
	}
	if c := Code(discordHeader); Known(c) {
		return c
	}
	if c := accepted(acceptLanguage); c != "" {
		return c
	}
	if Known(settings) {
		return settings
	}
	return EnglishUS
}

// What is read of an Accept-Language header. Browsers send a handful of short tags; a longer header is not worth reading
// to its end.
const (
	maxTags   = 64
	maxTagLen = 35 // of a language tag without extensions
)

// accepted returns the known language with the largest weight, the first of equals, or "".
func accepted(header string) Code {
	var best Code
	most := 0
	for range maxTags {
		if header == "" || most == fullWeight {
			break
		}
		var entry string
		entry, header, _ = strings.Cut(header, ",")
		tag, param, weighted := strings.Cut(entry, ";")
		q := fullWeight
		if weighted {
			q = weight(param)
		}
		if q <= most {
			continue
		}
		if c := match(strings.TrimSpace(tag)); c != "" {
			best, most = c, q
		}
	}
	return best
}

// fullWeight is the weight 1, in thousandths.
const fullWeight = 1000

// weight reads "q=0.8" in thousandths. What is no weight gives 0, which leaves the language out.
func weight(param string) int {
	name, value, _ := strings.Cut(param, "=")
	value = strings.TrimSpace(value)
	if !strings.EqualFold(strings.TrimSpace(name), "q") || value == "" || len(value) > len("0.000") {
		return 0
	}
	if value[0] != '0' && value[0] != '1' || len(value) > 1 && value[1] != '.' {
		return 0
	}
	q, unit := int(value[0]-'0')*fullWeight, fullWeight/10
	for i := 2; i < len(value); i, unit = i+1, unit/10 {
		if value[i] < '0' || value[i] > '9' {
			return 0
		}
		q += int(value[i]-'0') * unit
	}
	if q > fullWeight {
		return 0
	}
	return q
}

// spelled finds a code by its lower-case spelling.
var spelled = func() map[string]Code {
	m := make(map[string]Code, len(codes))
	for _, c := range codes {
		m[strings.ToLower(string(c))] = c
	}
	return m
}()

// primary says which code a language has whose own tag is none.
var primary = map[string]Code{
	"en": EnglishUS, "es": Spanish, "pt": "pt-BR", "sv": "sv-SE", "zh": "zh-CN", "nb": "no", "nn": "no",
}

// match returns the code for a language tag in any case, or "".
func match(tag string) Code {
	if tag == "" || len(tag) > maxTagLen {
		return ""
	}
	var lower [maxTagLen]byte
	for i := range len(tag) {
		lower[i] = tag[i]
		if 'A' <= tag[i] && tag[i] <= 'Z' {
			lower[i] += 'a' - 'A'
		}
	}
	return lookup(lower[:len(tag)])
}

// lookup returns the code for a tag in lower case: the one that is spelled so, with as many of its subtags as there is a
// code for, else the one of its language.
func lookup(tag []byte) Code {
	language := tag
	for {
		if c, ok := spelled[string(language)]; ok {
			return c
		}
		i := bytes.LastIndexByte(language, '-')
		if i < 0 {
			break
		}
		language = language[:i]
	}
	rest := string(tag[len(language):])
	switch {
	case string(language) == "zh" && traditional(rest):
		return "zh-TW"
	case string(language) == "es" && latinAmerican(rest):
		return SpanishLatin
	}
	return primary[string(language)]
}

// traditional reports whether the subtags after zh stand for the traditional script; a script outweighs a region.
func traditional(rest string) bool {
	for rest != "" {
		var tag string
		tag, rest, _ = strings.Cut(rest, "-")
		switch tag {
		case "hans":
			return false
		case "hant", "tw", "hk", "mo":
			return true
		}
	}
	return false
}

// latinAmerican reports whether the subtags after es name a region whose Spanish is Latin American.
func latinAmerican(rest string) bool {
	for rest != "" {
		var tag string
		tag, rest, _ = strings.Cut(rest, "-")
		switch tag {
		case "419", "ar", "bo", "br", "bz", "cl", "co", "cr", "cu", "do", "ec", "gt", "hn", "mx", "ni", "pa", "pe", "pr",
			"py", "sv", "us", "uy", "ve":
			return true
		}
	}
	return false
}
