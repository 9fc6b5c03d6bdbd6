package idp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/go-jose/go-jose/v4"
	"github.com/zitadel/oidc/v3/pkg/oidc"
)

// Player is a player of an application as an ID token describes the player.
type Player struct {
	Issuer, Subject string
	Name            string // empty: none, or one that no user can have
}

// PlayerTokens checks the ID tokens of the players of applications, with the key sets of the applications' OpenID providers. It is
// safe for concurrent use.
type PlayerTokens struct {
	HTTP  *http.Client // sends requests to the providers; it follows no redirects
	Clock clock.Clock
	// Local allows providers without TLS, on this machine and in private networks, for development.
	Local bool

	mu        sync.Mutex
	providers map[string]*playerProvider // by issuer
}

// playerProvider is the OpenID provider of players.
type playerProvider struct {
	mu         sync.Mutex
	keys       keySet
	algorithms []string
	read       time.Time // when the keys were asked for
	err        error     // why they could not be read; nil: they were
}

const (
	// maxProviders bounds the providers that are kept. A provider that was dropped is read again.
	maxProviders = 1000
	// minKeyAge is the time between two requests to a provider, so that tokens with invented keys cause few of them.
	minKeyAge = 10 * time.Second
	// maxKeyAge is the time after which the document of a provider is read again.
	maxKeyAge = time.Hour
	// maxSubject is the largest length of the id of a player at a provider (OpenID Connect Core 1.0, section 2).
	maxSubject = 255
	// maxPlayerName is the largest length of a display name.
	maxPlayerName = 32
	// playerTimeout bounds the requests to a provider for one token.
	playerTimeout = 10 * time.Second
	// maxIssued is the largest age of an ID token.
	maxIssued = 7 * 24 * time.Hour
)

// playerAlgorithms are the signatures that are accepted. Those with a shared secret are not among them.
var playerAlgorithms = []jose.SignatureAlgorithm{
	jose.RS256, jose.RS384, jose.RS512, jose.ES256, jose.ES384, jose.ES512, jose.PS256, jose.PS384, jose.PS512,
}

// Verify returns the player of an ID token, or an *apierror.Error.
func (v *PlayerTokens) Verify(ctx context.Context, app *store.Application, token string) (Player, error) {
	claims := new(oidc.IDTokenClaims)
	payload, err := oidc.ParseToken(token, claims)
	if err != nil {
		return Player{}, apierror.IDTokenInvalid
	}
	signed, err := jose.ParseSigned(token, playerAlgorithms)
	switch {
	case err != nil || len(signed.Signatures) != 1 || isOtherToken(signed, claims):
		return Player{}, apierror.IDTokenInvalid
	case signed.Signatures[0].Header.KeyID == "":
		return Player{}, apierror.IDTokenWithoutKey
	case claims.Issuer != app.PlayerIssuer:
		return Player{}, apierror.IDTokenIssuer
	case !slices.Contains(claims.Audience, app.PlayerClient):
		return Player{}, apierror.IDTokenAudience
	}
	ctx, cancel := context.WithTimeout(ctx, playerTimeout)
	defer cancel()
	p := v.provider(app.PlayerIssuer)
	if err := v.checkSignature(ctx, p, app.PlayerIssuer, signed, payload); err != nil {
		return Player{}, err
	}
	now := v.Clock.Now()
	switch issued := claims.IssuedAt.AsTime(); {
	case claims.Subject == "" || len(claims.Subject) > maxSubject || claims.Expiration.AsTime().IsZero():
		return Player{}, apierror.IDTokenInvalid
	case claims.NotBefore.AsTime().After(now.Add(clockSkew)):
		return Player{}, apierror.IDTokenInvalid
	case !now.Before(claims.Expiration.AsTime().Add(clockSkew)):
		return Player{}, apierror.IDTokenExpired
	case claims.IssuedAt == 0 || issued.After(now.Add(clockSkew)):
		return Player{}, apierror.IDTokenInvalid
	case now.Sub(issued) > maxIssued:
		return Player{}, apierror.IDTokenTooOld
	}
	player := Player{Issuer: claims.Issuer, Subject: claims.Subject}
	if name := claims.PreferredUsername; jsonbody.Len(name) <= maxPlayerName && !strings.ContainsFunc(name, unicode.IsControl) {
		player.Name = name
	}
	return player, nil
}

