package main

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/bellhop/bellhop/internal/testkit/engines"
)

// TestStampedVersion builds the binary with the linker flags of a release.
func TestStampedVersion(t *testing.T) {
	t.Parallel()
	engines.Long(t)
	binary := filepath.Join(t.TempDir(), "bellhop")
	flags := "-s -w -X main.version=1.2.3 -X main.commit=abcdef -X main.date=2026-01-02T03:04:05Z"
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-ldflags", flags, "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want := "bellhop 1.2.3 (commit abcdef, 2026-01-02T03:04:05Z, " + runtime.Version() + ")\n"
	for _, arg := range []string{"version", "--version"} {
		out, err := exec.CommandContext(t.Context(), binary, arg).Output()
		if err != nil || string(out) != want {
			t.Errorf("bellhop %s: %q, %v, want %q", arg, out, err, want)
		}
	}
}
