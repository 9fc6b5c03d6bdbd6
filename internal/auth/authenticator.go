// Package auth creates tokens and secrets, hashes them, knows OAuth2 scopes, and turns the Authorization header of a
// request into a Principal. It does not know HTTP.
package auth

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// ErrUnauthorized says that a request has no valid credential.
var ErrUnauthorized = errors.New("unauthorized")

// Principal is the caller of a request. It is immutable.
type Principal struct {
	Kind        store.CredentialKind
	Application snowflake.Application // of bot and bearer tokens
	User        snowflake.User        // of user tokens, and of bearer tokens the user they act for
	Name        string                // of operators
	Scopes      []string              // the granted scopes of bearer tokens, and the scopes of operators
	// Own says that a bearer token comes from the client-credentials grant. It acts for the owner of the application.
	Own bool
	// Expires is when the token expires. It is zero for a token that does not expire.
	Expires time.Time
}

// HasScope reports whether a scope was granted, by itself or as part of another scope.
func (p Principal) HasScope(scope string) bool { return Allows(p.Scopes, scope) }

// Records looks up credentials and the users and applications that they belong to. directory.Credentials implements it.
type Records interface {
	// Credential returns the credential with a hash, or store.ErrNotFound.
	Credential(ctx context.Context, hash store.TokenHash) (*store.Credential, error)
	// HasUser reports whether a user exists. A bot is not a user.
	HasUser(ctx context.Context, id snowflake.User) (bool, error)
	// Owner returns the owner of an application. known is false when the application does not exist.
	Owner(ctx context.Context, id snowflake.Application) (owner snowflake.User, known bool, err error)
}

// Authenticator checks credentials. It is safe for concurrent use. Records and Clock are required.
type Authenticator struct {
	Records Records
	Clock   clock.Clock
	Refused Hashes // tokens that are never valid
	// AnyBot is the application of all bot tokens that are unknown, for a bot whose token is in its own files; 0: unknown tokens are
	// not valid.
	AnyBot snowflake.Application
	// Active is called with the user of each valid user token; nil: not.
	Active func(snowflake.User)
	// SessionIdle is the time after which a session of an operator ends that is not used; 0: never before its absolute end.
	SessionIdle time.Duration
	// UseSession records that a browser uses the session of an operator; nil: it is not recorded.
	UseSession func(context.Context, store.TokenHash) error
}

// Authenticate returns the principal of an Authorization header: "Bot" and a bot token, "Bearer" and an access token,
// or a user token alone. Case matters in the prefix Bot, which the specification requires, and does not matter in Bearer
// (RFC 9110, section 11.1). For other headers, and when the user or application of the token was deleted, it returns
// ErrUnauthorized.
func (a *Authenticator) Authenticate(ctx context.Context, header string) (Principal, error) {
	kind, token := split(header)
	if token == "" || len(token) > MaxTokenLen {
		return Principal{}, ErrUnauthorized
	}
	hash := Hash(token)
	if a.Refused[hash] {
		return Principal{}, ErrUnauthorized
	}
	c, err := a.credential(ctx, hash, kind)
	if err != nil {
		return Principal{}, err
	}
	if c.Kind != kind {
		return Principal{}, ErrUnauthorized
	}
	p, err := a.principal(ctx, c)
	if err == nil && kind == store.UserToken && a.Active != nil {
		a.Active(p.User)
	}
	return p, err
}

// Holds reports whether a credential exists, has not expired, and belongs to a user or application that exists.
func (a *Authenticator) Holds(ctx context.Context, hash store.TokenHash) (bool, error) {
	c, err := a.credential(ctx, hash, store.BotToken)
	if err == nil {
		_, err = a.principal(ctx, c)
	}
	if errors.Is(err, ErrUnauthorized) {
		return false, nil
	}
	return err == nil, err
}

// HeaderKind returns the kind of token that an Authorization header claims to contain. It is 0 if there is none, or if
// its scheme is unknown.
func HeaderKind(header string) store.CredentialKind {
	kind, token := split(header)
	if token == "" {
		return 0
	}
	return kind
}

// HashOf returns the hash of the token in an Authorization header.
func HashOf(header string) store.TokenHash {
	_, token := split(header)
	return Hash(token)
}

// split returns the token of a header and the token kind of its scheme. The token is empty when the scheme is unknown.
func split(header string) (store.CredentialKind, string) {
	scheme, token, schemed := strings.Cut(header, " ")
	switch {
	case !schemed:
		return store.UserToken, header
	case strings.Contains(token, " "):
		return 0, ""
	case scheme == "Bot":
		return store.BotToken, token
	case strings.EqualFold(scheme, "Bearer"):
		return store.BearerToken, token
	}
	return 0, ""
}

// credential returns a credential that has not expired, or ErrUnauthorized. kind is the kind of token that the caller claims to have.
func (a *Authenticator) credential(ctx context.Context, hash store.TokenHash, kind store.CredentialKind) (*store.Credential, error) {
	c, err := a.Records.Credential(ctx, hash)
	switch {
	case errors.Is(err, store.ErrNotFound) && kind == store.BotToken && a.AnyBot != 0:
		return &store.Credential{Hash: hash, Kind: kind, Application: a.AnyBot}, nil
	case errors.Is(err, store.ErrNotFound):
		return nil, ErrUnauthorized
	case err != nil:
		return nil, fmt.Errorf("read a credential: %w", err)
	case c.Hash != hash: // the cache finds credentials by half of the hash
		return nil, ErrUnauthorized
	case !c.Expires.IsZero() && !a.Clock.Now().Before(c.Expires):
		return nil, ErrUnauthorized
	}
	return c, nil
}

// principal returns the principal of a credential. It returns ErrUnauthorized when the user or application of the
// credential does not exist: the credentials of a deleted user or application are removed some time after the deletion.
func (a *Authenticator) principal(ctx context.Context, c *store.Credential) (Principal, error) {
	p := Principal{Kind: c.Kind, Application: c.Application, User: c.User, Scopes: c.Scopes, Expires: c.Expires}
	if c.Application != 0 {
		owner, known, err := a.Records.Owner(ctx, c.Application)
		if err != nil {
			return Principal{}, err
		}
		if !known {
			return Principal{}, ErrUnauthorized
		}
		if c.Kind == store.BearerToken && c.User == 0 {
			p.User, p.Own = owner, true
		}
	}
	if c.User != 0 {
		known, err := a.Records.HasUser(ctx, c.User)
		if err != nil {
			return Principal{}, err
		}
		if !known {
			return Principal{}, ErrUnauthorized
		}
	}
	return p, nil
}
