package interaction

import (
	"slices"
	"strconv"
	"strings"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/snowflake"
)

// Option is an option of an interaction, with its default name.
type Option struct {
	Type    command.OptionType
	Name    string
	Value   jsonbody.Value // a string, a number or a boolean; absent for subcommands and groups
	Focused bool           // the user is typing it
	Options []Option
}

// MatchedCommand is the use of a command whose options fit the definition. Check checks the ids among their values.
type MatchedCommand struct {
	References
	Options []Option
	// Path is the names of the command, its group and its subcommand, separated by blanks.
	Path string
	// Focus is the type of the focused option of an autocomplete request.
	Focus command.OptionType
	// Attachments are the files of attachment options.
	Attachments []wire.Attachment
}

// MatchOptions checks an invocation against the definition of its command. In an autocomplete request it checks the
// names of options and the kinds of their values, but not the limits of the options. The focused option can have any text. The error is a *jsonbody.Tree.
func MatchOptions(d command.Definition, in Invoke, files []message.File) (MatchedCommand, error) {
	m := matcher{in: &in, files: files, strict: in.Type == ApplicationCommand}
	m.out.Path = d.Name
	m.out.References = References{soft: !m.strict, code: OptionInvalid}
	switch in.Command.Type {
	case command.User:
		m.out.code = CommandInvalid
		m.out.user(in.Command.TargetUser)
	case command.Message:
		m.out.code = CommandInvalid
		m.out.message = in.Command.TargetMessage
	default: // no target
	}
	m.out.Options = m.level(d.Options, in.Command.Options)
	if m.noSubcommand {
		return MatchedCommand{}, Refuse(CommandInvalid)
	}
	if !m.strict && m.focused != 1 {
		m.invalid("Exactly one option with autocomplete must be focused")
	}
	if err := m.tree.Err(); err != nil {
		return MatchedCommand{}, err
	}
	return m.out, nil
}

// matcher compares the options of a request with a definition.
type matcher struct {
	in           *Invoke
	files        []message.File
	strict       bool // check values and required options; false for autocomplete
	tree         jsonbody.Tree
	out          MatchedCommand
	noSubcommand bool // the command has subcommands and the request does not name exactly one
	focused      int
}

func (m *matcher) invalid(message string) {
	m.tree.At("data").At("options").Add(OptionInvalid, message)
}

func (m *matcher) invalidValue(name string) {
	m.invalid("Invalid value for option " + strconv.Quote(name))
}

func (m *matcher) level(declared []command.Option, given jsonbody.Value) []Option {
	if given.IsSet() && given.Kind() != jsonbody.List {
		m.invalid("Options must be a list")
		return nil
	}
	if slices.ContainsFunc(declared, func(o command.Option) bool { return o.Type.Nests() }) {
		return m.branch(declared, given.Items())
	}
	return m.leaves(declared, given.Items())
}

// branch reads the one subcommand or group of the request.
func (m *matcher) branch(declared []command.Option, items []jsonbody.Value) []Option {
	if len(items) != 1 {
		m.noSubcommand = true
		return nil
	}
	i := declaration(declared, items[0])
	if i < 0 || items[0].Get("value").IsSet() {
		m.invalid("Unknown subcommand")
		return nil
	}
	o := &declared[i]
	m.out.Path = strings.Join([]string{m.out.Path, o.Name}, " ")
	return []Option{{Type: o.Type, Name: o.Name, Options: m.level(o.Options, items[0].Get("options"))}}
}

// leaves reads options with values. It reports missing options before invalid ones.
func (m *matcher) leaves(declared []command.Option, items []jsonbody.Value) []Option {
	if len(items) > len(declared) {
		m.invalid("The request has more options than the command")
		return nil
	}
	seen := make([]bool, len(declared))
	indexes := make([]int, len(items)) // of the declared option, or -1
	for n, item := range items {
		i := declaration(declared, item)
		if i >= 0 && (seen[i] || len(item.Get("options").Items()) > 0) {
			i = -1
		}
		if indexes[n] = i; i >= 0 {
			seen[i] = true
		}
	}
	m.missing(declared, seen)
	options := make([]Option, 0, len(items))
	for n, i := range indexes {
		if i < 0 {
			m.invalid("Unknown or duplicate option")
		} else if o, ok := m.leaf(&declared[i], items[n]); ok {
			options = append(options, o)
		}
	}
	return options
}

func (m *matcher) missing(declared []command.Option, seen []bool) {
	if !m.strict {
		return
	}
	for i := range declared {
		if o := &declared[i]; o.Required && !seen[i] {
			m.tree.At("data").At("options").Add(OptionMissing, "Required option "+strconv.Quote(o.Name)+" is missing")
		}
	}
}

// declaration returns the index of the declared option with the name and type of an item, or -1.
func declaration(declared []command.Option, item jsonbody.Value) int {
	name, kind := item.Get("name"), item.Get("type")
	if name.Kind() != jsonbody.String || !kind.IsSet() {
		return -1
	}
	var ignored jsonbody.Tree
	n, ok := jsonbody.AsWhole(&ignored, kind)
	if !ok {
		return -1
	}
	for i := range declared {
		if declared[i].Name == name.Text() && int64(declared[i].Type) == n {
			return i
		}
	}
	return -1
}

// leaf reads one option. It reports false if the option is invalid or, in an autocomplete request, has no value.
func (m *matcher) leaf(o *command.Option, item jsonbody.Value) (Option, bool) {
	option := Option{Type: o.Type, Name: o.Name}
	var ok bool
	switch v := item.Get("value"); {
	case m.strict:
		option.Value, ok = m.value(o, v)
	case jsonbody.IsTrue(item, "focused"):
		m.focused++
		option.Focused, m.out.Focus = true, o.Type
		option.Value, ok = typed(v)
		ok = ok && o.Autocomplete
	case !v.IsSet() || o.Type == command.Attachment:
		return Option{}, false
	default:
		option.Value, ok = v, hasKind(o.Type, v)
		if id, err := snowflake.Parse[uint64](v.Text()); err == nil && v.Kind() == jsonbody.String {
			m.refer(o, id)
		}
	}
	if !ok {
		m.invalidValue(o.Name)
	}
	return option, ok
}

// typed returns the value of a focused option, which is a string for every option type.
func typed(v jsonbody.Value) (jsonbody.Value, bool) {
	switch v.Kind() {
	case jsonbody.Absent, jsonbody.Null:
		return jsonbody.StringOf(""), true
	case jsonbody.String, jsonbody.Number:
		return jsonbody.StringOf(v.Text()), true
	default:
		return jsonbody.Value{}, false
	}
}
