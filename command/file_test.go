package command_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/permission"
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

// TestFilePermissionNames checks that a file can write permissions as names.
func TestFilePermissionNames(t *testing.T) {
	t.Parallel()
	for _, file := range []string{
		"- {type: 2, name: Look}\n- {name: ban, description: x, default_member_permissions: [BAN_MEMBERS, KICK_MEMBERS]}\n",
		`[{"type":2,"name":"Look"},{"name":"ban","description":"x","default_member_permissions":["BAN_MEMBERS","KICK_MEMBERS"]}]`,
		`{"commands":[{"type":2,"name":"Look"},{"name":"ban","description":"x","default_member_permissions":["BAN_MEMBERS","KICK_MEMBERS"]}]}`,
	} {
		f, finding := command.ParseFile("f", []byte(file))
		if finding != nil {
			t.Fatalf("ParseFile(%s) = %v", file, finding)
		}
		items, findings := f.Items(anyApp)
		if len(findings) > 0 || len(items) != 2 || *items[1].MemberPermissions != permission.BanMembers|permission.KickMembers {
			t.Errorf("Items() of %s = %v, %v", file, items, findings)
		}
		if raw := string(f.Raw()[1]); !strings.Contains(raw, `"default_member_permissions":"6"`) || !strings.Contains(raw, `"name":"ban"`) {
			t.Errorf("Raw() of %s = %s", file, raw)
		}
	}
	one, finding := command.ParseFile("f", []byte(`{"name":"a","description":"x","default_member_permissions":[]}`))
	if finding != nil || !strings.Contains(string(one.Raw()[0]), `"default_member_permissions":"0"`) {
		t.Errorf("ParseFile() of one definition = %v, %v", one, finding)
	}
	_, finding = command.ParseFile("f", []byte("- {type: 2, name: Look}\n- {name: ban, description: x, default_member_permissions: [BAN_MEMBERS, KICK_MEMBER]}\n"))
	const want = `2:73: default_member_permissions.1: "KICK_MEMBER" is not the name of a permission: did you mean "KICK_MEMBERS"? in command "ban"`
	if finding == nil || finding.String() != want {
		t.Errorf("ParseFile() = %v, want %s", finding, want)
	}
}
