// Package credentials creates, replaces and revokes the tokens of bots, users and apps, the client secrets of applications, and
// the credentials of operators. directory.Credentials looks them up.
package credentials

import (
	"context"
	"errors"
	"time"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// Tokens creates tokens and client secrets. All fields are required.
type Tokens struct {
	Directory *directory.Directory
	Clock     clock.Clock
}

// ReplaceBotToken creates a bot token for an application and revokes the previous one.
func (t Tokens) ReplaceBotToken(ctx context.Context, app snowflake.Application) (auth.Secret, error) {
	token := auth.NewBotToken(app, t.Clock.Now())
	return token, t.Directory.Update(ctx, createToken(token, store.Credential{Kind: store.BotToken, Application: app}, true))
}

// ReplaceUserToken creates a token for a user's own client and revokes the previous one.
func (t Tokens) ReplaceUserToken(ctx context.Context, user snowflake.User) (auth.Secret, error) {
	token := auth.NewUserToken(user, t.Clock.Now())
	return token, t.Directory.Update(ctx, createToken(token, store.Credential{Kind: store.UserToken, User: user}, true))
}

// CreateAccessToken creates an access token with which an application acts for a user. With user 0 the token acts for
// the application itself, as a client-credentials grant does. An unknown scope is a *jsonbody.Tree. Scopes that a
// client cannot request alone are allowed.
func (t Tokens) CreateAccessToken(
	ctx context.Context, app snowflake.Application, user snowflake.User, scopes []string,
) (auth.Secret, error) {
	var tree jsonbody.Tree
	for i, s := range scopes {
		if !auth.KnownScope(s) {
			tree.At("scopes").Index(i).Add(jsonbody.Choices, "There is no such scope.")
		}
	}
	if err := tree.Err(); err != nil {
		return "", err
	}
	token, c := auth.NewAccess(app, user, scopes, t.Clock.Now())
	return token, t.Directory.Update(ctx, createToken(token, c, false))
}

// TemporaryTokenLife is the time for which a temporary token is valid. An operator uses temporary tokens to act as a
// bot or a user. They do not replace other tokens.
const TemporaryTokenLife = time.Hour

// CreateTemporaryBotToken creates a temporary token for an application's bot.
func (t Tokens) CreateTemporaryBotToken(ctx context.Context, app snowflake.Application) (auth.Secret, error) {
	token := auth.NewBotToken(app, t.Clock.Now())
	return token, t.Directory.Update(ctx, createToken(token, t.temporary(store.Credential{Kind: store.BotToken, Application: app}), false))
}

// CreateTemporaryUserToken creates a temporary token for a user.
func (t Tokens) CreateTemporaryUserToken(ctx context.Context, user snowflake.User) (auth.Secret, error) {
	token := auth.NewUserToken(user, t.Clock.Now())
	return token, t.Directory.Update(ctx, createToken(token, t.temporary(store.Credential{Kind: store.UserToken, User: user}), false))
}

func (t Tokens) temporary(c store.Credential) store.Credential {
	c.Expires = t.Clock.Now().Add(TemporaryTokenLife).UTC().Truncate(time.Millisecond)
	return c
}

// ReplaceClientSecret creates a client secret for an application in place of the previous one.
func (t Tokens) ReplaceClientSecret(ctx context.Context, app snowflake.Application) (auth.Secret, error) {
	secret := auth.NewClientSecret()
	err := t.Directory.Update(ctx, func(tx *directory.Tx) error {
		a, err := tx.Directory.Application(app)
		if err != nil {
			return unknown(err, directory.ErrUnknownApplication)
		}
		hash := auth.Hash(secret.Reveal())
		a.SecretHash = hash[:]
		tx.Record(directory.SecretEntry(app))
		return directory.ApplicationKind.Put(tx, a)
	})
	return secret, err
}

// createToken returns the decision that stores the hash of a token as a credential. The application and user of the
// credential must exist. With only it revokes all other credentials of the same kind and owner.
func createToken(token auth.Secret, c store.Credential, only bool) func(*directory.Tx) error {
	c.Hash = auth.Hash(token.Reveal())
	return func(tx *directory.Tx) error {
		if c.Application != 0 {
			if _, err := tx.Directory.Application(c.Application); err != nil {
				return unknown(err, directory.ErrUnknownApplication)
			}
		}
		if c.User != 0 {
			if _, err := tx.Directory.User(c.User); err != nil {
				return unknown(err, directory.ErrUnknownUser)
			}
		}
		tx.Record(directory.CredentialEntry(c, only))
		if err := tx.Put(c); err != nil || !only {
			return err
		}
		return auth.RevokeOthers(tx.Tx, c.Hash, c.Kind, c.Application, c.User)
	}
}

// unknown replaces store.ErrNotFound with missing.
func unknown(err, missing error) error {
	if errors.Is(err, store.ErrNotFound) {
		return missing
	}
	return err
}
