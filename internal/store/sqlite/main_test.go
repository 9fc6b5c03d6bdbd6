package sqlite_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"go.uber.org/goleak"
)

// childEnv names the part that a process of this test plays, childPath the database it plays it on.
const (
	childEnv  = "SQLITE_TEST_CHILD"
	childPath = "SQLITE_TEST_PATH"
)

// children are the parts.
var children = map[string]func(ctx context.Context, path string) error{
	"write until killed": writeUntilKilled,
	"full disk":          fullDisk,
	"end at once":        func(context.Context, string) error { return nil },
}

func TestMain(m *testing.M) {
	part, ok := children[os.Getenv(childEnv)]
	if !ok {
		goleak.VerifyTestMain(m)
		return
	}
	if err := part(context.Background(), os.Getenv(childPath)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// child returns another process of this test that plays a part on the database at path.
func child(t *testing.T, part, path string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), self)
	c.Env = append(os.Environ(), childEnv+"="+part, childPath+"="+path)
	c.Stderr = os.Stderr
	return c
}
