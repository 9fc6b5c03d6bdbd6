package world_test

import (
	"bytes"
	"errors"
	"path/filepath"
	"testing"

	"github.com/bellhop/bellhop/internal/world"
	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// FuzzParse checks that Parse either returns problems whose positions are in the file, or returns a world that YAML
// writes and Parse reads unchanged.
func FuzzParse(f *testing.F) {
	f.Add([]byte(sample))
	text, err := world.Demo().YAML()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"users":[{"id":9007199254740993,"username":"ada"}]}`))
	files, err := filepath.Glob("testdata/errors/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(archive.Files[0].Data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		w, err := world.Parse("world.yaml", data)
		if err != nil {
			wrong, ok := errors.AsType[*world.FileError](err)
			if !ok || len(wrong.Problems) == 0 {
				t.Fatalf("Parse() = %v, want a *FileError with problems", err)
			}
			for _, problem := range wrong.Problems {
				if lines := bytes.Count(data, []byte("\n")) + bytes.Count(data, []byte("\r")) + 2; problem.Line < 1 || problem.Line > lines || problem.Column < 1 {
					t.Errorf("problem at %d:%d of a file with %d lines: %s", problem.Line, problem.Column, lines, problem.Message)
				}
			}
			return
		}
		if again, err := w.Complete(); err != nil || !cmp.Equal(w, again) {
			t.Errorf("Complete() of an accepted world = %v, %v", again, err)
		}
		text, err := w.YAML()
		if err != nil {
			t.Fatalf("YAML() = %v", err)
		}
		again, err := world.Parse("world.yaml", text)
		if err != nil {
			t.Fatalf("Parse() = %v of the output of YAML:\n%s", err, text)
		}
		if diff := cmp.Diff(written(w), again); diff != "" {
			t.Errorf("(-want +got):\n%s\nof\n%s", diff, text)
		}
	})
}
