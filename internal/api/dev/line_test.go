package dev_test

import (
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/api/dev"
	"github.com/bellhop/bellhop/internal/rules/interaction"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/locale"
	"github.com/google/go-cmp/cmp"
)

var roll = command.Definition{Type: command.ChatInput, Name: "roll", Options: []command.Option{
	{Type: command.Integer, Name: "sides", NameLocalizations: locale.Map{"de": "seiten"}, Required: true},
	{Type: command.Number, Name: "factor"},
	{Type: command.String, Name: "note"},
	{Type: command.Boolean, Name: "secret"},
	{Type: command.OptionUser, Name: "for"},
	{Type: command.Channel, Name: "where"},
	{Type: command.Role, Name: "team"},
	{Type: command.Mentionable, Name: "whom"},
	{Type: command.Attachment, Name: "sheet"},
	{Type: command.String, Name: "color", Choices: []command.Choice{
		{Name: "Red", NameLocalizations: locale.Map{"de": "Rot"}, Value: command.TextValue("#f00")},
	}},
	{Type: command.Integer, Name: "size", Choices: []command.Choice{{Name: "large", Value: command.NumberValue(9007199254740991)}}},
	{Type: command.String, Name: "city", Autocomplete: true},
}}

var deploy = command.Definition{Type: command.ChatInput, Name: "deploy", Options: []command.Option{
	{Type: command.SubCommand, Name: "start", NameLocalizations: locale.Map{"de": "los"}, Options: []command.Option{{Type: command.String, Name: "what"}}},
	{Type: command.SubCommandGroup, Name: "plan", Options: []command.Option{
		{Type: command.SubCommand, Name: "show", Options: []command.Option{{Type: command.Integer, Name: "page", Autocomplete: true}}},
	}},
}}

