package oauth

import (
	"context"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// AuthenticateClient returns the application of a client, or an *Error. A client without a secret must be a public one.
func (s *Server) AuthenticateClient(ctx context.Context, c Client) (*store.Application, error) {
	found, err := s.client(ctx, c)
	if err != nil {
		return nil, err
	}
	return found.Application, nil
}

// playerScopes are the scopes of the tokens of players.
var playerScopes = []string{auth.ScopeSocialLayer}

// IssueToPlayer adds an access token of a player to a decision. It has no refresh token: the player signs in again.
func (s *Server) IssueToPlayer(ctx context.Context, tx *store.Tx, app snowflake.Application, user snowflake.User) (Token, error) {
	t := s.transaction(ctx, tx)
	if err := t.checkOwners(app, user); err != nil {
		return Token{}, err
	}
	access, credential := auth.NewAccess(app, user, playerScopes, t.now)
	return Token{AccessToken: access, Scopes: playerScopes}, t.putAccess(credential)
}

// PlayerIDToken returns an ID token that says who the user of an access token is.
func (s *Server) PlayerIDToken(ctx context.Context, app snowflake.Application, user snowflake.User, access auth.Secret) (auth.Secret, error) {
	signer, err := s.signer(ctx)
	if err != nil {
		return "", err
	}
	return s.idToken(signer, store.Code{Application: app, User: user}, access)
}

// TokenUser returns the user of an access token of an application in a decision, or store.ErrNotFound for a token that is
// not valid.
func (s *Server) TokenUser(tx *store.Tx, app snowflake.Application, token string) (snowflake.User, error) {
	c, err := tx.Credentials.Credential(auth.Hash(bounded(token)))
	if err != nil {
		return 0, err
	}
	if c.Kind != store.BearerToken || c.Application != app || !s.now().Before(c.Expires) {
		return 0, store.ErrNotFound
	}
	return c.User, nil
}

// RevokeIn ends all grants, tokens and consent between an application and a user, in a decision.
func (s *Server) RevokeIn(ctx context.Context, tx *store.Tx, app snowflake.Application, user snowflake.User) error {
	return s.transaction(ctx, tx).revoke(app, user)
}

// merge runs the merge of a token request in the decision that issues the token.
func (t *transaction) merge(q TokenRequest, user snowflake.User) error {
	if q.Merge == nil {
		return nil
	}
	return q.Merge(t.Tx, user)
}
