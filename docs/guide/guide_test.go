// Package guide_test runs every block of the guides in an empty folder.
package guide_test

import (
	"context"
	"fmt"
	"net"
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

// TestGuides runs the pages. It replaces steps that need the network by files of this checkout.
func TestGuides(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(bin, "bellhop"), "./cmd/bellhop")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, page := range []string{"go.md", "javascript.md"} {
		t.Run(page, func(t *testing.T) {
			text, outputs := script(blocks(t, page))
			service, bot := free(t), free(t)
			_, port, _ := strings.Cut(bot, ":")
			text = strings.NewReplacer(
				"go install github.com/bellhop/bellhop/cmd/bellhop@latest", "bellhop version",
				"go get github.com/bellhop/bellhop@latest",
				"cp "+root+"/go.sum . && go mod edit -require github.com/bellhop/bellhop@v0.0.0 -replace github.com/bellhop/bellhop="+root+
					" -replace modernc.org/libc=modernc.org/libc@v1.77.1",
				"npm install --save-dev bellhop-test", "mkdir node_modules && ln -s "+root+"/kit/node node_modules/bellhop-test",
				"127.0.0.1:8080", service, "127.0.0.1:9000", bot, "listen(9000,", "listen("+port+",",
			).Replace(text)
			out := run(t, text, bin)
			for i, want := range outputs {
				_, part, _ := strings.Cut(out, fmt.Sprintf("-- %d --\n", i))
				part, _, _ = strings.Cut(part, "\n-- ")
				if !strings.Contains(part, want) {
					t.Errorf("block %d of %s puts out no %q:\n%s", i, page, want, part)
				}
			}
		})
	}
}

// run runs a script in an empty folder and kills all processes that it started.
func run(t *testing.T, text, bin string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", text)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "GOFLAGS=-mod=mod", "GOWORK=off", "NO_COLOR=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
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

// free returns an address with a free port.
func free(t *testing.T) string {
	t.Helper()
	ln, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := ln.Close(); err != nil {
		t.Fatal(err)
	}
	return ln.Addr().String()
}
