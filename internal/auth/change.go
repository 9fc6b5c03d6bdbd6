package auth

import (
	"context"
	"errors"
	"fmt"

	"github.com/bellhop/bellhop/internal/events"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// Put stores a credential in place of the one with the same hash.
func (a *Authenticator) Put(ctx context.Context, c store.Credential) error {
	if err := store.Decide(ctx, a.Store, func(tx *store.Tx) error { return PutCredential(tx, c) }); err != nil {
		return fmt.Errorf("put a credential: %w", err)
	}
	return nil
}

// Revoke removes credentials. Those that do not exist are no error.
func (a *Authenticator) Revoke(ctx context.Context, hashes ...store.TokenHash) error {
	if err := store.Decide(ctx, a.Store, func(tx *store.Tx) error { return Revoke(tx, hashes...) }); err != nil {
		return fmt.Errorf("revoke credentials: %w", err)
	}
	return nil
}

// PutCredential stores a credential within a decision, in place of the one with the same hash.
func PutCredential(tx *store.Tx, c store.Credential) error { return tx.Put(c) }

// Revoke removes credentials within a decision, and announces to the sessions of their owners that they have to check
// theirs. Credentials that do not exist are no error.
func Revoke(tx *store.Tx, hashes ...store.TokenHash) error {
	for _, hash := range hashes {
		c, err := tx.Credentials.Credential(hash)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		tx.Delete(store.CredentialKey(hash))
		if c.Kind != store.BearerToken {
			tx.Touch(store.TokensSubject(c.Application, c.User)) // the list of them is another one
		}
		if to, some := sessions(tx, c); some {
			tx.Announce(store.Event{
				Subject: store.CredentialSubject(hash), Event: events.Event{To: to, Change: &events.Change{Recheck: true}},
			})
		}
	}
	return nil
}

// sessions returns the gateway sessions that a credential may have opened.
func sessions(tx *store.Tx, c store.Credential) (to events.Audience, some bool) {
	switch {
	case c.Kind == store.BotToken:
		return events.Audience{Application: c.Application}, true
	case c.User != 0:
		return events.Audience{Users: []snowflake.User{c.User}, Application: c.Application}, true
	case c.Kind == store.BearerToken: // the application's own, which acts for its owner
		if app, err := tx.Directory.Application(c.Application); err == nil {
			return events.Audience{Users: []snowflake.User{app.Owner}, Application: c.Application}, true
		}
	}
	return events.Audience{}, false // the operator has none
}

// RevokeOthers revokes every credential of a kind that belongs to an application and a user, except one.
func RevokeOthers(
	tx *store.Tx, except store.TokenHash, kind store.CredentialKind, app snowflake.Application, user snowflake.User,
) error {
	all, err := tx.Credentials.Credentials(kind, app, user)
	if err != nil {
		return err
	}
	for _, c := range all {
		if c.Hash == except {
			continue
		}
		if err := Revoke(tx, c.Hash); err != nil {
			return err
		}
	}
	return nil
}
