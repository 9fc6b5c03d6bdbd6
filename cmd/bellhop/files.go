package main

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/bellhop/bellhop/internal/world"
)

// shownPath returns the path of a file relative to the current folder, if the file is in it.
func shownPath(file string) string {
	folder, err := os.Getwd()
	if err != nil {
		return file
	}
	short, err := filepath.Rel(folder, file)
	if err != nil || !filepath.IsLocal(short) {
		return file
	}
	return short
}

// writeFile replaces a file. Its mode follows the umask.
func writeFile(name string, text []byte) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

// writeSecretFile replaces a file that may contain tokens. Only the user of the process can read it.
func writeSecretFile(name string, text []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	err = f.Chmod(0o600) // a file that existed keeps its mode otherwise
	if err == nil {
		_, err = f.Write(text)
	}
	return errors.Join(err, f.Close())
}

// openWorld opens a world file that may be large.
func openWorld(file string) (*world.File, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return world.Open(shownPath(file), data)
}

// readWorld reads a world file.
func readWorld(file string) (world.World, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return world.World{}, err
	}
	return world.Parse(shownPath(file), data)
}

// locate adds the position in the world file to each fault in err.
func locate(file string, err error) error {
	if err == nil || file == "" {
		return err
	}
	data, readErr := os.ReadFile(file)
	if readErr != nil {
		return err
	}
	return world.Locate(shownPath(file), data, err)
}
