package commandfile

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/goccy/go-yaml"
)

// Format is how a file is written.
type Format uint8

// The formats.
const (
	JSON Format = iota
	YAML
)

// FormatOf returns the format that a file's name asks for.
func FormatOf(name string) Format {
	if strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml") {
		return YAML
	}
	return JSON
}

// byDefault is what a definition means when it leaves a member out, as a service shows it.
var byDefault = map[string]string{
	"type": "1", "name_localizations": "null", "description_localizations": "null", "default_member_permissions": "null",
	"dm_permission": "true", "contexts": "null", "nsfw": "false", "required": "false", "autocomplete": "false", "description": `""`,
	"options": "[]", "choices": "[]", "channel_types": "[]", "default_permission": "null",
}

// Write returns a file of the commands that a service has: what is said by default left out, ids kept, so that a command
// can be renamed in the file.
func Write(commands []Registered, format Format) ([]byte, error) {
	list := make([]jsontext.Value, len(commands))
	for i, c := range commands {
		list[i] = lean(resend(c.Raw), true)
	}
	text := []byte{'['}
	for i, c := range list {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, c...)
	}
	text = append(text, ']')
	if format == YAML {
		return toYAML(text)
	}
	var value jsontext.Value = text
	if err := value.Indent(jsontext.WithIndent("  ")); err != nil {
		return nil, fmt.Errorf("a command of the service: %w", err)
	}
	return append(value, '\n'), nil
}

// lean returns an object without the members that say what is meant anyway. The type of an option has no default.
func lean(raw jsontext.Value, outermost bool) jsontext.Value {
	var kept []member
	for _, m := range membersOf(raw) {
		otherwise, known := byDefault[m.name]
		if known && string(m.value) == otherwise && (outermost || m.name != "type") {
			continue
		}
		if m.name == "options" || m.name == "choices" {
			m.value = leanList(m.value)
		}
		kept = append(kept, m)
	}
	return object(kept)
}

func leanList(raw jsontext.Value) jsontext.Value {
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
		list = append(list, lean(item.Clone(), false)...)
	}
	return append(list, ']')
}

func toYAML(text []byte) ([]byte, error) {
	if string(text) == "[]" {
		return []byte("[]\n"), nil
	}
	return yaml.JSONToYAML(text)
}
