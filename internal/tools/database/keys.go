package database

import (
	"context"
	"errors"

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

// Keys calls fn for each key that a service encrypts: those that sign ID tokens, interactions and calls of hooks, and the one that signs the URLs of
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
	own, err := r.Grants.ServiceKeys()
	if err != nil {
		return err
	}
	for _, k := range own {
		_, err := sealer.Open(k.Seed, k.Sealed, k.SealLabel())
		fn(KeyState{"key of " + k.Name, k.Sealed, err})
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
			_, err := sealer.ApplicationKey(&app)
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

// MissingKeys counts the keys that are encrypted with each encryption key that a sealer does not have, by its name. The counts are
// valid beside an error too.
func (l Location) MissingKeys(ctx context.Context, sealer *auth.Sealer) (missing map[string]int, err error) {
	snapshot, err := l.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, snapshot.Close()) }()
	missing = map[string]int{}
	err = l.Keys(snapshot, sealer, func(k KeyState) {
		if errors.Is(k.Err, auth.ErrSealed) {
			missing[k.Name]++
		}
	})
	return missing, err
}
