package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/bellhop/bellhop/internal/tools/terminal"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/goccy/go-yaml"
)

type commandsPull struct {
	commandsScope `embed:""`

	File   string `arg:"" optional:"" type:"path" help:"The file to write. The extensions .yaml and .yml select YAML. Without a file, the commands are printed as JSON."`
	Format string `enum:"json,yaml," default:"" help:"json or yaml; overrides the extension of the file."`
}

// Run writes the commands of the service.
func (o commandsPull) Run(ctx context.Context, s streams) error {
	c, scope, err := o.open()
	if err != nil {
		return err
	}
	have, err := registered(ctx, c, scope)
	if err != nil {
		return err
	}
	asYAML := strings.HasSuffix(o.File, ".yaml") || strings.HasSuffix(o.File, ".yml")
	if o.Format != "" {
		asYAML = o.Format == "yaml"
	}
	text, err := formatDefinitions(have, asYAML)
	if err != nil {
		return err
	}
	if o.File == "" {
		_, err = s.out.Write(text)
		return err
	}
	if err := writeFile(o.File, text); err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.out, "%s: %s\n", shownPath(o.File), terminal.Plural(len(have), "command"))
	return err
}

// writeFile replaces a file. Its mode follows the umask.
func writeFile(name string, text []byte) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

// defaults maps the members of a definition to the values that a service shows for a member that was not given.
var defaults = map[string]string{
	"type": "1", "name_localizations": "null", "description_localizations": "null", "default_member_permissions": "null",
	"dm_permission": "true", "contexts": "null", "nsfw": "false", "required": "false", "autocomplete": "false", "description": `""`,
	"options": "[]", "choices": "[]", "channel_types": "[]", "default_permission": "null", "handler": "null",
}

// formatDefinitions returns a file of the commands of a service. It omits members that have their default value. It
// keeps the ids, so that a command can be renamed in the file.
func formatDefinitions(commands []registeredCommand, asYAML bool) ([]byte, error) {
	text := []byte{'['}
	for i, c := range commands {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, withoutDefaults(asDefinition(c.raw), true)...)
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
