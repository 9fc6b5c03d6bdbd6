package usage

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// TestBuild checks what the version line says about builds with and without a repository.
func TestBuild(t *testing.T) {
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
		if got := (Build{Version: "dev"}).withSettings(tt.settings).line(); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestBuildOfRelease checks that the values of the linker win over the build information.
func TestBuildOfRelease(t *testing.T) {
	t.Parallel()
	b := Build{Version: "1.2.3", Commit: "abcdef", Date: "2026-01-02T03:04:05Z"}
	if want := "bellhop 1.2.3 (commit abcdef, 2026-01-02T03:04:05Z, " + runtime.Version() + ")"; b.String() != want {
		t.Errorf("got %q, want %q", b, want)
	}
}
