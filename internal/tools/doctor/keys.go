package doctor

import (
	"errors"
	"fmt"
	"slices"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/tools/database"
)

// checkKeys checks that the signing keys are encrypted, and that the encryption keys decrypt them.
func (c *Data) checkKeys() error {
	if c.KeyFile != "" {
		if err := auth.CheckKeyFile(c.KeyFile); err != nil {
			c.Course.Problem("the encryption key is not protected", err.Error(), "chmod 600 "+c.KeyFile)
		}
	}
	for _, name := range []string{"applications", "oauth_keys"} {
		if !slices.ContainsFunc(c.tables, func(t store.Table) bool { return t.Name == name }) {
			return nil // the missing table is reported
		}
	}
	encrypts := !c.Sealer.IsCurrent("")
	plain := 0
	err := c.Keys(c.snapshot, c.Sealer, func(k database.KeyState) {
		switch {
		case errors.Is(k.Err, auth.ErrSealed):
			c.Course.Problem("missing encryption key", k.Err.Error(),
				"put the key "+k.Name+" into the file "+auth.KeyFileName+" of the data folder, or name it with --encryption-key-file")
		case k.Err != nil: // the check of the files reports it
		case k.Name == "" && encrypts:
			c.Course.Problem("not encrypted", k.What, "start the service with the encryption key")
		case k.Name == "":
			plain++
		}
	})
	if plain > 0 {
		c.Course.Note(fmt.Sprintf("%d signing keys are not encrypted: see docs/operations.md", plain))
	}
	return c.readable("signing keys", err)
}
