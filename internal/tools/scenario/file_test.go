package scenario_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/tools/scenario"
	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// TestParseProblems checks that each mistake is reported with its line and column.
func TestParseProblems(t *testing.T) {
	t.Parallel()
	steps := func(list string) string {
		return "scenarios:\n  - name: a\n    steps:\n      - {as: ada, in: Lab/general, use: /x}\n" + list
	}
	for _, tt := range []struct{ name, file, want string }{
		{"a misspelled key", "wrold: x\nscenarios: []\n", `:1:1: wrold: Unknown key "wrold": did you mean "world"?`},
		{"no scenarios", "app: guesthouse\n", `scenarios: The key "scenarios" is missing.`},
		{"no YAML", "scenarios: [", ":1:"},
		{"an app without a command", "app: {ready: online}\nscenarios: []\n", `:1:1: app: Must have either "run" or "builtin".`},
		{"an unknown state of readiness", "app: {run: x, ready: onlin}\nscenarios: []\n", `:1:15: app.ready: Unknown value "onlin": did you mean "online"?`},
		{"a wrong pattern of readiness", "app: {run: x, ready: {stdout: (}}\nscenarios: []\n", `Is not a regular expression`},
		{"an unknown application", "app: {run: x, application: Eco}\nscenarios: []\n", `:1:15: app.application: the world has no such application. Unknown application "Eco": did you mean "Echo"?`},
		{"a wrong world", "world: {users: [{id: x}]}\nscenarios: []\n", `:1:18: world.users.0.id: `},
		{"a misspelled action", steps("      - {pres: y}\n"), `:5:10: scenarios.0.steps.1.pres: Unknown key "pres": did you mean "press"?`},
		{"two actions", steps("      - {use: /x, press: y}\n"), `:5:9: scenarios.0.steps.1: A step has one action, this one has use and press.`},
		{"nothing to do", steps("      - {}\n"), `The step does nothing`},
		{"a misspelled condition", steps("      - {expect: {messages: {at_lest: 1}}}\n"), `Unknown condition "at_lest": did you mean "at_least"?`},
		{"a wrong pattern", steps("      - {expect: {content: {matches: (}}}\n"), `expect.content.matches: Is not a regular expression`},
		{"a wrong duration", steps("      - {advance: soon}\n"), `"soon" is not a duration`},
		{"an unknown variable", steps("      - {use: \"/x ${dihs}\"}\n"), `Unknown variable "dihs"`},
		{"a wrong locale", steps("      - {use: /x, locale: dee}\n"), `locale: Unknown locale "dee": did you mean "de"?`},
		{"a restart without an app", steps("      - {restart: true}\n"), `restart: The file has no app.`},
		{"a wrong enum", steps("      - {use: /x, wait: finl}\n"), `wait: Unknown value "finl": did you mean "final"?`},
		{"no user", "scenarios:\n  - {name: a, steps: [{in: Lab/general, use: /x}]}\n", `The step needs a user: add "as".`},
		{"no channel", "scenarios:\n  - {name: a, steps: [{as: ada, use: /x}]}\n", `The step needs a channel: add "in" or "dm".`},
		{"a name twice", "scenarios:\n  - {name: a, steps: []}\n  - {name: a, steps: []}\n", `:3:6: scenarios.1.name: Another scenario of the file has this name.`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if _, err := scenario.Parse("s.yaml", []byte(tt.file)); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Parse() = %v, want %s", err, tt.want)
			}
		})
	}
}

// TestSchema checks that the published schema is that of the types, and that it accepts the examples and refuses
// mistakes.
func TestSchema(t *testing.T) {
	t.Parallel()
	want, err := scenario.Schema()
	if err != nil {
		t.Fatal(err)
	}
	const published = "../../../docs/scenario.schema.json"
	if got, err := os.ReadFile(published); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is out of date, %v: run go run ./cmd/bellhop test --schema > docs/scenario.schema.json", published, err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(want))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("scenario.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("scenario.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	valid := func(text []byte) error {
		converted, err := yaml.YAMLToJSON(text)
		if err != nil {
			t.Fatal(err)
		}
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(converted))
		if err != nil {
			t.Fatal(err)
		}
		return schema.Validate(v)
	}
	files, err := filepath.Glob("../../../examples/*/scenarios.yaml")
	if err != nil || len(files) < 3 {
		t.Fatalf("%d examples, %v", len(files), err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := valid(text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, bad := range []string{
		"scenarios: [{name: a, steps: [{pres: y}]}]", "scenarios: [{name: a, steps: [{expect: {content: {matchs: x}}}]}]", "app: {run: x, ready: onlin}\nscenarios: []", "{}",
	} {
		if valid([]byte(bad)) == nil {
			t.Errorf("the schema accepts %s", bad)
		}
	}
}

// TestLoadAll checks that the problems of one file do not hide those of another, and that a missing file is an error.
func TestLoadAll(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := write("good.yaml", "scenarios: [{name: waits, steps: [{advance: 1h}]}]\n")
	one, two := write("one.yaml", "scenario: []\n"), write("two.yaml", "{\n")
	list, faults, err := scenario.LoadAll([]string{one, good, two})
	if err != nil || len(list) != 1 || len(faults) != 2 {
		t.Errorf("LoadAll() = %d files, faults %v, %v", len(list), faults, err)
	}
	if _, _, err := scenario.LoadAll([]string{good, filepath.Join(folder, "missing.yaml")}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("LoadAll() with a missing file = %v", err)
	}
}

// TestFormatOf selects the format by the name of the file.
func TestFormatOf(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]scenario.Format{"a/results.json": scenario.JSON, "results.xml": scenario.JUnit, "results": scenario.JUnit} {
		if got := scenario.FormatOf(name); got != want {
			t.Errorf("FormatOf(%s) = %s, want %s", name, got, want)
		}
	}
}
