package guide_test

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"
)

// buildSettings make binaries without paths, so that the build cache serves every copy of the checkout.
var buildSettings = []string{"GOFLAGS=-buildvcs=false -trimpath", "CGO_ENABLED=0"}

// ownNetwork is the start of a command that runs a script in a network of its own: its ports are free, and nothing outside can be
// reached. Where the system does not allow that, it is empty.
var ownNetwork = sync.OnceValue(func() []string {
	if exec.Command("unshare", "--user", "--map-root-user", "--net", "true").Run() != nil {
		return nil
	}
	return []string{"unshare", "--user", "--map-root-user", "--net", "bash", "-c", `ip link set lo up && exec "$@"`, "bash"}
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
	return run(t, ownNetwork(), script, folder, bin, variables...)
}

// run runs a script in a folder, with more folders and variables in the environment, and returns its output. It ends all
// processes that the script started.
func run(t *testing.T, start []string, script, folder, bin string, variables ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
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
	runErr := cmd.Run()
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
