package oauth

import (
	"context"
	"fmt"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// Put stores a credential in place of the one with the same hash.
func (a *Authenticator) Put(ctx context.Context, c store.Credential) error {
	err := a.update(ctx, func(ch *Changes) error { return ch.Put(c) })
	if err != nil {
		return fmt.Errorf("put a credential: %w", err)
	}
	return nil
}

// Revoke ends credentials. Those that do not exist are no error.
func (a *Authenticator) Revoke(ctx context.Context, hashes ...store.TokenHash) error {
	err := a.update(ctx, func(ch *Changes) error { return ch.Revoke(hashes...) })
	if err != nil {
		return fmt.Errorf("revoke credentials: %w", err)
	}
	return nil
}

func (a *Authenticator) update(ctx context.Context, fn func(*Changes) error) error {
	var changes *Changes
	err := a.Store.Update(ctx, func(tx store.Tx) error {
		changes = a.Within(tx)
		return fn(changes)
	})
	changes.Settle()
	return err
}

// Changes are changes to credentials that belong to a larger unit of work.
type Changes struct {
	tx     store.Tx
	auth   *Authenticator
	hashes []store.TokenHash
}

// Within begins changes in a unit of work. Whoever runs the unit calls Settle when it has ended.
func (a *Authenticator) Within(tx store.Tx) *Changes { return &Changes{tx: tx, auth: a} }

// Put stores a credential in place of the one with the same hash.
func (ch *Changes) Put(c store.Credential) error {
	ch.hashes = append(ch.hashes, c.Hash)
	return ch.tx.PutCredential(c)
}

// Revoke ends credentials. Those that do not exist are no error.
func (ch *Changes) Revoke(hashes ...store.TokenHash) error {
	for _, h := range hashes {
		ch.hashes = append(ch.hashes, h)
		if err := ch.tx.DeleteCredential(h); err != nil {
			return err
		}
	}
	return nil
}

// RevokeOthers ends every credential of a kind that belongs to an application and a user but the one that stays.
func (ch *Changes) RevokeOthers(
	stays store.TokenHash, kind store.CredentialKind, app snowflake.Application, user snowflake.User,
) error {
	all, err := ch.tx.Credentials(kind, app, user)
	if err != nil {
		return err
	}
	for _, c := range all {
		if c.Hash == stays {
			continue
		}
		if err := ch.Revoke(c.Hash); err != nil {
			return err
		}
	}
	return nil
}

// Settle makes the changes seen, after the unit of work has ended and before its end is acknowledged. It is called
// whether the unit failed or not: of a failed one it only costs a few reads. A nil Changes, of a unit that never ran,
// settles nothing.
func (ch *Changes) Settle() {
	if ch != nil {
		ch.auth.Forget(ch.hashes...)
	}
}
