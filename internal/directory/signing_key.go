package directory

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// NewSigningKey sets the keys of a new application: the one that signs deliveries, and the one that verifies them.
func (a *Applications) NewSigningKey(app *store.Application) error {
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		return fmt.Errorf("create a signing key: %w", err)
	}
	app.VerifyKey = public
	app.SigningKey, app.Sealed = a.sealer.Seal(private.Seed(), sealLabel(app.ID))
	return nil
}

// sealLabel names an application for the encryption of its key.
func sealLabel(id snowflake.Application) string { return "application " + id.String() }

// SigningKey returns the Ed25519 seed that signs deliveries to an application.
func (a *Applications) SigningKey(app *store.Application) ([]byte, error) {
	return a.sealer.Open(app.SigningKey, app.Sealed, sealLabel(app.ID))
}

// CheckKeys returns an error if the keys of the first applications cannot be decrypted, because the encryption key is
// missing or wrong.
func (a *Applications) CheckKeys(ctx context.Context) error {
	const sample = 100
	apps, err := a.List(ctx, 0, sample)
	if err != nil {
		return err
	}
	for i := range apps {
		if _, err := a.SigningKey(&apps[i]); err != nil {
			return err
		}
	}
	return nil
}

// SealKeys encrypts the keys that are not encrypted with the current encryption key, for example because it is new.
func (a *Applications) SealKeys(ctx context.Context) error {
	for after := snowflake.Application(0); ; {
		apps, err := a.List(ctx, after, MaxPage)
		if err != nil || len(apps) == 0 {
			return err
		}
		for _, app := range apps {
			if err := a.sealKey(ctx, app); err != nil {
				return err
			}
		}
		after = apps[len(apps)-1].ID
	}
}

// sealKey encrypts the key of an application, unless it is encrypted with the current encryption key.
func (a *Applications) sealKey(ctx context.Context, app store.Application) error {
	if a.sealer.IsCurrent(app.Sealed) {
		return nil
	}
	return store.Decide(ctx, a.store, func(tx *store.Tx) error {
		stored, err := tx.Directory.Application(app.ID)
		if errors.Is(err, store.ErrNotFound) || err == nil && a.sealer.IsCurrent(stored.Sealed) {
			return nil
		}
		if err != nil {
			return err
		}
		seed, err := a.SigningKey(&stored)
		if err != nil {
			return err
		}
		stored.SigningKey, stored.Sealed = a.sealer.Seal(seed, sealLabel(app.ID))
		return tx.Put(stored)
	})
}
