package engines

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// Need skips a test if this machine lacks a program, or has one that is too old. tools/needs lists the programs. If the
// environment variable CI is "true", the test fails instead.
//
// Need appends a line with the program and the test to .cache/not-run, for the summary of `make test`.
func Need(t testing.TB, programs ...string) {
	t.Helper()
	for _, program := range programs {
		found, err := has(program)
		if err != nil {
			t.Fatal(err)
		}
		if found {
			continue
		}
		reason := fmt.Sprintf("needs %s, which is missing or too old: tools/needs has the version and the packages", program)
		if os.Getenv("CI") == "true" {
			t.Fatal(reason)
		}
		if err := note(program + "\t" + t.Name()); err != nil {
			t.Log(err) // the skip counts, not the summary
		}
		t.Skip(reason)
	}
}

// known remembers the answers of tools/deps by program.
var known struct {
	sync.Mutex

	programs map[string]bool
}

// has reports whether a program is there, in a version that will do.
func has(program string) (bool, error) {
	known.Lock()
	defer known.Unlock()
	if found, ok := known.programs[program]; ok {
		return found, nil
	}
	root, err := checkout()
	if err != nil {
		return false, err
	}
	// The answer holds for the whole process, so it does not depend on the context of one test.
	cmd := exec.CommandContext(context.Background(), "/bin/sh", filepath.Join(root, "tools", "deps"), "--has", program)
	out, err := cmd.CombinedOutput()
	if missing := cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == 1; err != nil && !missing {
		return false, fmt.Errorf("tools/deps: %w: %s", err, out)
	}
	if known.programs == nil {
		known.programs = map[string]bool{}
	}
	known.programs[program] = err == nil
	return err == nil, nil
}

// Long skips a test in short mode, because it takes long or needs many other programs. `make check` runs it.
func Long(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("left out in short mode: make check runs it")
	}
}

// note appends a line to the list of tests that did not run. go test does not cache the result of a test that opened a new
// file in the module, so a test that was skipped runs again in each call, and finds a program that was installed meanwhile.
// A time in the future keeps the file new until the last test of the package ends.
func note(line string) error {
	root, err := checkout()
	if err != nil {
		return err
	}
	path := filepath.Join(root, ".cache", "not-run")
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(file, line)
	later := time.Now().Add(time.Hour)
	return errors.Join(err, file.Close(), os.Chtimes(path, later, later))
}

// checkout returns the folder of the repository that the test is in.
func checkout() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "tools", "needs")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("the test is not in a checkout of Bellhop")
		}
		dir = parent
	}
}
