package definitions

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/goccy/go-yaml"
)

// defaults maps the members of a definition to the values that a service shows for a member that was not given.
var defaults = map[string]string{
	"type": "1", "name_localizations": "null", "description_localizations": "null", "default_member_permissions": "null",
	"dm_permission": "true", "contexts": "null", "nsfw": "false", "required": "false", "autocomplete": "false", "description": `""`,
	"options": "[]", "choices": "[]", "channel_types": "[]", "default_permission": "null", "handler": "null",
}

// Format returns a file of the commands of a service. It omits members that have their default value. It
// keeps the ids, so that a command can be renamed in the file.
func Format(commands []Registered, asYAML bool) ([]byte, error) {
	text := []byte{'['}
	for i, c := range commands {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, c.Compact()...)
	}
	text = append(text, ']')
	if asYAML {
		return toYAML(text)
	}
	var value jsontext.Value = text
	if err := value.Indent(jsontext.WithIndent("  ")); err != nil {
		return nil, fmt.Errorf("a command of the service: %w", err)
	}
	return append(value, '\n'), nil
}

// Compact returns the definition of a command, without the members that have their default value.
func (r Registered) Compact() jsontext.Value { return withoutDefaults(asDefinition(r.Raw), true) }

// withoutDefaults returns an object without the members that have their default value. The type of an option has no
// default.
func withoutDefaults(raw jsontext.Value, isCommand bool) jsontext.Value {
	var kept []rawMember
	for _, m := range membersExcept(raw) {
		value, known := defaults[m.name]
		if known && string(m.value) == value && (isCommand || m.name != "type") {
			continue
		}
		if m.name == "options" || m.name == "choices" {
			m.value = itemsWithoutDefaults(m.value)
		}
		kept = append(kept, m)
	}
	return rawObject(kept)
}

func itemsWithoutDefaults(raw jsontext.Value) jsontext.Value {
	d := jsontext.NewDecoder(bytes.NewReader(raw))
	if token, err := d.ReadToken(); err != nil || token.Kind() != jsontext.KindBeginArray {
		return raw
	}
	list := []byte{'['}
	for d.PeekKind() == jsontext.KindBeginObject {
		item, err := d.ReadValue()
		if err != nil {
			return raw
		}
		if len(list) > 1 {
			list = append(list, ',')
		}
		list = append(list, withoutDefaults(item.Clone(), false)...)
	}
	return append(list, ']')
}

func toYAML(text []byte) ([]byte, error) {
	if string(text) == "[]" {
		return []byte("[]\n"), nil
	}
	return yaml.JSONToYAML(text)
}
