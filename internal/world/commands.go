package world

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/goccy/go-yaml"
)

// Commands are the commands of an application: its global ones, or those in a guild.
type Commands struct {
	Application snowflake.Application `json:"application"`
	Guild       snowflake.Guild       `json:"guild,omitzero"` // 0: the global commands
	Definitions []Definition          `json:"definitions"`    // at most maxDefinitions
}

// Definition is an object in the JSON format of the API: a command, whose id is optional, or a part of a message.
type Definition struct{ jsontext.Value }

// maxDefinitions is the number of commands that a scope can have: 100 slash commands, 15 user commands, 15 message
// commands and an entry point.
const maxDefinitions = 131

// maxCommandPermissions is the number of permission overwrites that a command can have in a guild.
const maxCommandPermissions = 100

func (c *Commands) read(o *object) {
	c.Application = id[snowflake.Application](o, "application")
	c.Guild = id[snowflake.Guild](o, "guild")
	c.Definitions = definitions(o, "definitions", maxDefinitions)
}

func (c *Commands) complete(t *jsonbody.Tree) {
	required(t, "application", c.Application != 0)
	c.Definitions = slices.Clone(c.Definitions)
	everything := command.Env{
		Guild: c.Guild != 0, Supported: []command.IntegrationType{command.GuildInstall, command.UserInstall}, Embedded: true,
	}
	_, err := command.ParseList(c.JSON(), everything)
	Graft(t.At("definitions"), err)
}

// JSON returns the definitions as a JSON list.
func (c *Commands) JSON() []byte {
	list := []byte{'['}
	for i, d := range c.Definitions {
		if i > 0 {
			list = append(list, ',')
		}
		list = append(list, d.Value...)
	}
	return append(list, ']')
}

// Graft adds the findings of an error, which is a *jsonbody.Tree or nil, to a branch of a tree.
func Graft(t *jsonbody.Tree, err error) {
	found, ok := errors.AsType[*jsonbody.Tree](err)
	if !ok {
		return
	}
	found.Walk(func(path string, f jsonbody.Finding) {
		at := t
		for key := range strings.SplitSeq(path, ".") {
			if key != "" {
				at = at.At(key)
			}
		}
		at.Add(f.Code, f.Message)
	})
}

// CommandPermissions are the permission overwrites of a command in a guild.
type CommandPermissions struct {
	Application snowflake.Application `json:"application"`
	Guild       snowflake.Guild       `json:"guild"`
	Command     snowflake.Command     `json:"command"` // or the application's id: for all commands without a set
	Permissions []CommandPermission   `json:"permissions"`
}

// CommandPermission allows or denies a command for a role, a user or a channel.
type CommandPermission struct {
	ID         snowflake.Target     `json:"id"`
	Type       permission.EntryType `json:"type"`
	Permission bool                 `json:"permission"`
}

func (p *CommandPermissions) read(o *object) {
	p.Application = id[snowflake.Application](o, "application")
	p.Guild = id[snowflake.Guild](o, "guild")
	p.Command = id[snowflake.Command](o, "command")
	p.Permissions = list[CommandPermission](o, "permissions", maxCommandPermissions)
}

func (p *CommandPermissions) complete(t *jsonbody.Tree) {
	required(t, "application", p.Application != 0)
	required(t, "guild", p.Guild != 0)
	required(t, "command", p.Command != 0)
	completeAll(t.At("permissions"), &p.Permissions, maxCommandPermissions)
}

func (p *CommandPermission) read(o *object) {
	p.ID = id[snowflake.Target](o, "id")
	p.Type = permission.EntryType(o.int("type", int(permission.ForRole), int(permission.ForChannel)))
	p.Permission = o.bool("permission")
}

func (p *CommandPermission) complete(t *jsonbody.Tree) {
	required(t, "id", p.ID != 0)
	required(t, "type", p.Type != 0)
}

// appendValue appends a value as JSON.
func appendValue(b []byte, v jsonbody.Value) []byte {
	switch v.Kind() {
	case jsonbody.Object:
		b = append(b, '{')
		for i, m := range v.Members() {
			if i > 0 {
				b = append(b, ',')
			}
			b, _ = jsontext.AppendQuote(b, m.Name) // the file is UTF-8
			b = appendValue(append(b, ':'), m.Value)
		}
		return append(b, '}')
	case jsonbody.List:
		b = append(b, '[')
		for i, item := range v.Items() {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendValue(b, item)
		}
		return append(b, ']')
	case jsonbody.String:
		b, _ = jsontext.AppendQuote(b, v.Text()) // as above
		return b
	case jsonbody.Number:
		return append(b, v.Text()...)
	default: // true, false and null
		return append(b, v.String()...)
	}
}

// MarshalYAML returns the definition as a mapping, with its keys in their order.
func (d Definition) MarshalYAML() (any, error) {
	v, err := jsonbody.Parse(d.Value)
	if err != nil {
		return nil, err
	}
	return yamlValue(v), nil
}

// yamlValue returns a value for the YAML library.
func yamlValue(v jsonbody.Value) any {
	switch v.Kind() {
	case jsonbody.Object:
		m := yaml.MapSlice{}
		for _, member := range v.Members() {
			m = append(m, yaml.MapItem{Key: member.Name, Value: yamlValue(member.Value)})
		}
		return m
	case jsonbody.List:
		list := []any{}
		for _, item := range v.Items() {
			list = append(list, yamlValue(item))
		}
		return list
	case jsonbody.String:
		return v.Text()
	case jsonbody.Number:
		if n, err := strconv.ParseInt(v.Text(), 10, 64); err == nil {
			return n
		}
		n, _ := strconv.ParseFloat(v.Text(), 64) // a number of JSON
		return n
	case jsonbody.Bool:
		return v.String() == "true"
	default:
		return nil
	}
}
