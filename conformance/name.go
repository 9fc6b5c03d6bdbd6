package conformance

import (
	"maps"
	"unicode/utf8"
)

const secNaming = "Command naming"

// named returns a definition with a name that ends in something.
func named(rest string, more ...obj) func(*probe) obj {
	return func(p *probe) obj {
		d := obj{"name": p.name(rest)}
		for _, m := range more {
			maps.Copy(d, m)
		}
		return d
	}
}

// long returns a definition whose name has n characters.
func long(n int, letter string, more ...obj) func(*probe) obj {
	return func(p *probe) obj {
		name := p.Prefix
		for utf8.RuneCountInString(name) < n {
			name += letter
		}
		d := obj{"name": name}
		for _, m := range more {
			maps.Copy(d, m)
		}
		return d
	}
}

// nameChecks are about the names of commands.
func nameChecks() []Check {
	return []Check{
		acceptsBy("NAM-01", secNaming, 51, "A name has up to 32 characters.", long(32, "x")),
		refusesBy("NAM-02", secNaming, 51, "A name has no more than 32 characters.", long(33, "x")),
		acceptsBy("NAM-03", secNaming, 51, "Names are counted in characters, not in bytes.", long(32, "ß")),
		refuses("NAM-04", secObject, 25, "A name is not empty.", obj{"name": ""}),
		refuses("NAM-05", secObject, 25, "A command has a name.", obj{"name": absent}),
		refusesBy("NAM-06", secNaming, 51, "CHAT_INPUT names are lowercase where a lowercase exists.", named("Upper")),
		refusesBy("NAM-07", secNaming, 51, "That holds in every script.", named("Ü")),
		refusesBy("NAM-08", secNaming, 51, "CHAT_INPUT names have no blanks.", named("two words")),
		refusesBy("NAM-09", secNaming, 51, "CHAT_INPUT names have no punctuation beyond three signs.", named("what!")),
		refusesBy("NAM-10", secNaming, 51, "CHAT_INPUT names have no emoji.", named("🎲")),
		acceptsBy("NAM-11", secNaming, 51, "Hyphen, underscore, apostrophe and digits are part of names.", named("it's_a-1")),
		acceptsBy("NAM-12", secNaming, 51, "Characters without a case are part of names.", named("日本語")),
		acceptsBy("NAM-13", secNaming, 51, "Devanagari is part of names, with its vowel signs.", named("नमस्ते")),
		acceptsBy("NAM-14", secNaming, 51, "Thai is part of names, with its vowel signs.", named("ชื่อ")),
		acceptsBy("NAM-15", secNaming, 52, "USER names may be mixed case and have blanks.", named("Show Card", obj{"type": 2})),
		acceptsBy("NAM-16", secNaming, 52, "MESSAGE names may be mixed case and have blanks.", named("Translate This", obj{"type": 3})),
		refusesBy("NAM-17", secNaming, 53, "USER commands are created without a description.", named("Card", obj{"type": 2, "description": "A card"})),
		refusesBy("NAM-18", secNaming, 53, "MESSAGE commands are created without a description.", named("This", obj{"type": 3, "description": "A text"})),
		refusesBy("NAM-19", secObject, 25, "Names of USER commands have no more than 32 characters.", long(33, "X", obj{"type": 2})),
		refuses("NAM-20", secObject, 26, "Localized names obey the rules of names.", obj{"name_localizations": obj{"de": "Groß"}}),
		refuses("NAM-21", secObject, 26, "Localized names have no more than 32 characters.", obj{"name_localizations": obj{"de": repeat(33)}}),
	}
}
