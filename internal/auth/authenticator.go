// Package auth decides who is asking: it makes tokens, keeps their hashes, and turns the Authorization header of a
// request into a principal. It knows nothing of HTTP.
package auth

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/bellhop/bellhop/internal/cache"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// ErrUnauthorized says that a request carries no credential, or none that holds.
var ErrUnauthorized = errors.New("unauthorized")

// Principal is who stands behind a request. It is immutable.
type Principal struct {
	Kind        store.CredentialKind
	Application snowflake.Application // of bot and bearer tokens
	User        snowflake.User        // of user tokens and of bearer tokens: whom they act for
	Scopes      []string              // of bearer tokens, as they were granted
	// Own says that a bearer token is the application's own, of the client-credentials grant: it acts for the owner.
	Own bool
	// Expires is when the token ends; zero: never.
	Expires time.Time
}

// HasScope reports whether a scope was granted, by its name or by that of one that stands for it.
func (p Principal) HasScope(scope string) bool { return Allows(p.Scopes, scope) }

// Owners looks up the users and applications that credentials belong to. directory.Directory implements it.
type Owners interface {
	// HasUser reports whether a user exists. Bots are no users.
	HasUser(ctx context.Context, id snowflake.User) (bool, error)
	// Owner returns the owner of an application. known is false when there is no such application.
	Owner(ctx context.Context, id snowflake.Application) (owner snowflake.User, known bool, err error)
}

// Authenticator checks credentials. It is safe for concurrent use. All fields are required.
type Authenticator struct {
	Store  store.Store
	Cache  *cache.Cache // of Store
	Clock  clock.Clock
	Owners Owners

	once  sync.Once
	state cache.Kind[store.TokenHash, store.Credential]
}

// Authenticate returns who stands behind an Authorization header: "Bot" and a bot token, "Bearer" and an access token, or
// a user token alone. Anything else is ErrUnauthorized, and so is the token of a user or an application that was deleted.
func (a *Authenticator) Authenticate(ctx context.Context, header string) (Principal, error) {
	kind, token := split(header)
	if token == "" || len(token) > MaxTokenLen {
		return Principal{}, ErrUnauthorized
	}
	c, err := a.credential(ctx, Hash(token))
	if err != nil {
		return Principal{}, err
	}
	if c.Kind != kind {
		return Principal{}, ErrUnauthorized
	}
	return a.principal(ctx, c)
}

// Holds reports whether there is a credential with a hash that has not expired and whose owner exists.
func (a *Authenticator) Holds(ctx context.Context, hash store.TokenHash) (bool, error) {
	c, err := a.credential(ctx, hash)
	if err == nil {
		_, err = a.principal(ctx, c)
	}
	if errors.Is(err, ErrUnauthorized) {
		return false, nil
	}
	return err == nil, err
}

// split returns the token of a header and the kind that its scheme asks for; no token when the scheme is unknown.
func split(header string) (store.CredentialKind, string) {
	scheme, token, schemed := strings.Cut(header, " ")
	switch {
	case !schemed:
		return store.UserToken, header
	case strings.Contains(token, " "):
		return 0, ""
	case strings.EqualFold(scheme, "Bot"):
		return store.BotToken, token
	case strings.EqualFold(scheme, "Bearer"):
		return store.BearerToken, token
	}
	return 0, ""
}

// credential returns a credential that has not expired, else ErrUnauthorized.
func (a *Authenticator) credential(ctx context.Context, hash store.TokenHash) (*store.Credential, error) {
	a.once.Do(func() {
		a.state = cache.Kind[store.TokenHash, store.Credential]{
			Cache: a.Cache, Subject: store.CredentialSubject, Read: readCredential, Size: credentialSize,
		}
	})
	c, err := a.state.Load(ctx, hash)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil, ErrUnauthorized
	case err != nil:
		return nil, fmt.Errorf("read a credential: %w", err)
	case c.Hash != hash: // the subject holds half of the hash
		return nil, ErrUnauthorized
	case !c.Expires.IsZero() && !a.Clock.Now().Before(c.Expires):
		return nil, ErrUnauthorized
	}
	return c, nil
}

func readCredential(r store.Reader, hash store.TokenHash) (*store.Credential, error) {
	c, err := r.Credentials.Credential(hash)
	return &c, err
}

func credentialSize(c *store.Credential) int {
	const record, scope = 160, 16
	n := record
	for _, s := range c.Scopes {
		n += scope + len(s)
	}
	return n
}

// principal returns who stands behind a credential, ErrUnauthorized when its owner does not exist: the credentials of a
// deleted user or application are removed some time after it.
func (a *Authenticator) principal(ctx context.Context, c *store.Credential) (Principal, error) {
	p := Principal{Kind: c.Kind, Application: c.Application, User: c.User, Scopes: c.Scopes, Expires: c.Expires}
	if c.Application != 0 {
		owner, known, err := a.Owners.Owner(ctx, c.Application)
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
		known, err := a.Owners.HasUser(ctx, c.User)
		if err != nil {
			return Principal{}, err
		}
		if !known {
			return Principal{}, ErrUnauthorized
		}
	}
	return p, nil
}
