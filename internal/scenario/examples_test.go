package scenario_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/scenario"
	"github.com/bellhop/bellhop/internal/world"
)

// mutant is a change of the source of a bot that its scenarios must notice.
type mutant struct {
	name, file, from, to string
	fails                string // a scenario that fails
}

// TestExamples runs the scenario files of the example bots, and runs them again against bots with a mistake in them.
func TestExamples(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		folder, pkg string
		mutant      mutant
	}{
		{"httpbot", ".", mutant{"a die has a side too many", "bot.go", "b.Roll(sides), sides", "b.Roll(sides)+sides, sides", "rolls a die"}},
		{"guesthouse", "./cmd", mutant{"the bell counts twice", "component.go", "rings+1", "rings+2", "counts the rings of the bell"}},
		{"discordgo", ".", mutant{"a die is missing", "bot.go", "for range dice {", "for range dice - 1 {", "rolls many dice"}},
	} {
		t.Run(tt.folder, func(t *testing.T) {
			t.Parallel()
			folder, err := filepath.Abs("../../examples/" + tt.folder)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range play(t, exampleFile(t, folder, build(t, folder, tt.pkg, nil))) {
				if r.Failure != nil {
					t.Errorf("%s: %s\n%s", r.Place(), r.Scenario, r.Failure.Details())
				}
			}
			caught := false
			for _, r := range play(t, exampleFile(t, folder, build(t, folder, tt.pkg, &tt.mutant))) {
				caught = caught || r.Scenario == tt.mutant.fails && r.Failure != nil
			}
			if !caught {
				t.Errorf("the scenario %q does not notice that %s", tt.mutant.fails, tt.mutant.name)
			}
		})
	}
}

// build builds a bot, with the change of a mutant unless it is nil, and returns the program.
func build(t *testing.T, folder, pkg string, m *mutant) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "bot")
	args := []string{"build", "-buildvcs=false", "-o", program}
	if m != nil {
		args = append(args, "-overlay", overlay(t, folder, m))
	}
	cmd := exec.Command("go", append(args, pkg)...)
	cmd.Dir = folder
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return program
}

// overlay returns a file that tells the go command to use a changed source.
func overlay(t *testing.T, folder string, m *mutant) string {
	t.Helper()
	source := filepath.Join(folder, m.file)
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	changed := bytes.ReplaceAll(text, []byte(m.from), []byte(m.to))
	if bytes.Equal(changed, text) {
		t.Fatalf("%s does not contain %q", source, m.from)
	}
	replacement := write(t, "changed.go", string(changed))
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{source: replacement}})
	if err != nil {
		t.Fatal(err)
	}
	return write(t, "overlay.json", string(list))
}

// exampleFile returns the scenario file of an example, with an app that is already built. The built-in app runs as a
// program too.
func exampleFile(t *testing.T, folder, program string) *scenario.File {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "scenarios.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	demo := world.Demo()
	demo.Applications[0].Activities = true
	w, err := json.Marshal(demo)
	if err != nil {
		t.Fatal(err)
	}
	app := "world: " + write(t, "world.json", string(w)) + "\napp: {run: exec " + program + `, ready: endpoint, env: {GUESTHOUSE_LISTEN: "127.0.0.1:0"}}`
	changed := strings.Replace(strings.Replace(string(text), "run: go run .", "run: exec "+program, 1), "app: guesthouse", app, 1)
	return parse(t, changed)
}
