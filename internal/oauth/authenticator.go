// Package oauth decides who is asking: it makes tokens, keeps their hashes, and turns the Authorization header of a
// request into whoever stands behind it. Every change to a credential goes through it, so that what it holds in memory
// is exact. It knows nothing of HTTP.
package oauth

import (
	"context"
	"errors"
	"fmt"
	"strings"
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

// Authenticator knows credentials. It is safe for concurrent use. All fields but Changed are required.
type Authenticator struct {
	Store store.Store
	Clock clock.Clock
	// Changed is told which credentials may have changed, after that is seen here; with none given, any may have. It may be
	// nil and does not wait.
	Changed func(hashes ...store.TokenHash)

	cache cache.Cache[store.TokenHash, *entry]
}

// entry is a credential as it is held in memory.
type entry struct{ principal Principal }

// Authenticate returns who stands behind an Authorization header: "Bot" and a bot token, "Bearer" and an access token, or
// a user token alone. Anything else is ErrUnauthorized.
func (a *Authenticator) Authenticate(ctx context.Context, header string) (Principal, error) {
	kind, token := split(header)
	if token == "" || len(token) > MaxTokenLen {
		return Principal{}, ErrUnauthorized
	}
	e, err := a.entry(ctx, Hash(token))
	if err != nil {
		return Principal{}, err
	}
	if e.principal.Kind != kind || e.expired(a.Clock) {
		return Principal{}, ErrUnauthorized
	}
	return e.principal, nil
}

// Holds reports whether the credential with a hash is one and has not run out.
func (a *Authenticator) Holds(ctx context.Context, hash store.TokenHash) (bool, error) {
	e, err := a.entry(ctx, hash)
	if errors.Is(err, ErrUnauthorized) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return !e.expired(a.Clock), nil
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

func (e *entry) expired(c clock.Clock) bool {
	return !e.principal.Expires.IsZero() && !c.Now().Before(e.principal.Expires)
}

// entry returns what is known of a credential.
func (a *Authenticator) entry(ctx context.Context, hash store.TokenHash) (*entry, error) {
	if e, ok := a.cache.Get(hash); ok {
		return e, nil
	}
	return a.load(ctx, hash)
}

// load reads a credential that is not held.
func (a *Authenticator) load(ctx context.Context, hash store.TokenHash) (*entry, error) {
	e, found, err := a.cache.Load(hash, func() (*entry, bool, error) {
		var e *entry
		err := a.Store.View(ctx, func(r store.Reader) error {
			var err error
			e, err = read(r, hash)
			return err
		})
		if errors.Is(err, store.ErrNotFound) {
			return nil, false, nil
		}
		return e, true, err
	})
	if err != nil {
		return nil, fmt.Errorf("read a credential: %w", err)
	}
	if !found {
		return nil, ErrUnauthorized
	}
	return e, nil
}

func read(r store.Reader, hash store.TokenHash) (*entry, error) {
	c, err := r.Credential(hash)
	if err != nil {
		return nil, err
	}
	p := Principal{Kind: c.Kind, Application: c.Application, User: c.User, Scopes: c.Scopes, Expires: c.Expires}
	if c.Kind == store.BearerToken && c.User == 0 {
		app, err := r.Application(c.Application)
		if err != nil {
			return nil, err
		}
		p.User, p.Own = app.Owner, true
	}
	return &entry{p}, nil
}

// Share tells the authenticator, before its first use, that other processes write to its store. fresh reports whether what is
// in memory can be shown: they were able to have it forgotten.
func (a *Authenticator) Share(fresh func() bool) { a.cache.Fresh = fresh }

// Forget drops what is held of credentials that were changed elsewhere, after the change is durable.
func (a *Authenticator) Forget(hashes ...store.TokenHash) {
	if len(hashes) == 0 {
		return
	}
	a.cache.Forget(hashes...)
	if a.Changed != nil {
		a.Changed(hashes...)
	}
}

// Reset drops everything that is held: after a change, once it is durable, of which nobody knows what it touched, or of
// an application's owner, for whom its own tokens act.
func (a *Authenticator) Reset() {
	a.cache.Reset()
	if a.Changed != nil {
		a.Changed()
	}
}
