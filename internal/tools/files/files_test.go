package files_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/bellhop/bellhop/internal/tools/files"
)

// TestWriteSecret checks that only the user can read the file, also if it existed with another mode.
func TestWriteSecret(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	old := filepath.Join(folder, "old.yaml")
	if err := os.WriteFile(old, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(old, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{old, filepath.Join(folder, "new.yaml")} {
		if err := files.WriteSecret(name, []byte("users: []")); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
}

// TestCreate checks that a file is replaced, and that a failed write is an error.
func TestCreate(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "report.xml")
	for _, text := range []string{"a longer report", "short"} {
		err := files.Create(name, func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		})
		if got, readErr := os.ReadFile(name); err != nil || readErr != nil || string(got) != text {
			t.Errorf("the file has %q, %v, %v, want %q", got, err, readErr, text)
		}
	}
	failure := errors.New("failed")
	if err := files.Create(name, func(io.Writer) error { return failure }); !errors.Is(err, failure) {
		t.Errorf("Create() = %v, want %v", err, failure)
	}
}

// TestShown checks that only files in the current folder are shown with a relative path.
func TestShown(t *testing.T) {
	t.Parallel()
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(filepath.Dir(folder), "world.yaml")
	for file, want := range map[string]string{
		filepath.Join(folder, "world.yaml"): "world.yaml", filepath.Join(folder, "a", "b"): filepath.Join("a", "b"), outside: outside,
	} {
		if got := files.Shown(file); got != want {
			t.Errorf("Shown(%s) = %s, want %s", file, got, want)
		}
	}
}
