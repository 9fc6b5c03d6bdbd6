//go:build unix

package sqlite_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"go.uber.org/goleak"
)

// A test that needs a second process starts its own binary with these variables: which task to run, and on which
// database.
const (
	childTask = "SQLITE_TEST_TASK"
	childPath = "SQLITE_TEST_PATH"
)

// childTasks are the tasks of second processes.
var childTasks = map[string]func(ctx context.Context, path string) error{
	"commit until killed": commitUntilKilled,
	"build until killed":  buildUntilKilled,
	"full disk":           fullDisk,
	"exit":                func(context.Context, string) error { return nil },
}

func TestMain(m *testing.M) {
	task, ok := childTasks[os.Getenv(childTask)]
	if !ok {
		goleak.VerifyTestMain(m)
		return
	}
	if err := task(context.Background(), os.Getenv(childPath)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// child returns a second process that runs a task on the database at path.
func child(t *testing.T, task, path string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), self)
	c.Env = append(os.Environ(), childTask+"="+task, childPath+"="+path)
	c.Stderr = os.Stderr
	return c
}
