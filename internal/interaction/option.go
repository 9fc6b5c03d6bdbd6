package interaction

import (
	"slices"
	"strconv"
	"strings"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/internal/message"
	"github.com/bellhop/bellhop/internal/payload"
	"github.com/bellhop/bellhop/snowflake"
)

// Option is one option as an app receives it, under its default name.
type Option struct {
	Type    command.OptionType
	Name    string
	Value   jsonbody.Value // a string, a number or a boolean; of subcommands and groups none
	Focused bool           // it is being typed
	Options []Option
}

// Call is the use of a command whose options fit its definition, but for what they speak of: see Check.
type Call struct {
	References
	Options []Option
	// Path is the full name: that of the command, its group and its subcommand, with blanks between.
	Path string
	// Focus is the type of the option that is being typed; of autocomplete requests only.
	Focus command.OptionType
	// Attachments are the files that options name.
	Attachments []payload.Attachment
}

// MatchOptions checks an invocation against the definition of the command that it uses. The values of an autocomplete
// request are not judged, only where they stand. An error is a *problem.Tree.
func MatchOptions(d command.Definition, in Invoke, files []message.File) (Call, error) {
	m := matcher{in: &in, files: files, strict: in.Type == ApplicationCommand}
	m.call.Path = d.Name
	m.call.References = References{soft: !m.strict, code: OptionInvalid}
	switch in.Command.Type {
	case command.User:
		m.call.code = CommandInvalid
		m.call.user(in.Command.TargetUser)
	case command.Message:
		m.call.code = CommandInvalid
		m.call.message = in.Command.TargetMessage
	default: // no target
	}
	m.call.Options = m.level(d.Options, in.Command.Options)
	if m.astray {
		return Call{}, Refuse(CommandInvalid)
	}
	if !m.strict && m.focused != 1 {
		m.invalid("Exactly one option with autocomplete must be focused")
	}
	if err := m.tree.Err(); err != nil {
		return Call{}, err
	}
	return m.call, nil
}

// matcher walks a definition and what was sent side by side.
type matcher struct {
	in      *Invoke
	files   []message.File
	strict  bool // values are judged, and required options must be there
	tree    jsonbody.Tree
	call    Call
	astray  bool // not exactly one subcommand was named where there are some
	focused int
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

// branch follows the one subcommand or group that was named.
func (m *matcher) branch(declared []command.Option, items []jsonbody.Value) []Option {
	if len(items) != 1 {
		m.astray = true
		return nil
	}
	i := declaration(declared, items[0])
	if i < 0 || items[0].Get("value").IsSet() {
		m.invalid("Unknown subcommand")
		return nil
	}
	o := &declared[i]
	m.call.Path = strings.Join([]string{m.call.Path, o.Name}, " ")
	return []Option{{Type: o.Type, Name: o.Name, Options: m.level(o.Options, items[0].Get("options"))}}
}

// leaves reads options that have values. What is missing is noted before what is wrong.
func (m *matcher) leaves(declared []command.Option, items []jsonbody.Value) []Option {
	if len(items) > len(declared) {
		m.invalid("More options than there are")
		return nil
	}
	seen := make([]bool, len(declared))
	means := make([]int, len(items)) // which declaration, or -1
	for n, item := range items {
		i := declaration(declared, item)
		if i >= 0 && (seen[i] || len(item.Get("options").Items()) > 0) {
			i = -1
		}
		if means[n] = i; i >= 0 {
			seen[i] = true
		}
	}
	m.missing(declared, seen)
	options := make([]Option, 0, len(items))
	for n, i := range means {
		if i < 0 {
			m.invalid("Unknown or repeated option")
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

// declaration returns which of the declared options an item means, or -1.
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

// leaf reads one option. It is left out when it is wrong or, in an autocomplete request, empty.
func (m *matcher) leaf(o *command.Option, item jsonbody.Value) (Option, bool) {
	option := Option{Type: o.Type, Name: o.Name}
	var ok bool
	switch v := item.Get("value"); {
	case m.strict:
		option.Value, ok = m.value(o, v)
	case jsonbody.IsTrue(item, "focused"):
		m.focused++
		option.Focused, m.call.Focus = true, o.Type
		option.Value, ok = typed(v)
		ok = ok && o.Autocomplete
	case !v.IsSet() || o.Type == command.Attachment:
		return Option{}, false
	default:
		option.Value, ok = v, isScalar(v)
		if id, err := snowflake.Parse[uint64](v.Text()); err == nil && v.Kind() == jsonbody.String {
			m.refer(o, id)
		}
	}
	if !ok {
		m.invalidValue(o.Name)
	}
	return option, ok
}

// typed returns what has been typed of an option, as a string whatever its type.
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

// isScalar reports whether v is a string, a boolean or a number that exists in JavaScript.
func isScalar(v jsonbody.Value) bool {
	switch v.Kind() {
	case jsonbody.String, jsonbody.Bool:
		return true
	case jsonbody.Number:
		_, err := strconv.ParseFloat(v.Text(), 64)
		return err == nil
	default:
		return false
	}
}
