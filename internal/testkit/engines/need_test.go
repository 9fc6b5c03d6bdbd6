package engines

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// ended records how a test ended early.
type ended struct {
	testing.TB

	how string
}

func (e *ended) Fatal(args ...any) { e.end("failed: ", args...) }
func (e *ended) Skip(args ...any)  { e.end("skipped: ", args...) }

// end stops Need, as the end of a goroutine does in a real test.
func (e *ended) end(how string, args ...any) {
	e.how = how + fmt.Sprint(args...)
	panic(e)
}

// need calls Need and returns how the test ended, "" if it did not.
func need(t *testing.T, program string) (how string) {
	t.Helper()
	e := &ended{TB: t}
	defer func() {
		if r := recover(); r != nil && r != any(e) {
			panic(r)
		}
		how = e.how
	}()
	Need(e, program)
	return ""
}

// bareMachine makes the PATH one folder, with only the programs that tools/deps itself uses, in a checkout with only tools/deps
// and tools/needs.
func bareMachine(t *testing.T) (folder string) {
	t.Helper()
	root, err := checkout()
	if err != nil {
		t.Fatal(err)
	}
	folder = t.TempDir()
	path := filepath.Join(folder, "bin")
	links := map[string]string{filepath.Join(root, "tools/deps"): "tools/deps", filepath.Join(root, "tools/needs"): "tools/needs"}
	for _, program := range []string{"awk", "cat", "dirname", "sed", "tr", "uname", "wc"} {
		found, err := exec.LookPath(program)
		if err != nil {
			t.Fatal(err)
		}
		links[found] = "bin/" + program
	}
	for target, name := range links {
		if err := os.MkdirAll(filepath.Join(folder, filepath.Dir(name)), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", path)
	t.Chdir(folder)
	known.programs = nil
	t.Cleanup(func() { known.programs = nil })
	return folder
}

// TestNeed checks a program that is missing, one that is there, one that is too old, and one that tools/needs does not list.
func TestNeed(t *testing.T) {
	folder := bareMachine(t)
	program := func(name, version string) {
		if err := os.WriteFile(filepath.Join(folder, "bin", name), []byte("#!/bin/sh\necho v="+version+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	program("redis-server", "7.0.15")
	program("node", "18.19.0")
	for _, tt := range []struct{ program, ci, want string }{
		{"redis-server", "", ""},
		{"redis-server", "true", ""},
		{"curl", "", "skipped: needs curl, which is missing or too old"},
		{"curl", "true", "failed: needs curl, which is missing or too old"},
		{"node", "", "skipped: needs node, which is missing or too old"},
		{"nonsense", "", "failed: tools/deps: exit status 2: tools/needs has no row for nonsense"},
	} {
		t.Setenv("CI", tt.ci)
		if got := need(t, tt.program); !strings.HasPrefix(got, tt.want) || tt.want == "" && got != "" {
			t.Errorf("%s with CI=%s: %q, want %q", tt.program, tt.ci, got, tt.want)
		}
	}
	noted, err := os.ReadFile(filepath.Join(folder, ".cache", "not-run"))
	if want := "curl\tTestNeed\nnode\tTestNeed\n"; err != nil || string(noted) != want {
		t.Errorf(".cache/not-run: %q %v, want %q", noted, err, want)
	}
	t.Setenv("PATH", os.Getenv("PATH")+":/usr/bin:/bin") // for the summary
	out, err := exec.CommandContext(t.Context(), "tools/deps", "--not-run").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "1 tests; install curl\n") {
		t.Errorf("tools/deps --not-run: %v\n%s", err, out)
	}
}
