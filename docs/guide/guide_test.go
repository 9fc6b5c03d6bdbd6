// Package guide_test runs every block of the guides in an empty folder.
package guide_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// block is a fenced block of a page.
type block struct {
	kind, file, text string
}

// blocks returns the fenced blocks of a page in order.
func blocks(t *testing.T, page string) []block {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var list []block
	for _, m := range regexp.MustCompile("(?ms)^```(\\w+)(?: (\\S+))?\n(.*?)^```$").FindAllStringSubmatch(string(text), -1) {
		list = append(list, block{m[1], m[2], m[3]})
	}
	if len(list) < 8 {
		t.Fatalf("%s has %d blocks", page, len(list))
	}
	return list
}

// script converts a page to one shell script. It writes the files of the page, and marks the output of each block, so that
// the test can compare it with the following output block.
func script(list []block) (text string, outputs map[int]string) {
	var b strings.Builder
	b.WriteString("set -euo pipefail\n")
	outputs = map[int]string{}
	for i, bl := range list {
		switch {
		case bl.file != "":
			fmt.Fprintf(&b, "cat > %s <<'END OF FILE'\n%sEND OF FILE\n", bl.file, bl.text)
		case bl.kind == "output":
			outputs[i-1] = strings.TrimSpace(bl.text)
		default:
			fmt.Fprintf(&b, "echo '-- %d --'\n%s", i, bl.text)
		}
	}
	return b.String(), outputs
}

// TestGuides runs the pages as they are. The scripts start in a copy of this checkout and have a network of their own: its
// ports are free, and nothing outside can be reached.
func TestGuides(t *testing.T) {
	t.Parallel()
	checkout := copyCheckout(t)
	for _, page := range []string{"go.md", "javascript.md"} {
		t.Run(page, func(t *testing.T) { // one after the other: both create the folder dicebot
			text, outputs := script(blocks(t, page))
			out := run(t, text, checkout)
			for i, want := range outputs {
				_, part, _ := strings.Cut(out, fmt.Sprintf("-- %d --\n", i))
				part, _, _ = strings.Cut(part, "\n-- ")
				if !strings.Contains(part, want) {
					t.Errorf("block %d of %s puts out no %q:\n%s", i, page, want, part)
				}
			}
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
	cmd.Dir = "../.."
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return folder
}

// ownNetwork runs a script in a network of its own. Where the system does not allow that, the ports of the pages must be
// free.
const ownNetwork = `if unshare --user --map-root-user --net true 2>/dev/null; then
  exec unshare --user --map-root-user --net bash -c 'ip link set lo up && exec bash "$0"' "$1"
fi
exec bash "$1"
`

// run runs a script in a folder and kills all processes that it started.
func run(t *testing.T, text, folder string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	defer cancel()
	temp := t.TempDir()
	page := filepath.Join(temp, "page.sh")
	if err := os.WriteFile(page, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, "bash", "-c", ownNetwork, "bash", page)
	cmd.Dir = folder
	// Without paths in the binaries, the build cache serves every copy of the checkout.
	cmd.Env = append(os.Environ(), "PATH="+temp+":"+os.Getenv("PATH"), "GOBIN="+temp, "GOWORK=", "NO_COLOR=1",
		"GOFLAGS=-buildvcs=false -trimpath", "CGO_ENABLED=0")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	file, err := os.Create(filepath.Join(temp, "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }() // only the script writes to it
	cmd.Stdout, cmd.Stderr = file, file // a file, not a pipe: background processes keep a pipe open
	runErr := cmd.Run()
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // the service and the bot of the last step
	data, err := os.ReadFile(file.Name())
	if err != nil {
		t.Fatal(err)
	}
	if runErr != nil {
		t.Fatalf("%v\n%s", runErr, data)
	}
	return string(data)
}
