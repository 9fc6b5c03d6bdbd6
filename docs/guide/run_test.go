package guide_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/testkit/engines"
)

// buildSettings are those of the Makefile. They make binaries without paths, so that the build cache serves every copy of the checkout.
var buildSettings = []string{"GOFLAGS=-buildvcs=false -trimpath -gcflags=all=-dwarf=false -ldflags=-w", "CGO_ENABLED=0"}

// ownNetwork is the start of a command that runs a script in a network of its own: its ports are free, and nothing outside can be
// reached. All processes of the script end with it. Where the system does not allow that, it is empty.
var ownNetwork = sync.OnceValue(func() []string {
	for _, user := range [][]string{nil, {"--user", "--map-root-user"}} { // as root, as a user
		start := append([]string{"unshare", "--net", "--pid", "--fork", "--kill-child"}, user...)
		start = append(start, "bash", "-c", `ip link set lo up && exec "$@"`, "bash")
		if exec.Command(start[0], append(start[1:], "true")...).Run() == nil {
			return start
		}
	}
	return nil
})

// thisNetwork is held by a script that uses the ports of the machine.
var thisNetwork sync.Mutex

// runInOwnNetwork runs a script in a network of its own. Without one, scripts run one after the other, and the ports of the pages
// must be free.
func runInOwnNetwork(t *testing.T, script, folder, bin string, variables ...string) string {
	t.Helper()
	if ownNetwork() == nil {
		thisNetwork.Lock()
		defer thisNetwork.Unlock()
	}
	return runAfter(t, ownNetwork(), script, folder, bin, variables...)
}

// run runs a script in the network of this machine.
func run(t *testing.T, script, folder, bin string, variables ...string) string {
	t.Helper()
	return runAfter(t, nil, script, folder, bin, variables...)
}

// scriptProgram finds the programs of tools/needs that a script runs.
var scriptProgram = regexp.MustCompile(`(?m)(?:^|[;|&({] *|exec |until |run: )(curl|npm|npx|node|python3|redis-server|nginx|haproxy|caddy)\s`)

// packageOf maps programs to the names in tools/needs, if they differ.
var packageOf = map[string]string{"npx": "npm", "python3": "discord.py"}

// pageTimeout bounds the time of all blocks of a page.
const pageTimeout = 8 * time.Minute

// lastLine returns the last line of a file.
func lastLine(name string) string {
	text, err := os.ReadFile(name)
	if err != nil {
		return err.Error()
	}
	text = bytes.TrimSpace(text)
	return string(text[bytes.LastIndexByte(text, '\n')+1:])
}

// runAfter runs a script in a folder, with more folders and variables in the environment, and returns its output. start is the
// start of the command. It ends all processes that the script started.
func runAfter(t *testing.T, start []string, script, folder, bin string, variables ...string) string {
	t.Helper()
	for _, found := range scriptProgram.FindAllStringSubmatch(script, -1) {
		engines.Need(t, cmp.Or(packageOf[found[1]], found[1]))
	}
	// A page installs packages, builds programs and runs them, so it may take longer than a wait of a test. Progress shows what it
	// does.
	ctx, cancel := context.WithTimeout(t.Context(), pageTimeout)
	defer cancel()
	temp := t.TempDir()
	page := filepath.Join(temp, "page.sh")
	if err := os.WriteFile(page, []byte("set -euo pipefail\n"+script), 0o600); err != nil {
		t.Fatal(err)
	}
	args := append(append([]string{}, start...), "bash", page)
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "NO_COLOR=1")
	cmd.Env = append(append(cmd.Env, buildSettings...), variables...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	file, err := os.Create(filepath.Join(temp, "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }() // only the script writes to it
	cmd.Stdout, cmd.Stderr = file, file // a file, not a pipe: background processes keep a pipe open
	stop := engines.Progress(t, func() string { return lastLine(file.Name()) })
	runErr := cmd.Run()
	stop()
	if ctx.Err() != nil {
		runErr = fmt.Errorf("the page did not end within %v", pageTimeout)
	}
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // the services and bots of the page
	data, err := os.ReadFile(file.Name())
	if err != nil {
		t.Fatal(err)
	}
	if runErr != nil {
		t.Fatalf("%v\n%s", runErr, data)
	}
	return string(data)
}
