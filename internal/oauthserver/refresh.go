package oauthserver

import (
	"context"
	"errors"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/store"
)

// refresh trades a refresh token for the next pair, once. A second use ends the grant, because one of the two users has a
// copy. Of two uses at the same time, one is the second.
func (g *Grants) refresh(ctx context.Context, c client, q TokenRequest) (Token, error) {
	id, ok := auth.Family(q.RefreshToken)
	if !ok {
		return Token{}, invalidRefreshToken()
	}
	var token Token
	refused := false // returned after the commit
	err := g.update(ctx, func(u *unit) error {
		refused = false
		grant, err := u.Grants.Grant(id)
		if err == nil {
			err = u.checkOwners(grant.Application, grant.User)
		}
		if errors.Is(err, store.ErrNotFound) || err == nil && grant.Application != c.ID {
			refused = true
			return nil
		}
		if err != nil {
			return err
		}
		if grant.Refresh != auth.Hash(q.RefreshToken) {
			refused = true
			return u.end(grant)
		}
		token, err = u.renew(&grant, auth.NextRefreshToken(q.RefreshToken))
		return err
	})
	if err == nil && refused {
		err = invalidRefreshToken()
	}
	if err != nil {
		return Token{}, err
	}
	return token, nil
}
