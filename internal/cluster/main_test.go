package cluster

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/testkit/engines"
)

// programs are the binaries under test. They have no race detector: with it, three nodes under load are too slow for the time
// limits of the service when the machine is busy. The tests of the packages that a node consists of do use the detector.
var programs = engines.Programs{Packages: []string{"cmd/bellhop"}}

// TestMain runs no test in short mode: several nodes, and faults, take minutes.
func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() {
		fmt.Println("left out in short mode: make check runs these tests")
		return
	}
	code := m.Run()
	programs.Remove()
	wrongClocks.Remove()
	os.Exit(code)
}

// process is a running bellhop.
type process struct{ *engines.Node }

// start starts bellhop and waits until it is ready. The process is killed when the test ends.
func start(t *testing.T, args ...string) *process {
	t.Helper()
	return startProgram(t, programs.Path(t, "bellhop"), nil, args...)
}

// startProgram is start for the binary of any version, with environment variables.
func startProgram(t *testing.T, program string, environment []string, args ...string) *process {
	t.Helper()
	return &process{engines.StartNode(t, program, environment, args...)}
}

// bellhop runs a command that must succeed.
func bellhop(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), programs.Path(t, "bellhop"), args...).CombinedOutput(); err != nil {
		t.Fatalf("bellhop %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}
