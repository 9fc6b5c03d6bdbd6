package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/bellhop/bellhop/internal/oauthserver"
)

// encryptionOptions are the flags of the key that encrypts signing keys in the database.
type encryptionOptions struct {
	Key     string `placeholder:"KEY" help:"Key that encrypts the keys of ID tokens in the database: 32 bytes in Base64. Several keys, separated by spaces: the first encrypts, the others only decrypt. Prefer the environment variable: other processes can see flags."`
	KeyFile string `type:"path" placeholder:"FILE" help:"File with the keys of --encryption-key."`
}

// sealer returns the sealer of the flags. Without a key it does not encrypt.
func (o encryptionOptions) sealer() (*oauthserver.Sealer, error) {
	text := o.Key
	switch {
	case o.Key == "" && o.KeyFile == "":
		var none *oauthserver.Sealer
		return none, nil
	case o.Key != "" && o.KeyFile != "":
		return nil, usageError{errors.New("--encryption-key and --encryption-key-file cannot be used together")}
	case o.KeyFile != "":
		data, err := os.ReadFile(o.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("--encryption-key-file: %w", err)
		}
		text = string(data)
	}
	sealer, err := oauthserver.NewSealer(text)
	if err != nil {
		return nil, usageError{fmt.Errorf("--encryption-key: %w", err)}
	}
	return sealer, nil
}
