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

// runPages are the pages whose blocks are one script. Blocks of the kind "sh" run in order in one shell and an empty folder. A
// block with the name of a file is that file. A block of the kind "output" is in the output of the block before. Blocks of
// other kinds, such as "text", do not run: the page says why, or they are output of a program.
var runPages = []string{
	"first-command.md", "python.md", "lobbies.md", "../backup.md", "../troubleshooting.md", "../users.md", "../from-discord.md", "../monitoring.md",
}

var pageBlock = regexp.MustCompile("(?ms)^```(\\w+)(?: (\\S+))?\n(.*?)^```$")

// pageScript converts a page to a shell script, and returns the expected output by number of the block.
func pageScript(t *testing.T, page string) (script string, outputs map[int]string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("set -euo pipefail\n")
	outputs = map[int]string{}
	ran := -1
	for i, m := range pageBlock.FindAllStringSubmatch(string(text), -1) {
		kind, file, body := m[1], m[2], m[3]
		switch {
		case file != "":
			fmt.Fprintf(&b, "cat > %s <<'END OF FILE'\n%sEND OF FILE\n", file, body)
		case kind == "output":
			outputs[ran] = strings.TrimSpace(body)
		case kind == "sh":
			fmt.Fprintf(&b, "echo '-- %d --'\n%s\necho\n", i, body)
			ran = i
		}
	}
	if ran < 0 {
		t.Fatalf("%s has no block that runs", page)
	}
	return b.String(), outputs
}

// TestPages runs the blocks of the pages against the binary. It replaces the ports of the pages by free ones.
func TestPages(t *testing.T) {
	t.Parallel()
	bin := buildBellhop(t)
	for _, page := range runPages {
		t.Run(filepath.Base(page), func(t *testing.T) {
			text, outputs := pageScript(t, page)
			bot := freeAddress(t)
			host, port, _ := strings.Cut(bot, ":")
			text = strings.NewReplacer(
				"127.0.0.1:8080", "$SERVICE", "bellhop dev ", "bellhop dev --listen $SERVICE ", "bellhop serve ", "bellhop serve --listen $SERVICE ",
				"127.0.0.1:9000", bot, `("127.0.0.1", 9000)`, `("`+host+`", `+port+`)`,
			).Replace(text)
			service := freeAddress(t)
			text = "export BELLHOP_BASE_URL=http://" + service + "\n" + strings.ReplaceAll(text, "$SERVICE", service)
			out := runScript(t, text, bin)
			for i, want := range outputs {
				_, part, _ := strings.Cut(out, fmt.Sprintf("-- %d --\n", i))
				part, _, _ = strings.Cut(part, "\n-- ")
				if !strings.Contains(part, want) {
					t.Errorf("block %d puts out no %q:\n%s", i, want, part)
				}
			}
		})
	}
}

// buildBellhop builds the binary and returns its folder, which also has the Python of the system.
func buildBellhop(t *testing.T) string {
	t.Helper()
	bin := t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(bin, "bellhop"), "./cmd/bellhop")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := os.Symlink("/usr/bin/python3", filepath.Join(bin, "python3")); err != nil { // the one with Debian's packages
		t.Fatal(err)
	}
	return bin
}

// runScript runs a script in an empty folder, returns its output, and ends all processes that it started.
func runScript(t *testing.T, text, bin string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", text)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "NO_COLOR=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }() // only the script writes to it
	cmd.Stdout, cmd.Stderr = file, file // a file, not a pipe: background processes keep a pipe open
	runErr := cmd.Run()
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // the service and the bot
	data, err := os.ReadFile(file.Name())
	if err != nil {
		t.Fatal(err)
	}
	if runErr != nil {
		t.Fatalf("%v\n%s", runErr, data)
	}
	return string(data)
}

// freeAddress returns an address with a free port.
func freeAddress(t *testing.T) string {
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
