package command_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
)

// The headings of the specification that rules come from.
var headings = []string{
	"Application command object", "Command types", "Command naming", "Option object", "Option types", "Choice object",
	"Entry point handler types", "Integration types and interaction context types", "Localization rules",
	"States and transitions", "Application commands, global", "Application commands, guild", "Entry point", "Errors",
	"Limits", "Versioning",
}

// The applications that the tests parse definitions for.
var (
	anyApp   = command.Env{Supported: []command.IntegrationType{command.GuildInstall, command.UserInstall}, Embedded: true}
	plainApp = command.Env{Supported: []command.IntegrationType{command.GuildInstall}}
	inGuild  = command.Env{Guild: true, Supported: anyApp.Supported, Embedded: true}
)

// faults are the codes of findings by path.
type faults map[string][]jsonbody.Code

// parseCase is a body and the findings of Parse. Without findings Parse accepts the body.
type parseCase struct {
	name, rule, give string
	want             faults
}

func runParse(t *testing.T, env command.Env, cases []parseCase) {
	t.Helper()
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if !slices.Contains(headings, tt.rule) {
				t.Fatalf("the specification has no heading %q", tt.rule)
			}
			_, err := command.Parse([]byte(tt.give), env)
			if diff := cmp.Diff(tt.want, faultsOf(t, err)); diff != "" {
				t.Errorf("Parse(%.200s) findings of %q differ (-want +got):\n%s", tt.give, tt.rule, diff)
			}
		})
	}
}

// chat returns a valid CHAT_INPUT command with the given members added.
func chat(members string) string {
	return `{"description":"does it","name":"do",` + members + `}`
}

// withOption returns a CHAT_INPUT command with one option that has the given members.
func withOption(members string) string {
	return chat(`"options":[{"description":"an option","name":"opt",` + members + `}]`)
}

// parse returns the definition of a body.
func parse(t testing.TB, s string, env command.Env) command.Definition {
	t.Helper()
	d, err := command.Parse([]byte(s), env)
	if err != nil {
		t.Fatalf("Parse(%.200s) = %v", s, err)
	}
	return d
}

// reread returns the definition in a document of a global command, or of a guild command.
func reread(doc []byte, guild bool) (command.Definition, error) {
	c := command.Command{Doc: doc}
	if guild {
		c.Scope.Guild = 900000000000000001
	}
	return c.Definition()
}

// faultsOf returns the findings of an error, nil without an error.
func faultsOf(t testing.TB, err error) faults {
	t.Helper()
	if err == nil {
		return nil
	}
	tree, ok := errors.AsType[*jsonbody.Tree](err)
	if !ok {
		t.Fatalf("error is %v, want a *jsonbody.Tree", err)
	}
	return tree.Flat()
}

// list joins n copies of a text. In copy i, # is replaced by i times "x".
func list(n int, text string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = strings.ReplaceAll(text, "#", strings.Repeat("x", i+1))
	}
	return strings.Join(parts, ",")
}

// repeat is short for strings.Repeat.
func repeat(s string, n int) string { return strings.Repeat(s, n) }

// quote returns a text as a JSON string.
func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // a test passes text that is not UTF-8
	}
	return string(b)
}
