package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// runBellhop runs a command that must have the given exit code, and returns what it prints.
func runBellhop(t *testing.T, code int, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	if got := run(t.Context(), args, &out, &err); got != code {
		t.Fatalf("bellhop %s: exit code %d, want %d\n%s%s", strings.Join(args, " "), got, code, &out, &err)
	}
	return out.String(), err.String()
}

// TestBackupToPipe writes a backup to the standard output, restores it, and checks what both commands print.
func TestBackupToPipe(t *testing.T) {
	t.Parallel()
	dir, back, file := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "backup")
	runBellhop(t, exitOK, "world", "apply", "--data", dir, writeText(t, "world.yaml", `users: [{id: "200", username: ada}]`))
	out, text := runBellhop(t, exitOK, "backup", "--data", dir)
	if !strings.HasPrefix(text, "backup complete: ") || !strings.HasSuffix(text, ", 1 file\n") {
		t.Errorf("backup prints %q", text)
	}
	if err := os.WriteFile(file, []byte(out), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, _ := runBellhop(t, exitOK, "restore", "--data", back, file); !strings.Contains(out, " and 1 file of ") {
		t.Errorf("restore prints %q", out)
	}
	if _, text := runBellhop(t, exitFailed, "restore", "--data", back, file); !strings.Contains(text, " contains data") {
		t.Errorf("a restore into a folder with data prints %q", text)
	}
	if _, text := runBellhop(t, exitFailed, "backup", "--data", dir, "-o", file); !strings.Contains(text, "exists") {
		t.Errorf("a backup to a file that exists prints %q", text)
	}
}
