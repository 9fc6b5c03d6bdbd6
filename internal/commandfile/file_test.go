package commandfile_test

import (
	"strings"
	"testing"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/commandfile"
)

var anywhere = command.Env{Supported: []command.IntegrationType{command.GuildInstall, command.UserInstall}, Embedded: true}

func TestLint(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, give string
		want       []string // prefixes of the faults, in order
		commands   int
	}{
		{"a list without faults", `[{"name":"roll","description":"x"}]`, nil, 1},
		{"one command without faults", `{"name":"roll","description":"x"}`, nil, 1},
		{"no commands", `[]`, nil, 0},
		{"YAML without faults", "- name: roll\n  description: x\n- {type: 2, name: Show Card}\n", nil, 2},
		{
			"a fault in a list", "[\n  {\"name\": \"ok\", \"description\": \"x\"},\n  {\"name\": \"Bad\", \"description\": \"x\"}]",
			[]string{`f:3:12: name: Command name is invalid (APPLICATION_COMMAND_INVALID_NAME) in command "Bad"`},
			2,
		},
		{
			"what is missing is told where it should be", "[\n  {\"name\": \"ok\"}]",
			[]string{`f:2:3: description: This field is required`},
			1,
		},
		{
			"deep in YAML", "name: roll\ndescription: x\noptions:\n  - type: 3\n    name: a\n    description: x\n    choices:\n      - name: one\n        value: 5\n",
			[]string{`f:9:16: options.0.choices.0.value: Could not interpret "5" as string.`},
			1,
		},
		{
			"columns count letters, not bytes", `[{"description": "ß", "name": "Bad"}]`,
			[]string{`f:1:31: name: `},
			1,
		},
		{"neither a list nor an object", `"roll"`, []string{"f:1:1: "}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file, fault := commandfile.Read("f", []byte(tt.give))
			if fault != nil {
				t.Fatalf("Read() = %v", fault)
			}
			faults, commands := file.Lint(anywhere)
			if commands != tt.commands || len(faults) != len(tt.want) {
				t.Fatalf("Lint() = %v, %d, want %v, %d", faults, commands, tt.want, tt.commands)
			}
			for i, want := range tt.want {
				if got := faults[i].String(); !strings.HasPrefix(got, want) {
					t.Errorf("fault %d is %q, want %q", i, got, want)
				}
			}
		})
	}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, give, want string }{
		{"half of a list", "[\n{}", "f:2:"},
		{"two values in a place", "[1 2]", "f:1:"},
		{"broken YAML", "a: [1\nb: 2", "f:"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, fault := commandfile.Read("f", []byte(tt.give))
			if fault == nil || !strings.HasPrefix(fault.String(), tt.want) || !strings.Contains(fault.String(), "invalid") {
				t.Errorf("Read(%q) = %v, want a fault at %s", tt.give, fault, tt.want)
			}
		})
	}
}

// FuzzRead holds that every fault has a place inside of the file.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{`[{"name":"Roll"}]`, "- name: roll\n  options:\n    - type: 3\n", `{"a":[1,{"b":null}]}`, "a: &x 1\nb: *x", "[", "\t", "é: [ü"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		lines := strings.Count(string(in), "\n") + strings.Count(string(in), "\r") + 1 // YAML takes either for an end
		file, fault := commandfile.Read("f", in)
		if fault != nil {
			if fault.Line < 1 || fault.Column < 1 {
				t.Errorf("Read(%q): a fault at %d:%d", in, fault.Line, fault.Column)
			}
			return
		}
		faults, _ := file.Lint(anywhere)
		for _, fault := range faults {
			if fault.Line < 1 || fault.Line > lines || fault.Column < 1 {
				t.Errorf("Lint(%q): %v lies outside of the file", in, fault)
			}
		}
	})
}
