package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/testkit/engines"
	"github.com/rogpeppe/go-internal/testscript"
)

// asProgram is the environment variable that makes the test binary run as bellhop.
const asProgram = "BELLHOP_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	// Most tests wait for processes that they have started, so more of them run at once than there are processors. The command
	// line can select another number.
	if err := flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0))); err != nil {
		panic(err)
	}
	testscript.Main(m, map[string]func(){"bellhop": main})
}

func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{Dir: "testdata/script"})
}

// TestLongScripts runs the scripts that start many services.
func TestLongScripts(t *testing.T) {
	t.Parallel()
	engines.Long(t)
	testscript.Run(t, testscript.Params{Dir: "testdata/script/long"})
}

// process is a running bellhop.
type process struct{ *engines.Node }

// start starts bellhop and waits until it is ready. The process is killed when the test ends.
func start(t *testing.T, args ...string) *process {
	t.Helper()
	return &process{engines.StartNode(t, os.Args[0], []string{asProgram + "=1"}, args...)}
}

func TestExitCodes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		args []string
		want int
	}{
		{[]string{"--help"}, exitOK},
		{[]string{"serve", "--help"}, exitOK},
		{[]string{}, exitOK},
		{[]string{"version"}, exitOK},
		{[]string{"nonsense"}, exitUsage},
		{[]string{"serve"}, exitUsage},
		{[]string{"serve", "--data", t.TempDir(), "--colour"}, exitUsage},
		{[]string{"serve", "--data", t.TempDir(), "--lobby-users", "some"}, exitUsage},
		{[]string{"dev", "--lobby-activity", "reads"}, exitUsage},
		{[]string{"dev", "--lobbies-per-user", "0"}, exitUsage},
		{[]string{"token", "client", "--app", "ping"}, exitUsage},
		{[]string{"world", "check", "/does/not/exist.yaml"}, exitFailed},
	} {
		t.Run(fmt.Sprint(tt.args), func(t *testing.T) {
			t.Parallel()
			var out, errs strings.Builder
			if got := run(t.Context(), tt.args, &out, &errs); got != tt.want {
				t.Errorf("exit code %d, want %d\n%s%s", got, tt.want, out.String(), errs.String())
			}
		})
	}
}
