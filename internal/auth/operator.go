package auth

import (
	"context"
	"slices"

	"github.com/bellhop/bellhop/internal/store"
)

// Scopes of operator tokens. None of them includes another one.
const (
	// OperatorRead reads everything that the admin API shows.
	OperatorRead = "read"
	// OperatorDirectory writes and deletes users, applications, guilds and what belongs to them.
	OperatorDirectory = "directory"
	// OperatorSecrets creates and replaces tokens and secrets, also those of operators.
	OperatorSecrets = "secrets"
)

// OperatorScopes returns all scopes of operator tokens.
func OperatorScopes() []string { return []string{OperatorRead, OperatorDirectory, OperatorSecrets} }

// IsOperator reports whether the caller is an operator with a scope.
func (p Principal) IsOperator(scope string) bool {
	return p.Kind == store.AdminToken && slices.Contains(p.Scopes, scope)
}

// AuthenticateOperator returns the operator of an Authorization header with "Bearer" and an operator's token, and
// otherwise ErrUnauthorized. Authenticate does not accept the tokens of operators.
func (a *Authenticator) AuthenticateOperator(ctx context.Context, header string) (Principal, error) {
	scheme, token := split(header)
	if scheme != store.BearerToken || token == "" {
		return Principal{}, ErrUnauthorized
	}
	return a.operator(ctx, token, false)
}

// AuthenticateOperatorSession returns the operator of the secret in the cookie of a browser, or ErrUnauthorized. The
// secret is not valid in an Authorization header.
func (a *Authenticator) AuthenticateOperatorSession(ctx context.Context, secret string) (Principal, error) {
	return a.operator(ctx, secret, true)
}

func (a *Authenticator) operator(ctx context.Context, token string, session bool) (Principal, error) {
	if len(token) > MaxTokenLen {
		return Principal{}, ErrUnauthorized
	}
	c, err := a.credential(ctx, Hash(token), store.AdminToken)
	if err != nil {
		return Principal{}, err
	}
	if c.Kind != store.AdminToken || c.Session != session {
		return Principal{}, ErrUnauthorized
	}
	if session {
		if err := a.useSession(ctx, c); err != nil {
			return Principal{}, err
		}
	}
	return Principal{Kind: c.Kind, Name: c.Name, Scopes: c.Scopes, Expires: c.Expires}, nil
}

// useSession returns ErrUnauthorized if the session of an operator was not used for SessionIdle. Otherwise it records the use, once
// in each tenth of that time.
func (a *Authenticator) useSession(ctx context.Context, c *store.Credential) error {
	used := c.Created
	if c.Used.After(used) {
		used = c.Used
	}
	switch since := a.Clock.Now().Sub(used); {
	case a.SessionIdle <= 0:
		return nil
	case since >= a.SessionIdle:
		return ErrUnauthorized
	case since < a.SessionIdle/10 || a.UseSession == nil:
		return nil
	}
	return a.UseSession(ctx, c.Hash)
}
