package dev

import (
	"strconv"
	"strings"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
)

// Match returns the options of an invocation with their default names, and with the types of the definition. path
// contains the names of the group and the subcommand, focus the option to get suggestions for; both may be empty. The
// service checks for missing options and bounds. names finds users, roles and channels by name; nil: they need an id.
// The error is a *LineError, or an error of names.
func Match(d command.Definition, path []string, given []GivenOption, focus string, names Names) (jsonbody.Value, error) {
	m := matcher{command: d.Name, focus: focus, names: names}
	return m.branch(d.Options, path, given)
}

// Names returns the id of what a name stands for in an option, or "" if the name is unknown.
type Names func(o *command.Option, name string) (id string, err error)

// matcher converts given options by a definition.
type matcher struct {
	command string
	focus   string
	names   Names
}

// branch returns the options below a path of group and subcommand.
func (m *matcher) branch(options []command.Option, path []string, given []GivenOption) (jsonbody.Value, error) {
	if len(path) == 0 {
		return m.values(options, given)
	}
	o := findOption(options, path[0])
	if o == nil || !o.Type.Nests() {
		return jsonbody.Value{}, lineError("/%s has no subcommand %q%s", m.command, path[0], suggestion(path[0], optionNames(options, true)))
	}
	m.command += " " + o.Name
	inner, err := m.branch(o.Options, path[1:], given)
	if err != nil {
		return jsonbody.Value{}, err
	}
	return jsonbody.ListOf(nested(o, inner)), nil
}

// nested returns a group or a subcommand with the options in it.
func nested(o *command.Option, inner jsonbody.Value) jsonbody.Value {
	return jsonbody.ObjectOf(
		jsonbody.Member{Name: "type", Value: literal(strconv.Itoa(int(o.Type)))},
		jsonbody.Member{Name: "name", Value: jsonbody.StringOf(o.Name)},
		jsonbody.Member{Name: "options", Value: inner},
	)
}

// values returns the options of the command or the subcommand.
func (m *matcher) values(options []command.Option, given []GivenOption) (jsonbody.Value, error) {
	list := make([]jsonbody.Value, 0, len(given)+1)
	seen := map[string]bool{}
	for i := range given {
		g := &given[i]
		o := findOption(options, g.Name)
		if o == nil && g.Typed {
			return jsonbody.Value{}, lineError("/%s has no option %q%s", m.command, g.Name, suggestion(g.Name, optionNames(options, false)))
		}
		if o != nil && g.Typed && seen[o.Name] {
			return jsonbody.Value{}, lineError("option %q stands twice", o.Name)
		}
		v, err := m.option(o, g)
		if err != nil {
			return jsonbody.Value{}, err
		}
		if o != nil {
			seen[o.Name] = true
		}
		list = append(list, v)
	}
	if o := findOption(options, m.focus); m.focus != "" && o != nil && !seen[o.Name] {
		v, err := m.option(o, &GivenOption{Name: o.Name, Value: jsonbody.StringOf("")})
		if err != nil {
			return jsonbody.Value{}, err
		}
		list = append(list, v)
	}
	return jsonbody.ListOf(list...), nil
}

// option returns one option of the invocation. An option that the definition does not have is sent unchanged.
func (m *matcher) option(o *command.Option, g *GivenOption) (jsonbody.Value, error) {
	if o == nil {
		o = &command.Option{Name: g.Name, Type: typeOf(g.Value)}
	}
	if len(g.Options) > 0 || o.Type.Nests() {
		inner, err := m.values(o.Options, g.Options)
		return nested(o, inner), err
	}
	members := []jsonbody.Member{
		{Name: "type", Value: literal(strconv.Itoa(int(o.Type)))},
		{Name: "name", Value: jsonbody.StringOf(o.Name)},
	}
	focused := m.focus != "" && findOption([]command.Option{*o}, m.focus) != nil
	value := g.Value
	switch {
	case focused:
		value = jsonbody.StringOf(value.Text()) // numbers too are text while the user types
	case g.Typed:
		var err error
		if value, err = m.convert(o, value.Text()); err != nil {
			return jsonbody.Value{}, err
		}
	}
	if value.Kind() != jsonbody.Absent {
		members = append(members, jsonbody.Member{Name: "value", Value: value})
	}
	if focused {
		members = append(members, jsonbody.Member{Name: "focused", Value: literal("true")})
	}
	return jsonbody.ObjectOf(members...), nil
}

