package locale

import "strings"

// Choose returns the locale of a request. It takes the first known locale of: the header X-Service-Locale, the header
// X-Discord-Locale, the best match of Accept-Language, the user's settings. Case does not matter in the headers. If none
// is known, it returns en-US.
func Choose(serviceHeader, discordHeader, acceptLanguage string, settings Code) Code {
	if c := named(serviceHeader); c != "" {
		return c
	}
	if c := named(discordHeader); c != "" {
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

// named returns the locale that a header names, in any case, or "".
func named(header string) Code {
	switch {
	case Known(header): // most clients spell the locale as Discord does
		return header
	case len(header) > maxTagLen:
		return ""
	}
	return spelled[strings.ToLower(header)]
}

// Limits for reading an Accept-Language header. Browsers send a few short tags; the rest of a longer header is ignored.
const (
	maxTags   = 64
	maxTagLen = 35 // the longest language tag without extensions
)

// accepted returns the known locale with the largest weight, or "". Between equal weights the first wins.
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

// weight reads "q=0.8" in thousandths. An invalid weight is 0, which excludes the language.
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

// spelled maps the lower-case spelling of a locale to the locale.
var spelled = func() map[string]Code {
	m := make(map[string]Code, len(codes))
	for _, c := range codes {
		m[strings.ToLower(c)] = c
	}
	return m
}()

// primary maps a language without a region to a locale, for languages that are not locales themselves.
var primary = map[string]Code{
	"en": EnglishUS, "es": Spanish, "pt": "pt-BR", "sv": "sv-SE", "zh": "zh-CN", "nb": "no", "nn": "no",
}

// match returns the locale for a language tag, ignoring case, or "". It drops subtags from the end until a locale matches, and
// then falls back to the primary locale of the language.
func match(tag string) Code {
	if tag == "" || len(tag) > maxTagLen {
		return ""
	}
	tag = strings.ToLower(tag)
	language := tag
	for {
		if c, ok := spelled[language]; ok {
			return c
		}
		i := strings.LastIndexByte(language, '-')
		if i < 0 {
			break
		}
		language = language[:i]
	}
	rest := tag[len(language):]
	switch {
	case language == "zh" && traditional(rest):
		return "zh-TW"
	case language == "es" && latinAmerican(rest):
		return SpanishLatin
	}
	return primary[language]
}

// traditional reports whether the subtags after zh mean the traditional script. The first script or region decides.
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

// latinAmerican reports whether the subtags after es name a region that uses Latin American Spanish.
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
