// Package guide_test runs the blocks of the documents as they are, and checks those that cannot run.
package guide_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/testkit/engines"
)

// TestGuides runs the pages that begin in a checkout. Each script starts in its own copy of this one, because all create the folder
// dicebot beside it.
func TestGuides(t *testing.T) {
	t.Parallel()
	engines.Long(t)
	buildBellhop(t) // the scripts then find the packages in the build cache, and do not compile them at the same time
	for _, page := range []string{"docs/guide/go.md", "docs/guide/javascript.md", "docs/guide/python.md"} {
		t.Run(filepath.Base(page), func(t *testing.T) {
			t.Parallel()
			script, outputs := pageScript(t, blocks(t, page))
			checkout := copyCheckout(t)
			download(t, checkout, "go", "mod", "download")
			if page == "docs/guide/javascript.md" {
				engines.Need(t, "node", "npm")
				download(t, filepath.Join(checkout, "kit/node"), "npm", "ci", "--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts")
			}
			bin := t.TempDir()
			if err := os.Symlink("/usr/bin/python3", filepath.Join(bin, "python3")); err != nil { // the one with Debian's packages
				t.Fatal(err)
			}
			compareOutputs(t, runInOwnNetwork(t, script, checkout, bin, "GOBIN="+bin, "GOWORK="), outputs)
		})
	}
}

// download runs a command that fills the caches of Go and npm: the network of the scripts reaches no registry.
func download(t *testing.T, folder, program string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir = folder
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, out)
	}
}

// copyCheckout returns a copy of this checkout in a folder called bellhop, without build results.
func copyCheckout(t *testing.T) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "bellhop")
	if err := os.Mkdir(folder, 0o750); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", "tar -c --null -T - | tar -x -C "+folder)
	cmd.Dir = root
	cmd.Stdin = strings.NewReader(strings.Join(sources(t), "\x00"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return folder
}

// sources returns the files of the checkout that git does not ignore. It also looks at each file, because go test caches a result
// until a file changes that the test looked at; it does not see which files tar reads. A list of the folders would not do: every
// run of the tests writes into some of them.
func sources(t *testing.T) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git ls-files: %v", err)
	}
	files := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	return slices.DeleteFunc(files, func(path string) bool {
		_, err := os.Lstat(filepath.Join(root, path))
		return err != nil // deleted, but not yet committed
	})
}
