package oauth

import (
	"context"
	"errors"
	"slices"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

// The grant types.
const (
	AuthorizationCode = "authorization_code"
	RefreshToken      = "refresh_token"
	ClientCredentials = "client_credentials"
	DeviceCode        = "urn:ietf:params:oauth:grant-type:device_code"
)

// TokenRequest holds the parameters of a token request.
type TokenRequest struct {
	Client       Client
	GrantType    string
	Code         string
	RedirectURI  string
	Verifier     string
	RefreshToken string
	DeviceCode   string
	Scope        string
	// Merge is called in the decision that issues a token for a code or a device, with the user of the token. It merges a
	// provisional user into that one. Its error refuses the request, and the code stays valid. It may be nil.
	Merge func(*store.Tx, snowflake.User) error
}

// Token is the response to a token request.
type Token struct {
	AccessToken  auth.Secret
	RefreshToken auth.Secret // empty: none
	IDToken      auth.Secret // empty: none
	Scopes       []string
	Guild        snowflake.Guild // where the bot was installed; 0: in no guild
}

// Token answers a token request. It returns an *Error when the request is refused.
func (s *Server) Token(ctx context.Context, q TokenRequest) (Token, error) {
	grant, ok := map[string]struct {
		name     string // in the settings of an application
		exchange func(context.Context, client, TokenRequest) (Token, error)
	}{
		AuthorizationCode: {world.GrantCode, s.exchange},
		RefreshToken:      {world.GrantRefresh, s.refresh},
		ClientCredentials: {world.GrantCredentials, s.clientCredentials},
		DeviceCode:        {world.GrantDevice, s.poll},
	}[q.GrantType]
	if !ok {
		return Token{}, unsupportedGrantType()
	}
	c, err := s.client(ctx, q.Client)
	if err != nil {
		return Token{}, err
	}
	if refused := allows(c.Application, grant.name); refused != nil {
		return Token{}, refused
	}
	return grant.exchange(ctx, c, q)
}

// clientCredentials returns a token for the application itself. It acts for the owner.
func (s *Server) clientCredentials(ctx context.Context, c client, q TokenRequest) (Token, error) {
	if !c.authenticated {
		return Token{}, invalidClient()
	}
	scopes := auth.ParseScopes(q.Scope)
	if len(scopes) == 0 {
		scopes = []string{auth.ScopeIdentify}
	}
	if !auth.GrantableToClient(scopes) {
		return Token{}, invalidScope()
	}
	token, credential := auth.NewAccess(c.ID, 0, scopes, s.now())
	err := store.Decide(ctx, s.Store, func(tx *store.Tx) error {
		t := s.transaction(ctx, tx)
		if err := t.checkOwners(c.ID, 0); err != nil {
			return err
		}
		entry := audit.Entry{
			Actor: "application:" + c.ID.String(), Action: "token.create", Target: "application/" + c.ID.String() + "/access-token",
			After: struct {
				Scopes []string `json:"scopes"`
			}{scopes},
		}
		if err := s.Audit.Add(ctx, tx, entry); err != nil {
			return err
		}
		return t.putAccess(credential)
	})
	if errors.Is(err, store.ErrNotFound) {
		err = invalidClient()
	}
	return Token{AccessToken: token, Scopes: scopes}, err
}

// Limits on the grants and tokens of one application and user, or of the application itself. A new one replaces the
// oldest. Concurrent requests may exceed a limit; the next request removes the excess.
const (
	maxGrants = 100
	maxTokens = 1000
)

// putAccess stores an access token that belongs to no grant.
func (t *transaction) putAccess(c store.Credential) error {
	have, err := t.Credentials.Credentials(store.BearerToken, c.Application, c.User)
	if err != nil {
		return err
	}
	slices.SortFunc(have, func(a, b store.Credential) int { return a.Expires.Compare(b.Expires) })
	for _, old := range have[:max(len(have)-maxTokens+1, 0)] {
		if err := auth.Revoke(t.Tx, old.Hash); err != nil {
			return err
		}
	}
	return t.Put(c)
}

// issue creates a grant and its first pair of tokens. An application that may not use refresh tokens gets none.
func (t *transaction) issue(app snowflake.Application, user snowflake.User, scopes []string) (Token, store.Grant, error) {
	stored, err := t.Directory.Application(app)
	if err != nil {
		return Token{}, store.Grant{}, err
	}
	if err := t.limitGrants(app, user); err != nil {
		return Token{}, store.Grant{}, err
	}
	refresh := auth.NewRefreshToken()
	id, _ := auth.Family(refresh.Reveal())
	grant := store.Grant{ID: id, Application: app, User: user, Scopes: scopes, Created: t.now}
	token, err := t.renew(&grant, refresh)
	if allows(&stored, world.GrantRefresh) != nil {
		token.RefreshToken = ""
	}
	return token, grant, err
}

// renew replaces the pair of tokens of a grant.
func (t *transaction) renew(grant *store.Grant, refresh auth.Secret) (Token, error) {
	access, credential := auth.NewAccess(grant.Application, grant.User, grant.Scopes, t.now)
	if grant.Access != (store.TokenHash{}) {
		if err := auth.Revoke(t.Tx, grant.Access); err != nil {
			return Token{}, err
		}
	}
	if err := t.Put(credential); err != nil {
		return Token{}, err
	}
	grant.Access, grant.Refresh = credential.Hash, auth.Hash(refresh.Reveal())
	grant.Used, grant.Until = t.now, t.now.Add(t.idle)
	return Token{AccessToken: access, RefreshToken: refresh, Scopes: grant.Scopes}, t.Put(*grant)
}

// limitGrants removes the oldest grants of a user to an application, so that one more can be added.
func (t *transaction) limitGrants(app snowflake.Application, user snowflake.User) error {
	have, err := t.Grants.Grants(app, user)
	if err != nil {
		return err
	}
	slices.SortFunc(have, func(a, b store.Grant) int { return a.Created.Compare(b.Created) })
	for _, old := range have[:max(len(have)-maxGrants+1, 0)] {
		if err := t.end(old); err != nil {
			return err
		}
	}
	return nil
}

// end removes a grant and revokes its tokens.
func (t *transaction) end(grant store.Grant) error {
	if err := auth.Revoke(t.Tx, grant.Access); err != nil {
		return err
	}
	t.Delete(store.GrantKey(grant.ID))
	return nil
}
