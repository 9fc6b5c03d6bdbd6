package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/bellhop/bellhop/internal/auth"
)

// encryptionOptions are the flags of the key that encrypts signing keys.
type encryptionOptions struct {
	Key     string `placeholder:"KEY" help:"Key that encrypts the keys that sign ID tokens, interactions and the URLs of files: 32 bytes in Base64. Several keys, separated by spaces: the first encrypts, the others only decrypt. none: no encryption. Default: without --postgres, the file encryption-key in --data, which the first start creates. Prefer the environment variable: other processes can see flags."`
	KeyFile string `type:"path" placeholder:"FILE" help:"File with the keys of --encryption-key."`
}

// read returns the key of the flags. It is empty if there is none.
func (o encryptionOptions) read() (auth.Secret, error) {
	switch {
	case o.Key != "" && o.KeyFile != "":
		return "", usageError{errors.New("--encryption-key and --encryption-key-file cannot be used together")}
	case o.KeyFile == "":
		return auth.Secret(o.Key), nil
	}
	key, err := auth.ReadKeyFile(o.KeyFile)
	if err != nil {
		return "", fmt.Errorf("--encryption-key-file: %w", err)
	}
	return key, nil
}

// file returns the file that the keys are in, for a tool that reads the database. It is empty if there is none.
func (o encryptionOptions) file(data string) string {
	if o.Key != "" || o.KeyFile != "" || data == "" {
		return o.KeyFile
	}
	file := filepath.Join(data, auth.KeyFileName)
	if _, err := os.Stat(file); err != nil {
		return ""
	}
	return file
}

// sealer returns the keys of the flags for a tool that reads the database, or those in the data folder. It is nil if there are
// none.
func (o encryptionOptions) sealer(data string) (*auth.Sealer, error) {
	o.KeyFile = o.file(data)
	key, err := o.read()
	if err != nil || key == "" {
		return nil, err
	}
	s, err := auth.NewSealer(key.Reveal())
	if err != nil {
		return nil, fmt.Errorf("read the encryption key: %w", err)
	}
	return s, nil
}
