package oauth

import (
	"context"
	"errors"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// Introspection is the state of a token (RFC 7662). A token that is not active has no other members.
type Introspection struct {
	Active    bool                  `json:"active"`
	Scope     string                `json:"scope,omitzero"`
	ClientID  snowflake.Application `json:"client_id,omitzero"`
	Subject   snowflake.User        `json:"sub,omitzero"` // the user for whom the token acts
	Username  string                `json:"username,omitzero"`
	TokenType string                `json:"token_type,omitzero"`
	Expires   int64                 `json:"exp,omitzero"` // seconds since 1970
	Audience  snowflake.Application `json:"aud,omitzero"`
	Issuer    string                `json:"iss,omitzero"`
}

// Introspect returns the state of an access token or a refresh token of a client. The client must authenticate. A token
// of another application is not active, so a client cannot probe for tokens.
func (s *Server) Introspect(ctx context.Context, who Client, token string) (Introspection, error) {
	c, err := s.client(ctx, who)
	if err != nil {
		return Introspection{}, err
	}
	if !c.authenticated {
		return Introspection{}, invalidClient()
	}
	var found Introspection
	err = s.Store.Read(ctx, func(r store.Reader) (err error) {
		found, err = s.introspect(r, c.Application, bounded(token))
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return Introspection{}, nil
	}
	return found, err
}

// introspect returns the state of a token. It returns store.ErrNotFound for a token that is not active.
func (s *Server) introspect(r store.Reader, app *store.Application, token string) (Introspection, error) {
	found := Introspection{Active: true, ClientID: app.ID, Audience: app.ID, Issuer: s.Issuer}
	access, err := r.Credentials.Credential(auth.Hash(token))
	switch {
	case err == nil && access.Kind == store.BearerToken && access.Application == app.ID:
		if !s.now().Before(access.Expires) {
			return Introspection{}, store.ErrNotFound
		}
		found.Scope, found.Subject, found.TokenType, found.Expires = scopeText(access.Scopes), access.User, "Bearer", access.Expires.Unix()
		if found.Subject == 0 {
			found.Subject = app.Owner // a token of the application itself acts for its owner
		}
	case err != nil && !errors.Is(err, store.ErrNotFound):
		return Introspection{}, err
	default:
		id, ok := auth.Family(token)
		if !ok {
			return Introspection{}, store.ErrNotFound
		}
		grant, err := r.Grants.Grant(id)
		if err != nil {
			return Introspection{}, err
		}
		if grant.Application != app.ID || grant.Refresh != auth.Hash(token) || !s.now().Before(grant.Until) {
			return Introspection{}, store.ErrNotFound
		}
		found.Scope, found.Subject, found.TokenType, found.Expires = scopeText(grant.Scopes), grant.User, RefreshToken, grant.Until.Unix()
	}
	user, err := r.Directory.User(found.Subject)
	found.Username = user.Username
	return found, err
}
