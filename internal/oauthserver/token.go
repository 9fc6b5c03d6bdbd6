package oauthserver

import (
	"context"
	"errors"
	"slices"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// The grant types.
const (
	AuthorizationCode = "authorization_code"
	RefreshToken      = "refresh_token"
	ClientCredentials = "client_credentials"
	DeviceCode        = "urn:ietf:params:oauth:grant-type:device_code"
)

// TokenRequest is what a client sends for a token.
type TokenRequest struct {
	Client       Client
	GrantType    string
	Code         string
	RedirectURI  string
	Verifier     string
	RefreshToken string
	DeviceCode   string
	Scope        string
}

// Token is what a client gets.
type Token struct {
	AccessToken  auth.Secret
	RefreshToken auth.Secret // empty: none
	IDToken      auth.Secret // empty: none
	Scopes       []string
	Guild        snowflake.Guild // where consent has put the bot; 0: nowhere
}

// Token gives a client a token for what it shows. What is refused is an *Error.
func (g *Grants) Token(ctx context.Context, q TokenRequest) (Token, error) {
	trade, ok := map[string]func(context.Context, client, TokenRequest) (Token, error){
		AuthorizationCode: g.exchange,
		RefreshToken:      g.refresh,
		ClientCredentials: g.own,
		DeviceCode:        g.poll,
	}[q.GrantType]
	if !ok {
		return Token{}, unsupportedGrantType()
	}
	c, err := g.client(ctx, q.Client)
	if err != nil {
		return Token{}, err
	}
	return trade(ctx, c, q)
}

// own gives an application a token of its own, which acts for its owner.
func (g *Grants) own(ctx context.Context, c client, q TokenRequest) (Token, error) {
	if !c.proven {
		return Token{}, invalidClient()
	}
	scopes := auth.ParseScopes(q.Scope)
	if len(scopes) == 0 {
		scopes = []string{auth.ScopeIdentify}
	}
	if !auth.ForOwners(scopes) {
		return Token{}, invalidScope()
	}
	token, credential := auth.NewAccess(c.ID, 0, scopes, g.now())
	err := g.update(ctx, func(u *unit) error {
		if err := u.checkOwners(c.ID, 0); err != nil {
			return err
		}
		return u.putAccess(credential)
	})
	if errors.Is(err, store.ErrNotFound) {
		err = invalidClient()
	}
	return Token{AccessToken: token, Scopes: scopes}, err
}

// Bounds on what an application holds of one user, and of itself: the oldest is removed when one more comes. Requests at the
// same time may exceed a bound; the next request removes what is too much.
const (
	maxGrants = 100
	maxTokens = 1000
)

// putAccess keeps an access token that belongs to no grant.
func (u *unit) putAccess(c store.Credential) error {
	have, err := u.Credentials.Credentials(store.BearerToken, c.Application, c.User)
	if err != nil {
		return err
	}
	slices.SortFunc(have, func(a, b store.Credential) int { return a.Expires.Compare(b.Expires) })
	for _, old := range have[:max(len(have)-maxTokens+1, 0)] {
		if err := auth.Revoke(u.Tx, old.Hash); err != nil {
			return err
		}
	}
	return auth.PutCredential(u.Tx, c)
}

// issue makes a grant and its first pair of tokens.
func (u *unit) issue(app snowflake.Application, user snowflake.User, scopes []string) (Token, store.Grant, error) {
	if err := u.limitGrants(app, user); err != nil {
		return Token{}, store.Grant{}, err
	}
	refresh := auth.NewRefreshToken()
	id, _ := auth.Family(refresh.Reveal())
	grant := store.Grant{ID: id, Application: app, User: user, Scopes: scopes, Made: u.now}
	token, err := u.renew(&grant, refresh)
	return token, grant, err
}

// renew gives a grant a pair of tokens in place of the one it had.
func (u *unit) renew(grant *store.Grant, refresh auth.Secret) (Token, error) {
	access, credential := auth.NewAccess(grant.Application, grant.User, grant.Scopes, u.now)
	if grant.Access != (store.TokenHash{}) {
		if err := auth.Revoke(u.Tx, grant.Access); err != nil {
			return Token{}, err
		}
	}
	if err := auth.PutCredential(u.Tx, credential); err != nil {
		return Token{}, err
	}
	grant.Access, grant.Refresh = credential.Hash, auth.Hash(refresh.Reveal())
	return Token{AccessToken: access, RefreshToken: refresh, Scopes: grant.Scopes}, u.Put(*grant)
}

// limitGrants makes room for one more grant of a user to an application.
func (u *unit) limitGrants(app snowflake.Application, user snowflake.User) error {
	have, err := u.Grants.Grants(app, user)
	if err != nil {
		return err
	}
	slices.SortFunc(have, func(a, b store.Grant) int { return a.Made.Compare(b.Made) })
	for _, old := range have[:max(len(have)-maxGrants+1, 0)] {
		if err := u.end(old); err != nil {
			return err
		}
	}
	return nil
}

// end ends a grant with both of its tokens.
func (u *unit) end(grant store.Grant) error {
	if err := auth.Revoke(u.Tx, grant.Access); err != nil {
		return err
	}
	u.Delete(store.GrantKey(grant.ID))
	return nil
}
