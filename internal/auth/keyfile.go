package auth

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// KeyFileName is the name of the file with the encryption key in a data folder.
const KeyFileName = "encryption-key"

// ReadKeyFile returns the encryption keys in a file. The error is fs.ErrNotExist if there is no file.
func ReadKeyFile(file string) (Secret, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	if strings.TrimSpace(string(data)) == "" {
		return "", fmt.Errorf("%s is empty", file)
	}
	return Secret(data), nil
}

// CreateKeyFile creates a file with a new encryption key, which only its owner can read. If the file exists, it returns the
// keys in it.
func CreateKeyFile(file string) (Secret, error) {
	key := make([]byte, sealKeyLen)
	_, _ = rand.Read(key) // it never returns an error
	err := WriteNewFile(file, []byte(base64.StdEncoding.EncodeToString(key)+"\n"))
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return ReadKeyFile(file)
}

// CheckKeyFile returns an error if other users of the machine can read a file with keys.
func CheckKeyFile(file string) error {
	info, err := os.Stat(file)
	if err != nil || runtime.GOOS == "windows" || info.Mode().Perm()&0o077 == 0 {
		return err
	}
	return fmt.Errorf("other users can read %s: run chmod 600 %s", file, file)
}

// WriteNewFile creates a file that only its owner can read, with its content or not at all. The error is fs.ErrExist if the
// file exists.
func WriteNewFile(file string, data []byte) error {
	return writeFile(file, data, os.Link)
}

// ReplaceFile replaces a file, or creates it, like WriteNewFile.
func ReplaceFile(file string, data []byte) error {
	return writeFile(file, data, os.Rename)
}

// writeFile writes a temporary file in the folder of a file, gives it its name with place, and waits until both are on disk.
func writeFile(file string, data []byte, place func(from, to string) error) (err error) {
	dir := filepath.Dir(file)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(dir, ".key-")
	if err != nil {
		return err
	}
	_, err = tmp.Write(data)
	err = errors.Join(err, tmp.Sync(), tmp.Close())
	if err == nil {
		err = place(tmp.Name(), file)
	}
	if removed := os.Remove(tmp.Name()); !errors.Is(removed, fs.ErrNotExist) {
		err = errors.Join(err, removed)
	}
	if err != nil {
		return err
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
