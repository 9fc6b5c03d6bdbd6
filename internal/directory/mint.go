package directory

import (
	"context"
	"errors"
	"time"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// MintBotToken makes a new bot token for an application. The one it had stops working.
func (d *Directory) MintBotToken(ctx context.Context, app snowflake.Application) (auth.Secret, error) {
	made := auth.NewBotToken(app, d.Clock.Now())
	c := store.Credential{Hash: auth.Hash(made.Reveal()), Kind: store.BotToken, Application: app}
	return made, d.mint(ctx, c, true)
}

// MintUserToken makes a new token for a person's own client. The one it had stops working.
func (d *Directory) MintUserToken(ctx context.Context, user snowflake.User) (auth.Secret, error) {
	made := auth.NewUserToken(user, d.Clock.Now())
	return made, d.mint(ctx, store.Credential{Hash: auth.Hash(made.Reveal()), Kind: store.UserToken, User: user}, true)
}

// MintAccessToken makes an access token for an application: acting for a user, or without one its own, as its
// client-credentials grant would. It may have parts of scopes that nobody can ask for alone, but none that mean nothing:
// those are a *problem.Tree.
func (d *Directory) MintAccessToken(
	ctx context.Context, app snowflake.Application, user snowflake.User, scopes []string,
) (auth.Secret, error) {
	var t jsonbody.Tree
	for i, s := range scopes {
		if !auth.KnownScope(s) {
			t.At("scopes").Index(i).Add(jsonbody.Choices, "There is no such scope.")
		}
	}
	if err := t.Err(); err != nil {
		return "", err
	}
	made, c := auth.NewAccess(app, user, scopes, d.Clock.Now())
	return made, d.mint(ctx, c, false)
}

// PassLife is how long a pass is valid. A pass is a token that an operator takes in order to act as somebody for a while;
// it stands beside the tokens that somebody has.
const PassLife = time.Hour

// BotPass makes a pass for an application's bot.
func (d *Directory) BotPass(ctx context.Context, app snowflake.Application) (auth.Secret, error) {
	return d.pass(ctx, auth.NewBotToken(app, d.Clock.Now()), store.Credential{Kind: store.BotToken, Application: app})
}

// UserPass makes a pass for a person's own client.
func (d *Directory) UserPass(ctx context.Context, user snowflake.User) (auth.Secret, error) {
	return d.pass(ctx, auth.NewUserToken(user, d.Clock.Now()), store.Credential{Kind: store.UserToken, User: user})
}

// OperatorPass makes a pass for the operator's own routes.
func (d *Directory) OperatorPass(ctx context.Context) (auth.Secret, error) {
	return d.pass(ctx, auth.NewAdminToken(), store.Credential{Kind: store.AdminToken})
}

func (d *Directory) pass(ctx context.Context, made auth.Secret, c store.Credential) (auth.Secret, error) {
	c.Hash = auth.Hash(made.Reveal())
	c.Expires = d.Clock.Now().Add(PassLife).UTC().Truncate(time.Millisecond)
	return made, d.mint(ctx, c, false)
}

// MintClientSecret makes a new client secret for an application. The one it had stops working.
func (d *Directory) MintClientSecret(ctx context.Context, app snowflake.Application) (auth.Secret, error) {
	made := auth.NewClientSecret()
	_, err := d.update(ctx, func(w *work) error {
		a, err := w.tx.Directory.Application(app)
		if err != nil {
			return unknown(err, ErrUnknownApplication)
		}
		hash := auth.Hash(made.Reveal())
		a.SecretHash = hash[:]
		return w.put(a)
	})
	return made, err
}

// mint stores a credential of somebody who exists, if need be as the only one of its kind and owner.
func (d *Directory) mint(ctx context.Context, c store.Credential, only bool) error {
	_, err := d.update(ctx, func(w *work) error {
		if c.Application != 0 {
			if _, err := w.tx.Directory.Application(c.Application); err != nil {
				return unknown(err, ErrUnknownApplication)
			}
		}
		if c.User != 0 {
			if _, err := w.tx.Directory.User(c.User); err != nil {
				return unknown(err, ErrUnknownUser)
			}
		}
		if err := auth.PutCredential(w.tx, c); err != nil || !only {
			return err
		}
		return auth.RevokeOthers(w.tx, c.Hash, c.Kind, c.Application, c.User)
	})
	return err
}

// unknown puts the store's word for a record that is not there into that of the directory.
func unknown(err, missing error) error {
	if errors.Is(err, store.ErrNotFound) {
		return missing
	}
	return err
}