func TestLine(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, line string
		on         command.Definition
		focus      string
		want       string // options as JSON, or the error
	}{
		{"an integer", "/roll sides:6", roll, "", `[{"type":4,"name":"sides","value":6}]`},
		{"an integer that a double cannot hold", "/roll sides:9007199254740993", roll, "", `[{"type":4,"name":"sides","value":9007199254740993}]`},
		{"a name in another language", "/roll seiten:6", roll, "", `[{"type":4,"name":"sides","value":6}]`},
		{"a number", "/roll factor:-0.50", roll, "", `[{"type":10,"name":"factor","value":-0.50}]`},
		{"quotes for spaces", `/roll note:"for \"the\" \\ win"`, roll, "", `[{"type":3,"name":"note","value":"for \"the\" \\ win"}]`},
		{"a backslash elsewhere", `/roll note:"a\nb"`, roll, "", `[{"type":3,"name":"note","value":"a\\nb"}]`},
		{"colons in a value", "/roll note:https://x.test/?a:b", roll, "", `[{"type":3,"name":"note","value":"https://x.test/?a:b"}]`},
		{"a value after a space", "/roll  sides: 6   note: x", roll, "", `[{"type":4,"name":"sides","value":6},{"type":3,"name":"note","value":"x"}]`},
		{"an empty value", `/roll note:""`, roll, "", `[{"type":3,"name":"note","value":""}]`},
		{"booleans", "/roll secret:yes", roll, "", `[{"type":5,"name":"secret","value":true}]`},
		{"mentions", "/roll for:<@!200> where:<#310> team:<@&301> whom:<@&302>", roll, "", `[{"type":6,"name":"for","value":"200"},{"type":7,"name":"where","value":"310"},{"type":8,"name":"team","value":"301"},{"type":9,"name":"whom","value":"302"}]`},
		{"ids", "/roll for:200 whom:<@201>", roll, "", `[{"type":6,"name":"for","value":"200"},{"type":9,"name":"whom","value":"201"}]`},
		{"a choice by name", "/roll color:Red size:large", roll, "", `[{"type":3,"name":"color","value":"#f00"},{"type":4,"name":"size","value":9007199254740991}]`},
		{"a choice in another language", "/roll color:Rot", roll, "", `[{"type":3,"name":"color","value":"#f00"}]`},
		{"a choice by value", "/roll color:#f00", roll, "", `[{"type":3,"name":"color","value":"#f00"}]`},
		{"a file by its index", "/roll sheet:0", roll, "", `[{"type":11,"name":"sheet","value":"0"}]`},
		{"a required option left out is for the service to see", "/roll", roll, "", `[]`},
		{"an option being typed", "/roll city:Ber", roll, "city", `[{"type":3,"name":"city","value":"Ber","focused":true}]`},
		{"an option about to be typed", "/roll sides:6", roll, "city", `[{"type":4,"name":"sides","value":6},{"type":3,"name":"city","value":"","focused":true}]`},
		{"a subcommand", "/deploy start what:web", deploy, "", `[{"type":1,"name":"start","options":[{"type":3,"name":"what","value":"web"}]}]`},
		{"a subcommand in another language", "/deploy los", deploy, "", `[{"type":1,"name":"start","options":[]}]`},
		{"a group", "/deploy plan show page:2", deploy, "", `[{"type":2,"name":"plan","options":[{"type":1,"name":"show","options":[{"type":4,"name":"page","value":2}]}]}]`},
		{"a number being typed", "/deploy plan show page:2x", deploy, "page", `[{"type":2,"name":"plan","options":[{"type":1,"name":"show","options":[{"type":4,"name":"page","value":"2x","focused":true}]}]}]`},
		{"a base command is for the service to refuse", "/deploy", deploy, "", `[]`},

		{"a word that is no number", "/roll sides:six", roll, "", `option "sides" takes a number such as 6 or -0.5, not "six"`},
		{"an option that nothing is", "/roll sdies:6", roll, "", `/roll has no option "sdies": did you mean "sides"?`},
		{"an option far from any", "/deploy start nothing:6", deploy, "", `/deploy start has no option "nothing": known are what`},
		{"an option twice", "/roll sides:6 seiten:7", roll, "", `option "sides" stands twice`},
		{"a word between options", "/roll sides:6 and", roll, "", `"and" belongs to no option: write name:value, and values with blanks in quotes, name:"one two"`},
		{"a subcommand that nothing is", "/deploy sttart", deploy, "", `/deploy has no subcommand "sttart": did you mean "start"?`},
		{"a subcommand of a command without", "/roll twice", roll, "", `/roll has no subcommand "twice": there are none`},
		{"open quotes", `/roll note:"a b`, roll, "", `quotes are opened before "a b" and not closed`},
		{"text after quotes", `/roll note:"a"b`, roll, "", `no blank after the quotes around "a"`},
		{"a name in quotes", `/"roll"`, roll, "", `"roll" is no name: quotes are for values, name:"one two"`},
		{"options before the name", "/sides:6 roll", roll, "", `option "sides" stands before the name of the command`},
		{"a user that no name finder knows", "/roll for:ada", roll, "", `option "for" takes a user: a username, <@ID> or an id, not "ada"`},
		{"a role mention for a user", "/roll for:<@&1>", roll, "", `option "for" takes a user: a username, <@ID> or an id, not "<@&1>"`},
		{"a boolean that is none", "/roll secret:maybe", roll, "", `option "secret" takes true or false, not "maybe"`},
		{"a file by its name", "/roll sheet:a.png", roll, "", `option "sheet" takes a file: send it as files[0] of a form and write sheet:0`},
		{"a slash alone", "/", roll, "", "a slash without the name of a command"},
		{"nothing", "  ", roll, "", "no command"},
		{"no text", "/roll \xff", roll, "", "the line is not UTF-8"},
		{"far too much", "/roll note:" + strings.Repeat("x", dev.MaxLine), roll, "", "the line is longer than 65536 bytes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := matched(tt.line, tt.on, tt.focus); got != tt.want {
				t.Errorf("%s\n got %s\nwant %s", tt.line, got, tt.want)
			}
		})
	}
}

// matched returns the options of a line as JSON, or the error.
func matched(line string, d command.Definition, focus string) string {
	l, err := dev.ParseLine(line)
	if err != nil {
		return err.Error()
	}
	options, err := dev.Match(d, l.Path[1:], l.Options, focus, nil)
	if err != nil {
		return err.Error()
	}
	return text(options)
}

// text returns a value as JSON. Numbers keep their digits.
func text(v jsonbody.Value) string {
	switch v.Kind() {
	case jsonbody.List:
		var items []string
		for _, item := range v.Items() {
			items = append(items, text(item))
		}
		return "[" + strings.Join(items, ",") + "]"
	case jsonbody.Object:
		var members []string
		for _, m := range v.Members() {
			members = append(members, `"`+m.Name+`":`+text(m.Value))
		}
		return "{" + strings.Join(members, ",") + "}"
	case jsonbody.String:
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(v.Text()) + `"`
	case jsonbody.Absent, jsonbody.Null, jsonbody.Bool, jsonbody.Number:
	}
	return v.String()
}

