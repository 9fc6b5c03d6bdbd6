package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/bellhop/bellhop/internal/auth"
)

// encryptionOptions are the flags of the key that encrypts signing keys in the database.
type encryptionOptions struct {
	Key     string `placeholder:"KEY" help:"Key that encrypts the keys that sign ID tokens and interactions in the database: 32 bytes in Base64. Several keys, separated by spaces: the first encrypts, the others only decrypt. Prefer the environment variable: other processes can see flags."`
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
	data, err := os.ReadFile(o.KeyFile)
	if err != nil {
		return "", fmt.Errorf("--encryption-key-file: %w", err)
	}
	if len(strings.TrimSpace(string(data))) == 0 {
		return "", fmt.Errorf("--encryption-key-file: %s is empty", o.KeyFile)
	}
	return auth.Secret(data), nil
}

// sealer returns the keys of the flags for a tool that reads the database. It is nil if there are none.
func (o encryptionOptions) sealer() (*auth.Sealer, error) {
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
