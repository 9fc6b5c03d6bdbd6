package main

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
)

// workDir is the temporary folder of a run. The run and its servers write only there.
type workDir struct {
	dir   *os.Root
	count int // number of created folders and files
}

func newWorkDir() (*workDir, error) {
	name, err := os.MkdirTemp("", "bellhop-bench-")
	if err != nil {
		return nil, err
	}
	dir, err := os.OpenRoot(name)
	return &workDir{dir: dir}, err
}

// path returns the full path of a file in the folder.
func (s *workDir) path(name string) string { return filepath.Join(s.dir.Name(), name) }

// folder creates a new empty folder.
func (s *workDir) folder(name string) (string, error) {
	s.count++
	name += "-" + strconv.Itoa(s.count)
	return s.path(name), s.dir.Mkdir(name, 0o700)
}

// file creates a new file with the given content.
func (s *workDir) file(name string, content []byte) (string, error) {
	s.count++
	name += "-" + strconv.Itoa(s.count)
	return s.path(name), s.dir.WriteFile(name, content, 0o600)
}

// remove deletes the folder.
func (s *workDir) remove() error {
	return errors.Join(s.dir.Close(), os.RemoveAll(s.dir.Name()))
}
