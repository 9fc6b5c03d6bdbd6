package command_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/jsonbody"
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

// What definitions are judged in.
var (
	anyApp   = command.Env{Supported: []command.IntegrationType{command.GuildInstall, command.UserInstall}, Embedded: true}
	plainApp = command.Env{Supported: []command.IntegrationType{command.GuildInstall}}
	inGuild  = command.Env{Guild: true, Supported: []command.IntegrationType{command.GuildInstall}, Embedded: true}
)

// faults holds the codes of findings by path.
type faults map[string][]jsonbody.Code

// parseCase is a body and what Parse finds in it; nothing: it is accepted.
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
			_, err := command.Parse(value(t, tt.give), env)
			if diff := cmp.Diff(tt.want, faultsOf(t, err)); diff != "" {
				t.Errorf("Parse(%.200s) breaks %q differently (-want +got):\n%s", tt.give, tt.rule, diff)
			}
		})
	}
}

// chat returns a CHAT_INPUT command that is right but for the members given.
func chat(members string) string {
	return `{"description":"does it","name":"do",` + members + `}`
}

// withOption returns a CHAT_INPUT command with one option that is right but for the members given.
func withOption(members string) string {
	return chat(`"options":[{"description":"an option","name":"opt",` + members + `}]`)
}

// value reads JSON.
func value(t testing.TB, s string) jsonbody.Value {
	t.Helper()
	v, err := jsonbody.Parse([]byte(s))
	if err != nil {
		t.Fatalf("form.Parse(%.200s) = %v", s, err)
	}
	return v
}

// parse returns the definition that a body describes.
func parse(t testing.TB, s string, env command.Env) command.Definition {
	t.Helper()
	d, err := command.Parse(value(t, s), env)
	if err != nil {
		t.Fatalf("Parse(%.200s) = %v", s, err)
	}
	return d
}

// faultsOf returns what an error found, nil when there is none.
func faultsOf(t testing.TB, err error) faults {
	t.Helper()
	if err == nil {
		return nil
	}
	tree, ok := errors.AsType[*jsonbody.Tree](err)
	if !ok {
		t.Fatalf("error is %v, want a *problem.Tree", err)
	}
	return tree.Flat()
}

// list joins n copies of a text, each with its number in place of #.
func list(n int, text string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = strings.ReplaceAll(text, "#", strings.Repeat("x", i+1))
	}
	return strings.Join(parts, ",")
}

// repeat is strings.Repeat under a short name: lengths are what half of the rules are about.
func repeat(s string, n int) string { return strings.Repeat(s, n) }

// quote writes a text as JSON.
func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // a test's own text is not UTF-8
	}
	return string(b)
}
