package scenario_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/bellhop/bellhop/internal/tools/scenario"
)

// pythonBot returns the bot with discord.py. It runs with the Python of Debian, which has the library.
func pythonBot(t *testing.T, m *mutant) *scenario.File {
	t.Helper()
	folder := scriptFolder(t, exampleFolder(t, "discordpy"), m)
	return scriptFile(t, folder, "exec python3", "exec /usr/bin/python3")
}

// nodeBot returns the bot with discord.js.
func nodeBot(t *testing.T, m *mutant) *scenario.File {
	t.Helper()
	source := exampleFolder(t, "discordjs")
	modules := installPackages(t, source)
	folder := scriptFolder(t, source, m)
	link(t, modules, folder)
	return scriptFile(t, folder, "", "")
}

// publicNodeBot returns the bot that the package create-discord-bot writes.
func publicNodeBot(t *testing.T, m *mutant) *scenario.File {
	t.Helper()
	source := exampleFolder(t, "discordjs")
	modules := installPackages(t, source)
	folder := scriptFolder(t, filepath.Join(source, "public"), nil)
	link(t, modules, folder)
	if err := os.CopyFS(filepath.Join(folder, "bot"), os.DirFS(filepath.Join(modules, "create-discord-bot/template/JavaScript"))); err != nil {
		t.Fatal(err)
	}
	if m != nil {
		replace(t, filepath.Join(folder, m.file), m.change(t, filepath.Join(folder, m.file)))
	}
	return scriptFile(t, folder, "", "")
}

// scriptFolder copies the files of a bot to a new folder, and changes one if m is not nil.
func scriptFolder(t *testing.T, source string, m *mutant) string {
	t.Helper()
	folder := t.TempDir()
	files, err := os.ReadDir(source)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.IsDir() {
			continue
		}
		path := filepath.Join(source, f.Name())
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if m != nil && m.file == f.Name() {
			text = m.change(t, path)
		}
		replace(t, filepath.Join(folder, f.Name()), text)
	}
	return folder
}

// replace writes a file.
func replace(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// link gives a folder the npm packages of another.
func link(t *testing.T, modules, folder string) {
	t.Helper()
	if err := os.Symlink(modules, filepath.Join(folder, "node_modules")); err != nil {
		t.Fatal(err)
	}
}

// scriptFile returns the scenario file of a folder, with one text replaced by another.
func scriptFile(t *testing.T, folder, from, to string) *scenario.File {
	t.Helper()
	path := filepath.Join(folder, "scenarios.yaml")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if from != "" {
		replace(t, path, bytes.Replace(text, []byte(from), []byte(to), 1))
	}
	f, err := scenario.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// installing is held by the test that installs packages.
var installing sync.Mutex

// installPackages installs the npm packages of a folder, unless they are already installed from its lock file. It returns
// the folder with the packages.
func installPackages(t *testing.T, folder string) string {
	t.Helper()
	installing.Lock()
	defer installing.Unlock()
	lock, err := os.ReadFile(filepath.Join(folder, "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	modules := filepath.Join(folder, "node_modules")
	installed := filepath.Join(modules, "installed-lock.json")
	if present, err := os.ReadFile(installed); err == nil && bytes.Equal(present, lock) {
		return modules
	}
	cmd := exec.CommandContext(t.Context(), "npm", "ci", "--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts")
	cmd.Dir = folder
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("npm ci: %v\n%s", err, text)
	}
	replace(t, installed, lock)
	return modules
}
