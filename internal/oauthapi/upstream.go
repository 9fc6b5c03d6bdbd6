package signin

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

// ErrUpstream says that the upstream provider did not vouch for anybody.
var ErrUpstream = errors.New("the identity provider vouches for nobody")

// CallbackPath is where the upstream provider sends people back to.
const CallbackPath = "/oauth2/signin/callback"

// Upstream is an OpenID provider that knows the people of a platform. All fields are required; Secret is empty for a
// public client.
type Upstream struct {
	Issuer string
	Client string
	Secret auth.Secret
	// Public returns the address under which people reach this service.
	Public func() string
	// HTTP reaches the provider.
	HTTP *http.Client

	mu    sync.Mutex
	party *party // nil until the discovery document has been read
}

// Name returns what people know the provider by.
func (u *Upstream) Name() string {
	address, err := url.Parse(u.Issuer)
	if err != nil {
		return u.Issuer
	}
	return address.Host
}

// upstreamTimeout is how long the provider may take for one step.
const upstreamTimeout = 10 * time.Second

// relyingParty returns what speaks to the provider. If the provider cannot be reached, the next call tries again.
func (u *Upstream) relyingParty(ctx context.Context) (*party, error) {
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

// upstreamCookie ties what comes back from the provider to the browser that was sent there. Its value is a secret, from
// which everything that must come back unchanged is made, and where the person wants to go.
const (
	upstreamCookie = "bellhop-upstream"
	upstreamWait   = 10 * time.Minute
)

// derive makes one of the things that must come back from the secret of the cookie.
func derive(secret, what string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(what))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// Begin returns where the browser goes to sign in at the provider. Afterwards the person goes on to next.
func (u *Upstream) Begin(ctx context.Context, w http.ResponseWriter, next string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, upstreamTimeout)
	defer cancel()
	party, err := u.relyingParty(ctx)
	if err != nil {
		return "", err
	}
	secret := auth.NewRefreshToken().Reveal()
	u.setCookie(w, secret+"."+base64.RawURLEncoding.EncodeToString([]byte(next)), int(upstreamWait.Seconds()))
	return party.authURL(derive(secret, "state"), derive(secret, "nonce"), derive(secret, "verifier")), nil
}

func (u *Upstream) setCookie(w http.ResponseWriter, value string, seconds int) {
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // Secure wherever the service is reached by https
		Name: upstreamCookie, Value: value, Path: CallbackPath, MaxAge: seconds, HttpOnly: true,
		Secure: strings.HasPrefix(u.Public(), "https:"), SameSite: http.SameSiteLaxMode,
	})
}

// Finish returns whom the provider vouches for, and where the person wants to go.
func (u *Upstream) Finish(w http.ResponseWriter, r *http.Request) (Identity, string, error) {
	c, err := r.Cookie(upstreamCookie)
	if err != nil {
		return Identity{}, "", fmt.Errorf("%w: another browser began", ErrUpstream)
	}
	u.setCookie(w, "", -1) // once
	secret, encoded, _ := strings.Cut(c.Value, ".")
	next, err := base64.RawURLEncoding.DecodeString(encoded)
	if err != nil || len(secret) != secretLen {
		return Identity{}, "", fmt.Errorf("%w: another browser began", ErrUpstream)
	}
	id, err := u.exchange(r.Context(), r.URL.Query(), secret)
	return id, LocalPath(string(next), "/"), err
}

// exchange trades the answer of the provider for an identity.
func (u *Upstream) exchange(ctx context.Context, q url.Values, secret string) (Identity, error) {
	issuers := q["iss"]
	switch {
	case !hmac.Equal([]byte(q.Get("state")), []byte(derive(secret, "state"))):
		return Identity{}, fmt.Errorf("%w: the state is not ours", ErrUpstream)
	case len(issuers) > 0 && issuers[0] != u.Issuer:
		return Identity{}, fmt.Errorf("%w: the answer of another provider", ErrUpstream)
	case q.Get("code") == "":
		return Identity{}, fmt.Errorf("%w: no code", ErrUpstream)
	}
	ctx, cancel := context.WithTimeout(ctx, upstreamTimeout)
	defer cancel()
	party, err := u.relyingParty(ctx)
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