// isOtherToken reports whether a token says that it is not an ID token, for example an access token or a logout token that the
// provider has issued to the same client.
func isOtherToken(signed *jose.JSONWebSignature, claims *oidc.IDTokenClaims) bool {
	typ, _ := signed.Signatures[0].Header.ExtraHeaders[jose.HeaderType].(string)
	_, event := claims.Claims["events"]
	return event || strings.HasSuffix(strings.ToLower(typ), "+jwt")
}

// provider returns what is known of a provider.
func (v *PlayerTokens) provider(issuer string) *playerProvider {
	v.mu.Lock()
	defer v.mu.Unlock()
	if p := v.providers[issuer]; p != nil {
		return p
	}
	if v.providers == nil || len(v.providers) >= maxProviders {
		v.providers = map[string]*playerProvider{}
	}
	p := &playerProvider{}
	v.providers[issuer] = p
	return p
}

// checkSignature checks that one of the provider's keys has signed a token. It reads the keys if they are old, or if none of them
// has, but not more often than every minKeyAge.
func (v *PlayerTokens) checkSignature(
	ctx context.Context, p *playerProvider, issuer string, signed *jose.JSONWebSignature, payload []byte,
) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := v.Clock.Now()
	age := now.Sub(p.read)
	if p.err == nil && age >= 0 && age < maxKeyAge && p.signed(signed, payload) {
		return nil
	}
	if age < 0 || age >= minKeyAge {
		p.err = v.read(ctx, p, issuer)
		p.read = v.Clock.Now() // not now: a provider that hangs would hold each call that waits
	}
	switch {
	case p.err != nil:
		return p.err
	case !p.signed(signed, payload):
		return apierror.IDTokenInvalid
	}
	return nil
}

// signed reports whether one of the keys has signed a token with an algorithm of the provider.
func (p *playerProvider) signed(signed *jose.JSONWebSignature, payload []byte) bool {
	algorithm := signed.Signatures[0].Header.Algorithm
	if !slices.Contains(p.algorithms, algorithm) {
		return false
	}
	verified, err := verifyWith(p.keys.keys, signed)
	return err == nil && string(verified) == string(payload)
}

// read reads the discovery document and the keys of a provider.
func (v *PlayerTokens) read(ctx context.Context, p *playerProvider, issuer string) error {
	var found struct {
		Issuer     string   `json:"issuer"`
		Keys       string   `json:"jwks_uri"`
		Algorithms []string `json:"id_token_signing_alg_values_supported"`
	}
	if err := v.check(issuer); err != nil {
		return err
	}
	err := getJSON(ctx, v.HTTP, strings.TrimSuffix(issuer, "/")+oidc.DiscoveryEndpoint, &found)
	if err != nil || found.Issuer != issuer || found.Keys == "" || v.check(found.Keys) != nil {
		return apierror.ProviderUnreachable
	}
	keys, err := fetchKeys(ctx, v.HTTP, found.Keys)
	if err != nil {
		return apierror.KeysUnreachable
	}
	p.keys.keys, p.algorithms = keys, found.Algorithms
	return nil
}

var errAddress = errors.New("address of a provider")

// check refuses addresses that are not those of a provider on the internet, except in development.
func (v *PlayerTokens) check(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.User != nil || u.Fragment != "" || u.Scheme != "https" && (!v.Local || u.Scheme != "http") {
		return fmt.Errorf("%w: %w", errAddress, apierror.ProviderUnreachable)
	}
	if v.Local {
		return nil
	}
	host := u.Hostname()
	_, err = netip.ParseAddr(host)
	local := slices.ContainsFunc([]string{".local", ".arpa", ".internal", ".localhost"}, func(end string) bool { return strings.HasSuffix(host, end) })
	if err == nil || !strings.Contains(host, ".") || local {
		return fmt.Errorf("%w: %w", errAddress, apierror.ProviderUnreachable)
	}
	return nil
}
