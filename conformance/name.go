package conformance

import (
	"maps"
	"unicode/utf8"
)

const secNaming = "Command naming"

// named returns a definition whose name is the run's prefix and rest.
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

// nameChecks returns the checks of command names.
func nameChecks() []Check {
	return []Check{
		acceptsBy("NAM-01", secNaming, 51, "A command name can have 32 characters.", long(32, "x")),
		refusesBy("NAM-02", secNaming, 51, "A command name cannot have more than 32 characters.", long(33, "x")),
		acceptsBy("NAM-03", secNaming, 51, "The length of a name is counted in characters, not in bytes.", long(32, "ß")),
		refuses("NAM-04", secObject, 25, "A command name cannot be empty.", obj{"name": ""}),
		refuses("NAM-05", secObject, 25, "A command must have a name.", obj{"name": absent}),
		refusesBy("NAM-06", secNaming, 51, "A CHAT_INPUT name must use lowercase letters.", named("Upper")),
		refusesBy("NAM-07", secNaming, 51, "A CHAT_INPUT name must use the lowercase form of letters outside ASCII too.", named("Ü")),
		refusesBy("NAM-08", secNaming, 51, "A CHAT_INPUT name cannot contain spaces.", named("two words")),
		refusesBy("NAM-09", secNaming, 51, "A CHAT_INPUT name can contain no punctuation except hyphen, underscore and apostrophe.", named("what!")),
		refusesBy("NAM-10", secNaming, 51, "A CHAT_INPUT name cannot contain emoji.", named("🎲")),
		acceptsBy("NAM-11", secNaming, 51, "A CHAT_INPUT name can contain hyphens, underscores, apostrophes and digits.", named("it's_a-1")),
		acceptsBy("NAM-12", secNaming, 51, "A CHAT_INPUT name can contain letters without case.", named("日本語")),
		acceptsBy("NAM-13", secNaming, 51, "A CHAT_INPUT name can contain Devanagari letters and vowel signs.", named("नमस्ते")),
		acceptsBy("NAM-14", secNaming, 51, "A CHAT_INPUT name can contain Thai letters and vowel signs.", named("ชื่อ")),
		acceptsBy("NAM-15", secNaming, 52, "A USER name can contain uppercase letters and spaces.", named("Show Card", obj{"type": 2})),
		acceptsBy("NAM-16", secNaming, 52, "A MESSAGE name can contain uppercase letters and spaces.", named("Translate This", obj{"type": 3})),
		refusesBy("NAM-17", secNaming, 53, "A USER command cannot be created with a description.", named("Card", obj{"type": 2, "description": "A card"})),
		refusesBy("NAM-18", secNaming, 53, "A MESSAGE command cannot be created with a description.", named("This", obj{"type": 3, "description": "A text"})),
		refusesBy("NAM-19", secObject, 25, "A USER name cannot have more than 32 characters.", long(33, "X", obj{"type": 2})),
		refuses("NAM-20", secObject, 26, "A localized name follows the same rules as the name.", obj{"name_localizations": obj{"de": "Groß"}}),
		refuses("NAM-21", secObject, 26, "A localized name cannot have more than 32 characters.", obj{"name_localizations": obj{"de": repeat(33)}}),
	}
}
