package database

import (
	"github.com/bellhop/bellhop/internal/attachments"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// KeyState says how one stored key is encrypted.
type KeyState struct {
	What string // the key
	Name string // of the encryption key; empty: the key is not encrypted
	Err  error  // of reading the key; auth.ErrSealed: the encryption key is missing or wrong
}

// Keys calls fn for each key that a service encrypts: those that sign ID tokens and interactions, and the one that signs the URLs of
// files.
func (l Location) Keys(q store.Querier, sealer *auth.Sealer, fn func(KeyState)) error {
	r := store.NewReader(q, nil)
	keys, err := r.Grants.SigningKeys()
	if err != nil {
		return err
	}
	for _, k := range keys {
		_, err := sealer.Open(k.Private, k.Sealed, "ID tokens "+k.ID)
		fn(KeyState{"key of ID tokens " + k.ID, k.Sealed, err})
	}
	const page = 1000
	for last := snowflake.Application(0); ; {
		apps, err := r.Directory.Applications(last, page)
		if err != nil {
			return err
		}
		if len(apps) == 0 {
			break
		}
		for _, app := range apps {
			last = app.ID
			_, err := sealer.Open(app.SigningKey, app.Sealed, "application "+app.ID.String())
			fn(KeyState{"key of application " + app.ID.String(), app.Sealed, err})
		}
	}
	if l.Attachments == "" {
		return nil
	}
	if name, exists, err := attachments.CheckKey(l.Attachments, sealer); exists {
		fn(KeyState{"key of attachments", name, err})
	}
	return nil
}
