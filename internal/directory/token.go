package directory

import (
	"context"
	"errors"
	"time"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// Tokens creates tokens and client secrets. It implements auth.Records.
type Tokens struct{ *shared }

var _ auth.Records = (*Tokens)(nil)

// Credential returns the credential with a token hash, or store.ErrNotFound. The caller does not change it.
func (t *Tokens) Credential(ctx context.Context, hash store.TokenHash) (*store.Credential, error) {
	return t.cached.credentials.Load(ctx, hash)
}

// HasUser reports whether a user exists. A bot is not a user.
func (t *Tokens) HasUser(ctx context.Context, id snowflake.User) (bool, error) {
	u, err := load(ctx, &t.cached.users, id, ErrUnknownUser)
	if errors.Is(err, ErrUnknownUser) {
		return false, nil
	}
	return err == nil && !u.user.Bot, err
}

// Owner returns the owner of an application. known is false when the application does not exist.
func (t *Tokens) Owner(ctx context.Context, id snowflake.Application) (owner snowflake.User, known bool, err error) {
	a, err := load(ctx, &t.cached.applications, id, ErrUnknownApplication)
	if errors.Is(err, ErrUnknownApplication) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, err
	}
	return a.app.Owner, true, nil
}

// ReplaceBotToken creates a bot token for an application and revokes the previous one.
func (t *Tokens) ReplaceBotToken(ctx context.Context, app snowflake.Application) (auth.Secret, error) {
	token := auth.NewBotToken(app, t.clock.Now())
	return token, t.Update(ctx, createToken(token, store.Credential{Kind: store.BotToken, Application: app}, true))
}

// ReplaceUserToken creates a token for a user's own client and revokes the previous one.
func (t *Tokens) ReplaceUserToken(ctx context.Context, user snowflake.User) (auth.Secret, error) {
	token := auth.NewUserToken(user, t.clock.Now())
	return token, t.Update(ctx, createToken(token, store.Credential{Kind: store.UserToken, User: user}, true))
}

// CreateAccessToken creates an access token with which an application acts for a user. With user 0 the token acts for
// the application itself, as a client-credentials grant does. An unknown scope is a *jsonbody.Tree. Scopes that a
// client cannot request alone are allowed.
func (t *Tokens) CreateAccessToken(
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
	token, c := auth.NewAccess(app, user, scopes, t.clock.Now())
	return token, t.Update(ctx, createToken(token, c, false))
}

// TemporaryTokenLife is the time for which a temporary token is valid. An operator uses temporary tokens to act as a
// bot or a user. They do not replace other tokens.
const TemporaryTokenLife = time.Hour

// CreateTemporaryBotToken creates a temporary token for an application's bot.
func (t *Tokens) CreateTemporaryBotToken(ctx context.Context, app snowflake.Application) (auth.Secret, error) {
	token := auth.NewBotToken(app, t.clock.Now())
	return token, t.Update(ctx, createToken(token, t.temporary(store.Credential{Kind: store.BotToken, Application: app}), false))
}

// CreateTemporaryUserToken creates a temporary token for a user.
func (t *Tokens) CreateTemporaryUserToken(ctx context.Context, user snowflake.User) (auth.Secret, error) {
	token := auth.NewUserToken(user, t.clock.Now())
	return token, t.Update(ctx, createToken(token, t.temporary(store.Credential{Kind: store.UserToken, User: user}), false))
}

func (t *Tokens) temporary(c store.Credential) store.Credential {
	c.Expires = t.clock.Now().Add(TemporaryTokenLife).UTC().Truncate(time.Millisecond)
	return c
}

// ReplaceClientSecret creates a client secret for an application in place of the previous one.
func (t *Tokens) ReplaceClientSecret(ctx context.Context, app snowflake.Application) (auth.Secret, error) {
	secret := auth.NewClientSecret()
	err := t.Update(ctx, func(tx *Tx) error {
		a, err := tx.Directory.Application(app)
		if err != nil {
			return unknown(err, ErrUnknownApplication)
		}
		hash := auth.Hash(secret.Reveal())
		a.SecretHash = hash[:]
		tx.Record(SecretEntry(app))
		return ApplicationKind.Put(tx, a)
	})
	return secret, err
}

// createToken returns the decision that stores the hash of a token as a credential. The application and user of the
// credential must exist. With only it revokes all other credentials of the same kind and owner.
func createToken(token auth.Secret, c store.Credential, only bool) func(*Tx) error {
	c.Hash = auth.Hash(token.Reveal())
	return func(tx *Tx) error {
		if c.Application != 0 {
			if _, err := tx.Directory.Application(c.Application); err != nil {
				return unknown(err, ErrUnknownApplication)
			}
		}
		if c.User != 0 {
			if _, err := tx.Directory.User(c.User); err != nil {
				return unknown(err, ErrUnknownUser)
			}
		}
		tx.Record(CredentialEntry(c, only))
		if err := tx.Put(c); err != nil || !only {
			return err
		}
		return auth.RevokeOthers(tx.Tx, c.Hash, c.Kind, c.Application, c.User)
	}
}
