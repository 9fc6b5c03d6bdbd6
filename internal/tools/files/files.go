// Package files reads and writes the files that the arguments of a subcommand name.
package files

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/bellhop/bellhop/internal/world"
)

// Shown returns the path of a file relative to the current folder, if the file is in it.
func Shown(file string) string {
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

// Create replaces a file by what write writes. Its mode follows the umask.
func Create(name string, write func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// WriteSecret replaces a file that may contain tokens. Only the user of the process can read it.
func WriteSecret(name string, text []byte) error {
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

// OpenWorld opens a world file that may be large.
func OpenWorld(file string) (*world.File, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return world.Open(Shown(file), data)
}

// ReadWorld reads a world file.
func ReadWorld(file string) (world.World, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return world.World{}, err
	}
	return world.Parse(Shown(file), data)
}

// Locate adds the position in the world file to each fault in err.
func Locate(file string, err error) error {
	if err == nil || file == "" {
		return err
	}
	data, readErr := os.ReadFile(file)
	if readErr != nil {
		return err
	}
	return world.Locate(Shown(file), data, err)
}
