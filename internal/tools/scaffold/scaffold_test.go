package scaffold_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/tools/scaffold"
)

// TestWrite checks the files of each language. TestInit of the command runs them.
func TestWrite(t *testing.T) {
	t.Parallel()
	for _, l := range scaffold.Languages {
		t.Run(l.Name, func(t *testing.T) {
			t.Parallel()
			folder := filepath.Join(t.TempDir(), "bot")
			var created []string
			if err := l.Write(folder, `The "Dice" Bot`, func(path string) { created = append(created, path) }); err != nil {
				t.Fatal(err)
			}
			if !slices.IsSorted(created) || !slices.Contains(created, filepath.Join(folder, l.Source)) {
				t.Errorf("created %q, want a sorted list with %s", created, l.Source)
			}
			for _, path := range created {
				text, err := os.ReadFile(path)
				if err != nil || len(text) == 0 || strings.Contains(string(text), "<no value>") {
					t.Errorf("%s: %v\n%s", path, err, text)
				}
			}
			text, err := os.ReadFile(filepath.Join(folder, "world.yaml"))
			if err != nil || !strings.Contains(string(text), `name: "The \"Dice\" Bot"`) {
				t.Errorf("the world does not name the app: %v\n%s", err, text)
			}
		})
	}
}

// TestWriteReplacesNothing checks that no file is written if one exists.
func TestWriteReplacesNothing(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "world.yaml"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := scaffold.Languages[0].Write(folder, "bot", func(path string) { t.Errorf("wrote %s", path) })
	if e, ok := errors.AsType[*scaffold.ExistsError](err); !ok || e.Path != filepath.Join(folder, "world.yaml") || e.Err != nil {
		t.Errorf("Write() = %v, want that world.yaml exists", err)
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 1 {
		t.Errorf("the folder has %v, %v", entries, err)
	}
}