// TestLineCases parses the lines of testdata/lines.json. The console's parser passes the same cases.
func TestLineCases(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("testdata/lines.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Name, Line, Error string
		Path              []string
		Options           [][2]string
	}
	if err := json.Unmarshal(file, &cases); err != nil {
		t.Fatal(err)
	}
	for _, tt := range cases {
		l, err := dev.ParseLine(tt.Line)
		if tt.Error != "" {
			if err == nil || err.Error() != tt.Error {
				t.Errorf("%s: ParseLine(%q) = %v, want %s", tt.Name, tt.Line, err, tt.Error)
			}
			continue
		}
		options := [][2]string{}
		for _, o := range l.Options {
			options = append(options, [2]string{o.Name, o.Value.Text()})
		}
		if err != nil || !l.Slash || !slices.Equal(l.Path, tt.Path) || !slices.Equal(options, tt.Options) {
			t.Errorf("%s: ParseLine(%q) = %q, %q, %v, want %q, %q", tt.Name, tt.Line, l.Path, options, err, tt.Path, tt.Options)
		}
	}
}

func TestPlainLine(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ line, name, target string }{
		{"High Five", "High Five", ""},
		{"High Five <@201>", "High Five", "201"},
		{"Report message 900", "Report message", "900"},
		{"900", "900", ""},
	} {
		l, err := dev.ParseLine(tt.line)
		if err != nil || l.Slash || l.Path[0] != tt.name || l.Target != tt.target {
			t.Errorf("ParseLine(%q) = %+v, %v, want %q on %q", tt.line, l, err, tt.name, tt.target)
		}
	}
}

// TestGivenOptions checks that options of an object are sent unchanged, even if they are wrong.
func TestGivenOptions(t *testing.T) {
	t.Parallel()
	number, err := jsonbody.Parse([]byte("6.0"))
	if err != nil {
		t.Fatal(err)
	}
	given := []dev.GivenOption{
		{Name: "seiten", Value: number}, {Name: "secret", Value: jsonbody.StringOf("maybe")}, {Name: "nothing", Value: number}, {Name: "note"},
	}
	got, err := dev.Match(roll, nil, given, "", nil)
	const want = `[{"type":4,"name":"sides","value":6.0},{"type":5,"name":"secret","value":"maybe"},{"type":4,"name":"nothing","value":6.0},{"type":3,"name":"note"}]`
	if err != nil || text(got) != want {
		t.Errorf("Match() = %s, %v, want %s", text(got), err, want)
	}
	nested := []dev.GivenOption{{Name: "plan", Options: []dev.GivenOption{{Name: "show", Options: []dev.GivenOption{{Name: "page", Value: number}}}}}}
	got, err = dev.Match(deploy, nil, nested, "", nil)
	if want := `[{"type":2,"name":"plan","options":[{"type":1,"name":"show","options":[{"type":4,"name":"page","value":6.0}]}]}]`; err != nil || text(got) != want {
		t.Errorf("Match() = %s, %v, want %s", text(got), err, want)
	}
}

// FuzzLine parses any line. A valid line must parse to the same options when all values are quoted, and its options
// must not panic in package interaction.
func FuzzLine(f *testing.F) {
	for _, line := range []string{"/roll sides:6", `/roll note:"a \"b\""`, "/deploy plan show page:2", "High Five <@201>", "/roll sides: 6 for:<@200>"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		l, err := dev.ParseLine(line)
		if err != nil {
			if _, ok := errors.AsType[*dev.LineError](err); !ok {
				t.Errorf("error %v is not a LineError", err)
			}
			return
		}
		if !l.Slash {
			return
		}
		again, err := dev.ParseLine(quoted(l))
		if diff := cmp.Diff(parts(l), parts(again)); err != nil || diff != "" {
			t.Errorf("%q as %q: %v\n%s", line, quoted(l), err, diff)
		}
		options, err := dev.Match(roll, l.Path[1:], l.Options, "", nil)
		if err != nil {
			return
		}
		in := interaction.Invoke{Type: interaction.Autocomplete, Guild: 1, Command: interaction.CommandUse{Options: options}}
		_, _ = interaction.MatchOptions(roll, in, nil) // it must not panic
	})
}

func quoted(l dev.Line) string {
	words := slices.Clone(l.Path)
	for _, g := range l.Options {
		words = append(words, g.Name+":"+text(g.Value))
	}
	return "/" + strings.Join(words, " ")
}

func parts(l dev.Line) []string {
	list := append([]string{}, l.Path...)
	for _, g := range l.Options {
		list = append(list, g.Name, g.Value.Text())
	}
	return list
}
