package watch_test

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/tools/watch"
)

// put writes a file in one step, as a reader sees it.
func put(t *testing.T, folder, name, text string) {
	t.Helper()
	path := filepath.Join(folder, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

// TestAwait checks that a file that is still being written does not end the wait.
func TestAwait(t *testing.T) {
	t.Parallel()
	states := []string{"old", "old", "empty", "half", "whole", "whole"}
	seen := 0
	changed := watch.Await(t.Context(), "old", func() string {
		seen++
		return states[seen-1]
	})
	if !changed || seen != len(states) {
		t.Errorf("Await() = %v after %d of %d states", changed, seen, len(states))
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if watch.Await(ended, "old", func() string { return "old" }) {
		t.Error("Await() = true although nothing changed")
	}
}

// TestState checks which changes count.
func TestState(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		file string
		want bool // whether a change of the file counts
	}{
		{"s.yaml", true},
		{"bot.py", true},
		{"src/bot.mjs", true},
		{"s.snap.yaml", false},
		{".git/index", false},
		{".bot.py.swp", false},
		{"node_modules/x/index.js", false},
		{"src/__pycache__/bot.pyc", false},
	} {
		t.Run(tt.file, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			put(t, folder, "s.yaml", "a")
			names := []string{filepath.Join(folder, "s.yaml")}
			before := watch.State(names)
			put(t, folder, tt.file, "changed")
			if got := watch.State(names) != before; got != tt.want {
				t.Errorf("a change of %s counts: %v, want %v", tt.file, got, tt.want)
			}
		})
	}
	missing := filepath.Join(t.TempDir(), "missing", "s.yaml")
	if got := watch.State([]string{missing}); got != "" {
		t.Errorf("State() of a folder that does not exist: %q", got)
	}
}

// TestRepeat checks that a changed file causes another run, and what the run writes itself does not.
func TestRepeat(t *testing.T) {
	t.Parallel()
	ctx, end := context.WithTimeout(t.Context(), 30*time.Second)
	defer end()
	folder, runs := t.TempDir(), 0
	put(t, folder, "scenarios.yaml", "a")
	watch.Repeat(ctx, []string{filepath.Join(folder, "scenarios.yaml")}, true, func() {
		runs++
		put(t, folder, "written", strconv.Itoa(runs))
		switch runs {
		case 1:
			time.AfterFunc(time.Second, func() { _ = os.WriteFile(filepath.Join(folder, "changed"), []byte("a"), 0o600) }) // without it, the test times out
		case 2:
			end()
		}
	})
	if runs != 2 {
		t.Errorf("%d runs within 30 s, want 2", runs)
	}
}
