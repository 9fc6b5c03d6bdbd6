package oauth

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/zitadel/oidc/v3/pkg/oidc"
	"golang.org/x/oauth2"
)

// ErrUpstream says that the upstream provider did not confirm an identity.
var ErrUpstream = errors.New("the identity provider confirmed no identity")

// CallbackPath is the redirect URI of the service at the upstream provider.
const CallbackPath = "/oauth2/signin/callback"

// Upstream is the OpenID provider of a platform. All fields are required, except Secret for a public client.
type Upstream struct {
	Issuer string
	Client string
	Secret auth.Secret
	// Public returns the URL at which browsers reach this service.
	Public func() string
	// HTTP sends requests to the provider.
	HTTP *http.Client

	mu    sync.Mutex
	party *relyingParty // nil until the discovery document has been read
}

// Name returns the host of the provider, for the sign-in page.
func (u *Upstream) Name() string {
	address, err := url.Parse(u.Issuer)
	if err != nil {
		return u.Issuer
	}
	return address.Host
}

// upstreamTimeout bounds how long the provider may take for one step.
const upstreamTimeout = 10 * time.Second

// connect returns the client of the provider. If the provider cannot be reached, the next call tries again.
func (u *Upstream) connect(ctx context.Context) (*relyingParty, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.party != nil {
		return u.party, nil
	}
	party, err := discover(ctx, u.HTTP, u.Issuer, oauth2.Config{
		ClientID: u.Client, ClientSecret: u.Secret.Reveal(), RedirectURL: u.Public() + CallbackPath,
		Scopes: []string{oidc.ScopeOpenID, oidc.ScopeProfile, oidc.ScopeEmail},
	})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUpstream, err)
	}
	u.party = party
	return party, nil
}

const (
	// upstreamCookie binds the sign-in to one browser. It contains a secret, from which state, nonce and code verifier
	// are derived, and the path to continue at. Over https its name has the prefix __Host-, so that no page of a
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

// stateOf returns the state of a sign-in. It belongs to the session of the browser too: the cookie of the sign-in alone, which an
// attacker may have planted, is not enough.
func stateOf(secret string, session Session) string {
	return derive(secret, "state "+session.FormToken())
}

// Begin returns the URL at which the user signs in at the provider. Afterwards the browser, which has the session, continues at
// next.
func (u *Upstream) Begin(ctx context.Context, w http.ResponseWriter, session Session, next string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, upstreamTimeout)
	defer cancel()
	party, err := u.connect(ctx)
	if err != nil {
		return "", err
	}
	secret := auth.NewRefreshToken().Reveal()
	u.setCookie(w, secret+"."+base64.RawURLEncoding.EncodeToString([]byte(next)), int(upstreamWait.Seconds()))
	return party.authURL(stateOf(secret, session), derive(secret, "nonce"), derive(secret, "verifier")), nil
}

func (u *Upstream) setCookie(w http.ResponseWriter, value string, seconds int) {
	name, secure := u.cookie()
	setCookie(w, name, value, seconds, secure)
}

// Finish returns the identity that the provider confirms, and the path to continue at.
func (u *Upstream) Finish(w http.ResponseWriter, r *http.Request, session Session) (Identity, string, error) {
	name, _ := u.cookie()
	c, err := r.Cookie(name)
	if err != nil || session.secret == "" {
		return Identity{}, "", fmt.Errorf("%w: this browser did not begin the sign-in", ErrUpstream)
	}
	u.setCookie(w, "", -1) // it can be used once
	secret, encoded, _ := strings.Cut(c.Value, ".")
	next, err := base64.RawURLEncoding.DecodeString(encoded)
	if err != nil || len(secret) != secretLen {
		return Identity{}, "", fmt.Errorf("%w: this browser did not begin the sign-in", ErrUpstream)
	}
	id, err := u.exchange(r.Context(), r.URL.Query(), secret, session)
	return id, LocalPath(string(next), "/"), err
}

// exchange checks the answer of the provider and exchanges its code for an identity.
func (u *Upstream) exchange(ctx context.Context, q url.Values, secret string, session Session) (Identity, error) {
	issuers := q["iss"]
	switch {
	case !hmac.Equal([]byte(q.Get("state")), []byte(stateOf(secret, session))):
		return Identity{}, fmt.Errorf("%w: wrong state", ErrUpstream)
	case len(issuers) > 0 && issuers[0] != u.Issuer:
		return Identity{}, fmt.Errorf("%w: answer of another provider", ErrUpstream)
	case q.Get("code") == "":
		return Identity{}, fmt.Errorf("%w: no code", ErrUpstream)
	}
	ctx, cancel := context.WithTimeout(ctx, upstreamTimeout)
	defer cancel()
	party, err := u.connect(ctx)
	if err != nil {
		return Identity{}, err
	}
	claims, err := party.exchange(ctx, q.Get("code"), derive(secret, "nonce"), derive(secret, "verifier"))
	if err != nil {
		return Identity{}, fmt.Errorf("%w: %w", ErrUpstream, err)
	}
	id := Identity{
		Issuer: u.Issuer, Subject: claims.Subject, Username: claims.PreferredUsername, Name: claims.Name,
	}
	if claims.EmailVerified {
		id.Email = claims.Email
	}
	return id, nil
}
