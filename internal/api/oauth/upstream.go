package oauth

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/idp"
)

// ErrUpstream says that the upstream provider did not confirm an identity.
var ErrUpstream = errors.New("the identity provider confirmed no identity")

// CallbackPath is the redirect URI of the service at the provider idp.DefaultID. The id of another provider follows it, so that
// the answer of one provider is never taken for that of another.
const CallbackPath = "/oauth2/signin/callback"

// Upstream is an OpenID provider of a platform, at which users and operators sign in. All fields are required.
type Upstream struct {
	Provider idp.Provider
	// Public returns the URL at which browsers reach this service.
	Public func() string
	// HTTP sends requests to the provider.
	HTTP *http.Client

	mu    sync.Mutex
	party *idp.Party // nil until the discovery document has been read
}

// callback returns the redirect URI of the service at the provider.
func (u *Upstream) callback() string {
	if u.Provider.ID == idp.DefaultID {
		return u.Public() + CallbackPath
	}
	return u.Public() + CallbackPath + "/" + u.Provider.ID
}

// upstreamTimeout bounds how long the provider may take for one step.
const upstreamTimeout = 10 * time.Second

// connect returns the client of the provider. If the provider cannot be reached, the next call tries again.
func (u *Upstream) connect(ctx context.Context) (*idp.Party, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.party != nil {
		return u.party, nil
	}
	party, err := idp.Discover(ctx, u.HTTP, u.Provider, u.callback())
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUpstream, err)
	}
	u.party = party
	return party, nil
}

const (
	// upstreamCookie binds the sign-in to one browser. It contains a secret, from which state, nonce and code verifier
	// are derived, the path to continue at, and whether an operator signs in. Over https its name has the prefix __Host-, so that no page of a
	// sibling domain can set it.
	upstreamCookie = "bellhop-upstream"
	upstreamWait   = 10 * time.Minute
)

// cookie returns the name of the cookie, and whether browsers send it only over https.
func (u *Upstream) cookie() (string, bool) {
	if strings.HasPrefix(u.Public(), "https:") {
		return "__Host-" + upstreamCookie, true
	}
	return upstreamCookie, false
}

// derive derives the state, the nonce or the verifier from the secret of the cookie.
func derive(secret, what string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(what))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// Trip is a sign-in at a provider.
type Trip struct {
	Next     string // path to continue at
	Operator bool   // an operator signs in, not a user
}

// encode returns the trip as a part of a cookie.
func (t Trip) encode() string {
	text := base64.RawURLEncoding.EncodeToString([]byte(t.Next))
	if t.Operator {
		text += ".operator"
	}
	return text
}

// decodeTrip is the reverse of encode.
func decodeTrip(text string) (Trip, bool) {
	text, operator := strings.CutSuffix(text, ".operator")
	next, err := base64.RawURLEncoding.DecodeString(text)
	return Trip{LocalPath(string(next), "/"), operator}, err == nil
}

// stateOf returns the state of a sign-in. It belongs to the provider, to the trip and to the session of the browser too: the cookie
// of the sign-in alone, which an attacker may have planted, is not enough.
func (u *Upstream) stateOf(secret string, session Session, trip Trip) string {
	return derive(secret, "state "+u.Provider.ID+" "+trip.encode()+" "+session.FormToken())
}

// Begin returns the URL at which the user signs in at the provider. The browser has the session.
func (u *Upstream) Begin(ctx context.Context, w http.ResponseWriter, session Session, trip Trip) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, upstreamTimeout)
	defer cancel()
	party, err := u.connect(ctx)
	if err != nil {
		return "", err
	}
	secret := auth.NewRefreshToken().Reveal()
	u.setCookie(w, secret+"."+trip.encode(), int(upstreamWait.Seconds()))
	return party.AuthURL(u.stateOf(secret, session, trip), derive(secret, "nonce"), derive(secret, "verifier")), nil
}

func (u *Upstream) setCookie(w http.ResponseWriter, value string, seconds int) {
	name, secure := u.cookie()
	setCookie(w, name, value, api.CookiePath(u.Public()), seconds, secure)
}

// Arrival has the identity of a user who comes back from a provider.
type Arrival struct {
	Identity Identity
	Trip     Trip
	// Scopes are the scopes that the provider's claims give to an operator; empty: the identity is no operator.
	Scopes []string
}

// Finish returns who the provider confirms.
func (u *Upstream) Finish(w http.ResponseWriter, r *http.Request, session Session) (Arrival, error) {
	name, _ := u.cookie()
	c, err := r.Cookie(name)
	if err != nil || session.secret == "" {
		return Arrival{}, fmt.Errorf("%w: this browser did not begin the sign-in", ErrUpstream)
	}
	u.setCookie(w, "", -1) // it can be used once
	secret, encoded, _ := strings.Cut(c.Value, ".")
	trip, ok := decodeTrip(encoded)
	if !ok || len(secret) != secretLen {
		return Arrival{}, fmt.Errorf("%w: this browser did not begin the sign-in", ErrUpstream)
	}
	q, issuers := r.URL.Query(), r.URL.Query()["iss"]
	switch {
	case !hmac.Equal([]byte(q.Get("state")), []byte(u.stateOf(secret, session, trip))):
		return Arrival{}, fmt.Errorf("%w: wrong state", ErrUpstream)
	case len(issuers) > 0 && issuers[0] != u.Provider.Issuer:
		return Arrival{}, fmt.Errorf("%w: answer of another provider", ErrUpstream)
	case q.Get("code") == "":
		return Arrival{}, fmt.Errorf("%w: no code", ErrUpstream)
	}
	arrived, err := u.exchange(r.Context(), q.Get("code"), secret)
	arrived.Trip = trip
	return arrived, err
}

// exchange exchanges a code for an identity and the scopes of an operator.
func (u *Upstream) exchange(ctx context.Context, code, secret string) (Arrival, error) {
	ctx, cancel := context.WithTimeout(ctx, upstreamTimeout)
	defer cancel()
	party, err := u.connect(ctx)
	if err != nil {
		return Arrival{}, err
	}
	claims, err := party.Exchange(ctx, code, derive(secret, "nonce"), derive(secret, "verifier"))
	if err != nil {
		return Arrival{}, fmt.Errorf("%w: %w", ErrUpstream, err)
	}
	id := Identity{
		Issuer: u.Provider.Issuer, Subject: claims.Subject, Username: claims.PreferredUsername, Name: claims.Name,
		Session: claims.SessionID, IsUserID: u.Provider.SubjectIsUserID,
	}
	if claims.EmailVerified {
		id.Email = claims.Email
	}
	return Arrival{Identity: id, Scopes: u.Provider.Operators.Of(claims.Claims)}, nil
}
