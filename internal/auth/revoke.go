package auth

import (
	"errors"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/snowflake"
)

// Revoke removes credentials in a transaction and announces that the gateway sessions of their owners must check their
// credentials again. When it removes the lasting token of a user, it ends the browser sessions of the user. It ignores
// credentials that do not exist.
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
			tx.Touch(store.TokensSubject(c.Application, c.User)) // the list of tokens changes
		}
		if c.Kind == store.UserToken && c.Expires.IsZero() {
			if err := EndSessions(tx, c.User); err != nil {
				return err
			}
		}
		if to, some := sessions(tx, c); some {
			tx.Announce(store.Event{
				Subject: store.CredentialSubject(hash), Event: events.Event{To: to, Change: &events.Change{Recheck: true}},
			})
		}
	}
	return nil
}

// sessions returns the audience of the gateway sessions that a credential may have opened.
func sessions(tx *store.Tx, c store.Credential) (to events.Audience, some bool) {
	switch {
	case c.Kind == store.BotToken:
		return events.Audience{Application: c.Application}, true
	case c.User != 0:
		return events.Audience{Users: []snowflake.User{c.User}, Application: c.Application}, true
	case c.Kind == store.BearerToken: // acts for the owner of the application
		if app, err := tx.Directory.Application(c.Application); err == nil {
			return events.Audience{Users: []snowflake.User{app.Owner}, Application: c.Application}, true
		}
	}
	return events.Audience{}, false // the operator has no gateway sessions
}

// RevokeOthers revokes all credentials of a kind, application and user, except one.
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

// EndSessions ends all browser sessions of a user in a transaction.
func EndSessions(tx *store.Tx, user snowflake.User) error {
	all, err := tx.Grants.Sessions(user)
	if err != nil {
		return err
	}
	for _, s := range all {
		if err := EndSession(tx, s); err != nil {
			return err
		}
	}
	return nil
}

// EndSession ends a browser session in a transaction, and revokes the user tokens that were issued to it.
func EndSession(tx *store.Tx, s store.Session) error {
	tx.Delete(store.SessionKey(s.Hash))
	tokens, err := tx.Credentials.Credentials(store.UserToken, 0, s.User)
	if err != nil {
		return err
	}
	for _, c := range tokens {
		if c.Browser != s.Hash {
			continue
		}
		if err := Revoke(tx, c.Hash); err != nil {
			return err
		}
	}
	return nil
}
