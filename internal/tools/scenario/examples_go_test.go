package scenario_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/tools/scenario"
	"github.com/bellhop/bellhop/internal/world"
)

// goBot returns a bot that is a Go package in a folder of examples/.
func goBot(name, pkg string) func(*testing.T, *mutant) *scenario.File {
	return func(t *testing.T, m *mutant) *scenario.File {
		t.Helper()
		folder := exampleFolder(t, name)
		sources := map[string]string{}
		if m != nil {
			source := filepath.Join(folder, m.file)
			sources[source] = write(t, "changed.go", string(m.change(t, source)))
		}
		return exampleFile(t, filepath.Join(folder, "scenarios.yaml"), build(t, folder, sources, pkg))
	}
}

// publicGoBot returns an example of the library discordgo. Its source is in the module of the library.
func publicGoBot(name string) func(*testing.T, *mutant) *scenario.File {
	return func(t *testing.T, m *mutant) *scenario.File {
		t.Helper()
		folder := exampleFolder(t, "discordgo")
		library := strings.TrimSpace(goCommand(t, folder, "list", "-f", "{{.Dir}}", "github.com/bwmarrin/discordgo"))
		source := filepath.Join(library, "examples", name, "main.go")
		if m != nil {
			source = write(t, "changed.go", string(m.change(t, source)))
		}
		sources := map[string]string{filepath.Join(folder, "public/main.go"): source}
		return exampleFile(t, filepath.Join(folder, "public", name+".yaml"), build(t, folder, sources, "-tags=public", "./public"))
	}
}

// exampleFolder returns a folder of examples/.
func exampleFolder(t *testing.T, name string) string {
	t.Helper()
	folder, err := filepath.Abs("../../../examples/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

// build builds a bot and returns the program. sources maps files of the bot to those that replace them.
func build(t *testing.T, folder string, sources map[string]string, args ...string) string {
	t.Helper()
	list, err := json.Marshal(map[string]any{"Replace": sources})
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "bot")
	goCommand(t, folder, append([]string{"build", "-buildvcs=false", "-o", program, "-overlay", write(t, "overlay.json", string(list))}, args...)...)
	return program
}

// goCommand runs the go command in a folder and returns its standard output.
func goCommand(t *testing.T, folder string, args ...string) string {
	t.Helper()
	var problems strings.Builder
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir, cmd.Stderr = folder, &problems
	text, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %s: %v\n%s%s", args[0], err, text, &problems)
	}
	return string(text)
}

// exampleFile returns a scenario file with an app that is already built. The built-in app runs as a program too.
func exampleFile(t *testing.T, path, program string) *scenario.File {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	demo := world.Demo()
	demo.Applications[0].Activities = true
	w, err := json.Marshal(demo)
	if err != nil {
		t.Fatal(err)
	}
	builtIn := "world: " + write(t, "world.json", string(w)) + "\napp: {run: exec " + program + `, ready: endpoint, env: {GUESTHOUSE_LISTEN: "127.0.0.1:0"}}`
	return parse(t, strings.NewReplacer("run: go run .", "run: exec "+program, `"$BOT"`, program, "app: guesthouse", builtIn).Replace(string(text)))
}
