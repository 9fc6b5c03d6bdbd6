package oauth

import (
	"context"
	"errors"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// Revoke ends all grants, tokens and consent between an application and the user of a token. The token is an access
// token or a refresh token, also one that was used before. An unknown token, or one of another application, changes
// nothing and is no error.
func (s *Server) Revoke(ctx context.Context, who Client, token string) error {
	c, err := s.client(ctx, who)
	if err != nil {
		return err
	}
	return store.Decide(ctx, s.Store, func(tx *store.Tx) error {
		t := s.transaction(ctx, tx)
		user, err := t.actsFor(c.ID, bounded(token))
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		return t.revoke(c.ID, user)
	})
}

// actsFor returns the user for whom a token acts, or 0 for the application itself. It returns store.ErrNotFound when
// the token does not belong to the application.
func (t *transaction) actsFor(app snowflake.Application, token string) (snowflake.User, error) {
	credential, err := t.Credentials.Credential(auth.Hash(token))
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
	grant, err := t.Grants.Grant(id)
	if err == nil && grant.Application != app {
		err = store.ErrNotFound
	}
	return grant.User, err
}

// revoke ends all grants, tokens and consent between an application and a user.
func (t *transaction) revoke(app snowflake.Application, user snowflake.User) error {
	grants, err := t.Grants.Grants(app, user)
	if err != nil {
		return err
	}
	for _, grant := range grants {
		if err := t.end(grant); err != nil {
			return err
		}
	}
	if err := auth.RevokeOthers(t.Tx, store.TokenHash{}, store.BearerToken, app, user); err != nil {
		return err
	}
	codes, err := t.Grants.Codes(app, user)
	for _, code := range codes {
		t.Delete(store.CodeKey(code.Hash))
	}
	if err != nil {
		return err
	}
	if err := t.endConsent(app, user); err != nil {
		return err
	}
	return t.revoked(app, user)
}
