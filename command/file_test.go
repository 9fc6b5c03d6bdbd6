package command_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/command"
)

func TestLint(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, give string
		want       []string // prefixes of the findings, in order
		commands   int
	}{
		{"a valid list", `[{"name":"roll","description":"x"}]`, nil, 1},
		{"one valid command", `{"name":"roll","description":"x"}`, nil, 1},
		{"no commands", `[]`, nil, 0},
		{"valid YAML", "- name: roll\n  description: x\n- {type: 2, name: Show Card}\n", nil, 2},
		{
			"an invalid item of a list", "[\n  {\"name\": \"ok\", \"description\": \"x\"},\n  {\"name\": \"Bad\", \"description\": \"x\"}]",
			[]string{`3:12: name: Command name is invalid (APPLICATION_COMMAND_INVALID_NAME) in command "Bad"`},
			2,
		},
		{
			"a missing value has the position of its object", "[\n  {\"name\": \"ok\"}]",
			[]string{`2:3: description: This field is required`},
			1,
		},
		{
			"deep in YAML", "name: roll\ndescription: x\noptions:\n  - type: 3\n    name: a\n    description: x\n    choices:\n      - name: one\n        value: 5\n",
			[]string{`9:16: options.0.choices.0.value: Could not interpret "5" as string.`},
			1,
		},
		{
			"columns count code points, not bytes", `[{"description": "ß", "name": "Bad"}]`,
			[]string{`1:31: name: `},
			1,
		},
		{"neither a list nor an object", `"roll"`, []string{"1:1: "}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file, syntax := command.ParseFile("f", []byte(tt.give))
			if syntax != nil {
				t.Fatalf("ParseFile() = %v", syntax)
			}
			findings := command.Lint([]byte(tt.give))
			if file.Len() != tt.commands || len(findings) != len(tt.want) {
				t.Fatalf("Lint() = %v in %d commands, want %v in %d", findings, file.Len(), tt.want, tt.commands)
			}
			for i, want := range tt.want {
				if got := findings[i].String(); !strings.HasPrefix(got, want) {
					t.Errorf("finding %d is %q, want %q", i, got, want)
				}
			}
		})
	}
}

func TestLintSyntax(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, give, want string }{
		{"half of a list", "[\n{}", "2:"},
		{"no comma", "[1 2]", "1:"},
		{"invalid YAML", "a: [1\nb: 2", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := command.Lint([]byte(tt.give))
			if len(got) != 1 || !strings.HasPrefix(got[0].String(), tt.want) || !strings.Contains(got[0].Message, "invalid") {
				t.Errorf("Lint(%q) = %v, want one finding at %s", tt.give, got, tt.want)
			}
		})
	}
}

func TestFileRaw(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, give, want string }{
		{"list", `[{"name":"a","x":1}, {"name":"b"}]`, `{"name":"a","x":1} {"name":"b"}`},
		{"object", `{"name":"a"}`, `{"name":"a"}`},
		{"object with a list", `{"$schema":"s","commands":[{"name":"a"}]}`, `{"name":"a"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file, syntax := command.ParseFile("f.json", []byte(tt.give))
			if syntax != nil {
				t.Fatal(syntax)
			}
			if got := string(bytes.Join(file.Raw(), []byte(" "))); got != tt.want {
				t.Errorf("Raw() = %s, want %s", got, tt.want)
			}
		})
	}
}

// FuzzLint checks that the position of every finding lies in the file.
func FuzzLint(f *testing.F) {
	for _, seed := range []string{`[{"name":"Roll"}]`, "- name: roll\n  options:\n    - type: 3\n", `{"a":[1,{"b":null}]}`, "a: &x 1\nb: *x", "[", "\t", "é: [ü"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		if _, syntax := command.ParseFile("", in); syntax != nil {
			if syntax.Line < 1 || syntax.Column < 1 {
				t.Errorf("ParseFile(%q) returns a finding at %d:%d", in, syntax.Line, syntax.Column)
			}
			return
		}
		lines := strings.Count(string(in), "\n") + strings.Count(string(in), "\r") + 1 // either ends a line in YAML
		for _, finding := range command.Lint(in) {
			if finding.Line < 1 || finding.Line > lines || finding.Column < 1 {
				t.Errorf("Lint(%q) returns %v, which is not in the file", in, finding)
			}
		}
	})
}
