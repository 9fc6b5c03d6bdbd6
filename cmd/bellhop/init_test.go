package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/testkit/engines"
	"github.com/bellhop/bellhop/internal/tools/scaffold"
	"github.com/goccy/go-yaml"
)

// TestInit writes a bot in each language and runs the steps of its CI workflow: they install Bellhop from the files of a
// release, install and build the bot, and run its scenarios. The binary in the release is this test binary. A bot that answers
// with another text fails its scenarios.
func TestInit(t *testing.T) {
	t.Parallel()
	engines.Long(t)
	engines.Need(t, "curl", "npm", "discord.py") // a workflow downloads Bellhop with curl
	release := testRelease(t)
	for _, l := range scaffold.Languages {
		t.Run(l.Name, func(t *testing.T) {
			t.Parallel()
			folder := filepath.Join(t.TempDir(), "Dice Bot")
			var out, errs strings.Builder
			if code := run(t.Context(), []string{"init", "--language", l.Name, folder}, &out, &errs); code != exitOK {
				t.Fatalf("exit code %d\n%s%s", code, out.String(), errs.String())
			}
			checkPortable(t, folder)
			r := workflowRunner{folder: folder, release: release, python: pythonFolder(t), temp: t.TempDir()}
			steps := workflowSteps(t, folder)
			var last string
			for _, command := range steps {
				text, err := r.run(t, command)
				if err != nil {
					t.Fatalf("%s: %v\n%s", command, err, text)
				}
				last = text
			}
			if !strings.Contains(last, "3 scenarios: 3 passed, 0 failed") {
				t.Errorf("the last step printed\n%s", last)
			}
			changeAnswer(t, filepath.Join(folder, l.Source))
			again := strings.Join(steps[1:], " && ")                                                        // without the step that installs Bellhop
			again = strings.Replace(again, "npm install && npm run build", "npm run build -- --noCheck", 1) // the types are checked above
			text, err := r.run(t, again)
			if err == nil || !strings.Contains(text, "3 scenarios: 1 passed, 2 failed") {
				t.Errorf("the scenarios of a bot with another answer: %v\n%s", err, text)
			}
		})
	}
}

// workflowRunner runs steps of a CI workflow as a runner of GitHub does.
type workflowRunner struct {
	folder, release, python, temp string
}

// run runs a step and returns its output.
func (r workflowRunner) run(t *testing.T, command string) (string, error) {
	t.Helper()
	// A step installs packages or compiles a bot, so it may take longer than a wait of a test. Progress shows that it runs.
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	defer engines.Progress(t, func() string { return "of the step " + command })()
	key, err := os.ReadFile(filepath.Join(r.release, "public.pem"))
	if err != nil {
		t.Fatal(err)
	}
	paths := filepath.Join(r.temp, "paths")
	cmd := exec.CommandContext(ctx, "bash", "-e", "-c", command)
	cmd.Dir, cmd.Env = r.folder, append(os.Environ(), "PATH="+addedPaths(t, paths)+r.python+":"+os.Getenv("PATH"), asProgram+"=1",
		"BELLHOP_RELEASE=file://"+r.release, "BELLHOP_RELEASE_KEY="+string(key), "RUNNER_TEMP="+r.temp, "GITHUB_PATH="+paths)
	text, err := cmd.CombinedOutput()
	return string(text), err
}

// changeAnswer changes the text that a bot answers with.
func changeAnswer(t *testing.T, source string) {
	t.Helper()
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.ReplaceAll(string(text), "You rolled", "You threw")
	if changed == string(text) {
		t.Fatalf("%s has no such answer", source)
	}
	if err := os.WriteFile(source, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
}

// testRelease returns a folder like that of a release, with this test binary as bellhop.
func testRelease(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(program, filepath.Join(folder, "bellhop")); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "bash", "-e", "-c",
		"tar -ch bellhop | gzip -1 > bellhop_linux_amd64.tar.gz && sha256sum bellhop_linux_amd64.tar.gz > checksums.txt"+
			" && openssl genpkey -algorithm ed25519 -out key.pem && openssl pkey -in key.pem -pubout -out public.pem"+
			" && openssl pkeyutl -sign -inkey key.pem -rawin -in checksums.txt -out checksums.txt.sig")
	cmd.Dir = folder
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return folder
}

// addedPaths returns the folders that steps have added to the PATH, each followed by a colon.
func addedPaths(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(text), "\n", ":")
}

// pythonFolder returns a folder with a link to the Python that has discord.py.
func pythonFolder(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.Symlink("/usr/bin/python3", filepath.Join(folder, "python3")); err != nil {
		t.Fatal(err)
	}
	return folder
}

// workflowSteps returns the commands of the CI workflow, except for the one that installs Python packages: the system has
// them.
func workflowSteps(t *testing.T, folder string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, ".github/workflows/test.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var workflow struct {
		Jobs map[string]struct {
			Steps []struct{ Name, Uses, Run string } `yaml:"steps"`
		} `yaml:"jobs"`
	}
	if err := yaml.Unmarshal(text, &workflow); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	var commands []string
	for _, step := range workflow.Jobs["test"].Steps {
		if step.Run != "" && !strings.Contains(step.Run, "pip install") {
			commands = append(commands, step.Run)
		}
	}
	if len(commands) == 0 {
		t.Fatalf("the workflow has no commands:\n%s", text)
	}
	return commands
}

// checkPortable checks that no file has a path of this machine or the address of a package registry.
func checkPortable(t *testing.T, folder string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		for _, unwanted := range []string{folder, os.TempDir(), "registry", "proxy.golang", "<no value>"} {
			if strings.Contains(string(text), unwanted) {
				t.Errorf("%s contains %q", path, unwanted)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestInitKeepsFiles checks that init replaces nothing.
func TestInitKeepsFiles(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "README.md"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs strings.Builder
	if code := run(t.Context(), []string{"init", "-l", "go", folder}, &out, &errs); code != exitFailed || !strings.Contains(errs.String(), "README.md exists") {
		t.Errorf("exit code %d\n%s", code, errs.String())
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 1 {
		t.Errorf("init wrote into the folder: %v, %v", entries, err)
	}
}
