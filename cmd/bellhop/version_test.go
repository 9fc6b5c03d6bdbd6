package main

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/bellhop/bellhop/internal/testkit/engines"
)

func TestFormatVersion(t *testing.T) {
	t.Parallel()
	const revision = "0123456789abcdef0123456789abcdef01234567"
	set := func(pairs ...string) (list []debug.BuildSetting) {
		for i := 0; i < len(pairs); i += 2 {
			list = append(list, debug.BuildSetting{Key: pairs[i], Value: pairs[i+1]})
		}
		return list
	}
	for _, tt := range []struct {
		name     string
		settings []debug.BuildSetting
		want     string
	}{
		{"a build without a repository", nil, "bellhop dev (" + runtime.Version() + ")"},
		{
			"a build in a checkout", set("vcs", "git", "vcs.revision", revision, "vcs.time", "2026-01-02T03:04:05Z", "vcs.modified", "false"),
			"bellhop dev (commit " + revision + ", 2026-01-02T03:04:05Z, " + runtime.Version() + ")",
		},
		{
			"a build with changes", set("vcs.revision", revision, "vcs.modified", "true"),
			"bellhop dev (commit " + revision + "+changes, " + runtime.Version() + ")",
		},
	} {
		revision, time := vcsSettings(tt.settings)
		if got := formatVersion("dev", revision, time); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

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
