package oauthserver

import (
	"context"
	"errors"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// Revoke ends everything that an application holds of whoever a token acts for: the token may be an access or a refresh
// token, also one that was used up. A token of somebody else, or of nobody, changes nothing and is no error.
func (g *Grants) Revoke(ctx context.Context, who Client, token string) error {
	c, err := g.client(ctx, who)
	if err != nil {
		return err
	}
	return g.update(ctx, func(u *unit) error {
		user, err := u.actsFor(c.ID, bounded(token))
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		return u.revoke(c.ID, user)
	})
}

// actsFor returns whom a token of an application acts for, 0 for the application itself; store.ErrNotFound when the token
// is none of the application's.
func (u *unit) actsFor(app snowflake.Application, token string) (snowflake.User, error) {
	credential, err := u.Credentials.Credential(auth.Hash(token))
	if err == nil && credential.Kind == store.BearerToken && credential.Application == app {
		return credential.User, nil
	}
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return 0, err
	}
	id, ok := auth.Family(token)
	if !ok {
		return 0, store.ErrNotFound
	}
	grant, err := u.Grants.Grant(id)
	if err == nil && grant.Application != app {
		err = store.ErrNotFound
	}
	return grant.User, err
}

// revoke ends what an application holds of a user.
func (u *unit) revoke(app snowflake.Application, user snowflake.User) error {
	grants, err := u.Grants.Grants(app, user)
	if err != nil {
		return err
	}
	for _, grant := range grants {
		if err := u.end(grant); err != nil {
			return err
		}
	}
	if err := auth.RevokeOthers(u.Tx, store.TokenHash{}, store.BearerToken, app, user); err != nil {
		return err
	}
	codes, err := u.Grants.Codes(app, user)
	for _, code := range codes {
		u.Delete(store.CodeKey(code.Hash))
	}
	u.Delete(store.ConsentKey(app, user))
	return err
}
