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

// FuzzParse holds Parse to what it promises of any text: a file is refused with places that lie in it, or it is read, and
// then what is written of it reads the same.
func FuzzParse(f *testing.F) {
	f.Add([]byte(sample))
	text, err := world.Demo().YAML()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"users":[{"id":9007199254740993,"username":"ada"}]}`))
	files, err := filepath.Glob("testdata/faults/*.txtar")
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
			if !ok || len(wrong.Faults) == 0 {
				t.Fatalf("Parse() = %v, want a *FileError with faults", err)
			}
			for _, fault := range wrong.Faults {
				if lines := bytes.Count(data, []byte("\n")) + bytes.Count(data, []byte("\r")) + 2; fault.Line < 1 || fault.Line > lines || fault.Column < 1 {
					t.Errorf("fault at %d:%d of a file with %d lines: %s", fault.Line, fault.Column, lines, fault.Message)
				}
			}
			return
		}
		if again, err := w.Complete(); err != nil || !cmp.Equal(w, again) {
			t.Errorf("Complete() of what Parse accepted = %v, %v", again, err)
		}
		text, err := w.YAML()
		if err != nil {
			t.Fatalf("YAML() = %v", err)
		}
		again, err := world.Parse("world.yaml", text)
		if err != nil {
			t.Fatalf("Parse() = %v of what YAML wrote:\n%s", err, text)
		}
		if diff := cmp.Diff(written(w), again); diff != "" {
			t.Errorf("(-want +got):\n%s\nof\n%s", diff, text)
		}
	})
}
