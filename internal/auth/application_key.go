package auth

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// NewApplicationKey sets the keys of a new application: the one that signs deliveries, and the one that verifies them.
func (s *Sealer) NewApplicationKey(app *store.Application) error {
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		return fmt.Errorf("create a signing key: %w", err)
	}
	app.VerifyKey = public
	app.SigningKey, app.Sealed = s.Seal(private.Seed(), applicationLabel(app.ID))
	return nil
}

// applicationLabel names an application for the encryption of its key.
func applicationLabel(id snowflake.Application) string { return "application " + id.String() }

// ApplicationKey returns the Ed25519 seed that signs deliveries to an application.
func (s *Sealer) ApplicationKey(app *store.Application) ([]byte, error) {
	return s.Open(app.SigningKey, app.Sealed, applicationLabel(app.ID))
}

// CheckApplicationKeys returns an error if the keys of the first applications cannot be decrypted, because the encryption key is
// missing or wrong.
func (s *Sealer) CheckApplicationKeys(ctx context.Context, db store.Store) error {
	const sample = 100
	apps, err := applications(ctx, db, 0, sample)
	if err != nil {
		return err
	}
	for i := range apps {
		if _, err := s.ApplicationKey(&apps[i]); err != nil {
			return err
		}
	}
	return nil
}

// SealApplicationKeys encrypts the keys of applications that are not encrypted with the current encryption key, for example because
// it is new.
func (s *Sealer) SealApplicationKeys(ctx context.Context, db store.Store) error {
	const page = 1000
	for after := snowflake.Application(0); ; {
		apps, err := applications(ctx, db, after, page)
		if err != nil || len(apps) == 0 {
			return err
		}
		for _, app := range apps {
			if err := s.sealApplicationKey(ctx, db, app); err != nil {
				return err
			}
		}
		after = apps[len(apps)-1].ID
	}
}

// applications returns a page of applications.
func applications(ctx context.Context, db store.Store, after snowflake.Application, limit int) (apps []store.Application, err error) {
	err = db.Read(ctx, func(r store.Reader) (err error) {
		apps, err = r.Directory.Applications(after, limit)
		return err
	})
	return apps, err
}

// sealApplicationKey encrypts the key of an application, unless it is encrypted with the current encryption key.
func (s *Sealer) sealApplicationKey(ctx context.Context, db store.Store, app store.Application) error {
	if s.IsCurrent(app.Sealed) {
		return nil
	}
	return store.Decide(ctx, db, func(tx *store.Tx) error {
		stored, err := tx.Directory.Application(app.ID)
		if errors.Is(err, store.ErrNotFound) || err == nil && s.IsCurrent(stored.Sealed) {
			return nil
		}
		if err != nil {
			return err
		}
		seed, err := s.ApplicationKey(&stored)
		if err != nil {
			return err
		}
		stored.SigningKey, stored.Sealed = s.Seal(seed, applicationLabel(app.ID))
		return tx.Put(stored)
	})
}
