package main

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
)

// scratch is the folder of a run: everything that the run and its servers write is in it, and goes with it.
type scratch struct {
	dir   *os.Root
	count int // of the folders handed out
}

func newScratch() (*scratch, error) {
	name, err := os.MkdirTemp("", "bellhop-bench-")
	if err != nil {
		return nil, err
	}
	dir, err := os.OpenRoot(name)
	return &scratch{dir: dir}, err
}

// path returns the full path of a name in the scratch folder.
func (s *scratch) path(name string) string { return filepath.Join(s.dir.Name(), name) }

// folder returns a new empty folder.
func (s *scratch) folder(name string) (string, error) {
	s.count++
	name += "-" + strconv.Itoa(s.count)
	return s.path(name), s.dir.Mkdir(name, 0o700)
}

// file returns a new file with the given content.
func (s *scratch) file(name string, content []byte) (string, error) {
	s.count++
	name += "-" + strconv.Itoa(s.count)
	return s.path(name), s.dir.WriteFile(name, content, 0o600)
}

// remove deletes the folder.
func (s *scratch) remove() error {
	return errors.Join(s.dir.Close(), os.RemoveAll(s.dir.Name())) //nolint:gosec // G703: our own folder
}
