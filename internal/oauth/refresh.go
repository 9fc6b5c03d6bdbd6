package oauth

import (
	"context"
	"errors"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/store"
)

// refresh exchanges a refresh token for the next pair of tokens, once. A second use ends the grant, because one of the
// two users has stolen the token. Of two concurrent uses, one counts as the second. A token that was idle for too long
// ends the grant too.
func (s *Server) refresh(ctx context.Context, c client, q TokenRequest) (Token, error) {
	id, ok := auth.Family(q.RefreshToken)
	if !ok {
		return Token{}, invalidRefreshToken()
	}
	var token Token
	refused := false // returned after the commit
	err := store.Decide(ctx, s.Store, func(tx *store.Tx) error {
		t := s.transaction(ctx, tx)
		refused = false
		grant, err := t.Grants.Grant(id)
		if err == nil {
			err = t.checkOwners(grant.Application, grant.User)
		}
		if errors.Is(err, store.ErrNotFound) || err == nil && grant.Application != c.ID {
			refused = true
			return nil
		}
		if err != nil {
			return err
		}
		if grant.Refresh != auth.Hash(q.RefreshToken) || !t.now.Before(grant.Until) {
			refused = true
			return t.end(grant)
		}
		token, err = t.renew(&grant, auth.NextRefreshToken(q.RefreshToken))
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