// typeOf returns the option type that fits a value.
func typeOf(v jsonbody.Value) command.OptionType {
	switch {
	case v.Kind() == jsonbody.Bool:
		return command.Boolean
	case jsonbody.IsInteger(v):
		return command.Integer
	case v.Kind() == jsonbody.Number:
		return command.Number
	}
	return command.String
}

// convert returns the value of an option for a text.
func (m *matcher) convert(o *command.Option, text string) (jsonbody.Value, error) {
	if v, ok := choice(o, text); ok {
		return v, nil
	}
	switch o.Type {
	case command.Integer, command.Number:
		if v, err := jsonbody.Parse([]byte(text)); err == nil && v.Kind() == jsonbody.Number {
			return v, nil
		}
		return jsonbody.Value{}, lineError("option %q takes a number such as 6 or -0.5, not %q", o.Name, text)
	case command.Boolean:
		switch strings.ToLower(text) {
		case "true", "yes", "1":
			return literal("true"), nil
		case "false", "no", "0":
			return literal("false"), nil
		}
		return jsonbody.Value{}, lineError("option %q takes true or false, not %q", o.Name, text)
	case command.OptionUser:
		return m.mentioned(o, text, "a user: a username, <@ID> or an id", "@!", "@", "")
	case command.Channel:
		return m.mentioned(o, text, "a channel: a name, <#ID> or an id", "#", "")
	case command.Role:
		return m.mentioned(o, text, "a role: a name, <@&ID> or an id", "@&", "")
	case command.Mentionable:
		return m.mentioned(o, text, "a user or a role: a name, <@ID>, <@&ID> or an id", "@!", "@&", "@", "")
	case command.Attachment:
		if _, ok := mention(text, ""); !ok {
			return jsonbody.Value{}, lineError("option %q takes a file: send it as files[0] of a form and write %s:0", o.Name, o.Name)
		}
	case command.String, command.SubCommand, command.SubCommandGroup:
	}
	return jsonbody.StringOf(text), nil
}

// choice returns the value of the choice with a name, in any language.
func choice(o *command.Option, text string) (jsonbody.Value, bool) {
	for i := range o.Choices {
		c := &o.Choices[i]
		if c.Name != text && !hasLocalization(c.NameLocalizations, text) {
			continue
		}
		if s, ok := c.Value.Text(); ok {
			return jsonbody.StringOf(s), true
		}
		if f, ok := c.Value.Number(); ok {
			return literal(strconv.FormatFloat(f, 'f', -1, 64)), true
		}
	}
	return jsonbody.Value{}, false
}

// mentioned returns the id in a mention or of a name, or an error that says what the option takes.
func (m *matcher) mentioned(o *command.Option, text, what string, marks ...string) (jsonbody.Value, error) {
	id, ok := mention(text, marks...)
	if !ok && m.names != nil {
		var err error
		if id, err = m.names(o, text); err != nil {
			return jsonbody.Value{}, err
		}
		ok = id != ""
	}
	if !ok {
		return jsonbody.Value{}, lineError("option %q takes %s, not %q", o.Name, what, text)
	}
	return jsonbody.StringOf(id), nil
}

// mention returns the id in a mention with one of the marks, such as "@" for <@ID>. The mark "" accepts an id alone.
func mention(text string, marks ...string) (id string, ok bool) {
	for _, mark := range marks {
		id = text
		if mark != "" {
			if id, ok = strings.CutPrefix(id, "<"+mark); !ok {
				continue
			}
			if id, ok = strings.CutSuffix(id, ">"); !ok {
				continue
			}
		}
		if id != "" && len(id) <= 20 && strings.Trim(id, "0123456789") == "" {
			return id, true
		}
	}
	return "", false
}

// optionNames returns the names of the options that nest other options, or of those that do not.
func optionNames(options []command.Option, nesting bool) []string {
	var list []string
	for i := range options {
		if options[i].Type.Nests() == nesting {
			list = append(list, options[i].Name)
		}
	}
	return list
}

// literal parses a JSON text that is known to be valid.
func literal(text string) jsonbody.Value {
	v, err := jsonbody.Parse([]byte(text))
	if err != nil {
		panic(err)
	}
	return v
}
