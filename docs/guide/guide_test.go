// Package guide_test runs the blocks of the documents as they are, and checks those that cannot run.
package guide_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestGuides runs the pages that begin in a checkout. The scripts start in a copy of this one.
func TestGuides(t *testing.T) {
	t.Parallel()
	checkout := copyCheckout(t)
	for _, page := range []string{"docs/guide/go.md", "docs/guide/javascript.md", "docs/guide/python.md"} {
		t.Run(filepath.Base(page), func(t *testing.T) { // one after the other: all create the folder dicebot
			script, outputs := pageScript(t, blocks(t, page))
			bin := t.TempDir()
			if err := os.Symlink("/usr/bin/python3", filepath.Join(bin, "python3")); err != nil { // the one with Debian's packages
				t.Fatal(err)
			}
			compareOutputs(t, runInOwnNetwork(t, script, checkout, bin, "GOBIN="+bin, "GOWORK="), outputs)
			if err := os.RemoveAll(filepath.Join(filepath.Dir(checkout), "dicebot")); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// copyCheckout returns a copy of this checkout in a folder called bellhop, without build results.
func copyCheckout(t *testing.T) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "bellhop")
	if err := os.Mkdir(folder, 0o750); err != nil {
		t.Fatal(err)
	}
	command := "tar -c --exclude=./.git --exclude=./.cache --exclude=./bin --exclude=./dist --exclude=node_modules . | tar -x -C " + folder
	cmd := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", command)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return folder
}
