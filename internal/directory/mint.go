package directory

import (
	"context"
	"time"

	"github.com/bellhop/bellhop/internal/oauth"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// AccessTokenLife is how long an access token is valid.
const AccessTokenLife = 7 * 24 * time.Hour

// MintBotToken makes a new bot token for an application. The one it had stops working.
func (d *Directory) MintBotToken(ctx context.Context, app snowflake.Application) (oauth.Secret, error) {
	if _, err := d.Application(ctx, app); err != nil {
		return "", err
	}
	made := oauth.NewBotToken(app, d.Clock.Now())
	return made, d.mint(ctx, store.Credential{Hash: oauth.Hash(made.Reveal()), Kind: store.BotToken, Application: app})
}

// MintUserToken makes a new token for a person's own client. The one it had stops working.
func (d *Directory) MintUserToken(ctx context.Context, user snowflake.User) (oauth.Secret, error) {
	u, err := d.User(ctx, user)
	if err != nil {
		return "", err
	}
	if u.Bot {
		return "", ErrUnknownUser // a bot has its application's token
	}
	made := oauth.NewUserToken(user, d.Clock.Now())
	return made, d.mint(ctx, store.Credential{Hash: oauth.Hash(made.Reveal()), Kind: store.UserToken, User: user})
}

// mint makes a credential the only one of its kind and owner.
func (d *Directory) mint(ctx context.Context, c store.Credential) error {
	_, err := d.update(ctx, func(w *work) error {
		if err := w.tokens.Put(c); err != nil {
			return err
		}
		return w.tokens.RevokeOthers(c.Hash, c.Kind, c.Application, c.User)
	})
	return err
}

// MintAccessToken makes an access token for an application: acting for a user, or without one its own, as its
// client-credentials grant would.
func (d *Directory) MintAccessToken(
	ctx context.Context, app snowflake.Application, user snowflake.User, scopes []string,
) (oauth.Secret, error) {
	if _, err := d.Application(ctx, app); err != nil {
		return "", err
	}
	if user != 0 {
		if _, err := d.User(ctx, user); err != nil {
			return "", err
		}
	}
	made := oauth.NewBearerToken()
	return made, d.Tokens.Put(ctx, store.Credential{
		Hash: oauth.Hash(made.Reveal()), Kind: store.BearerToken, Application: app, User: user,
		Scopes: scopes, Expires: d.Clock.Now().Add(AccessTokenLife),
	})
}
