package idp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/zitadel/oidc/v3/pkg/oidc"
	"golang.org/x/oauth2"
)

// Party is the relying party of one OpenID provider: it knows the provider's endpoints, exchanges codes for tokens, and
// verifies ID tokens and logout tokens. It is safe for concurrent use.
//
// The library has a relying party of its own, in pkg/client/rp. That package traces with OpenTelemetry and keeps
// cookies, and both are compiled into every binary; the checks of ID tokens are in pkg/oidc, which needs neither.
type Party struct {
	config     oauth2.Config
	issuer     string
	algorithms []string // that the provider signs with; empty for the library's default
	http       *http.Client
	keys       keySet
}

// maxDocument bounds a discovery document and a key set, in bytes.
const maxDocument = 1 << 20

var (
	errStatus    = errors.New("unexpected status")
	errDiscovery = errors.New("the discovery document lacks an endpoint")
	errNoIDToken = errors.New("the token response has no ID token")
)

// Discover reads the discovery document of a provider. The browser returns to the redirect URI.
func Discover(ctx context.Context, client *http.Client, p Provider, redirect string) (*Party, error) {
	issuer := p.Issuer
	config := oauth2.Config{
		ClientID: p.ClientID, ClientSecret: p.Secret.Reveal(), RedirectURL: redirect,
		Scopes: append([]string{oidc.ScopeOpenID, oidc.ScopeProfile, oidc.ScopeEmail}, p.Scopes...),
	}
	var found struct {
		Issuer     string   `json:"issuer"`
		Authorize  string   `json:"authorization_endpoint"`
		Token      string   `json:"token_endpoint"`
		Keys       string   `json:"jwks_uri"`
		Algorithms []string `json:"id_token_signing_alg_values_supported"`
	}
	if err := getJSON(ctx, client, strings.TrimSuffix(issuer, "/")+oidc.DiscoveryEndpoint, &found); err != nil {
		return nil, err
	}
	switch {
	case found.Issuer != issuer:
		return nil, fmt.Errorf("%w: %q", oidc.ErrIssuerInvalid, found.Issuer)
	case found.Authorize == "" || found.Token == "" || found.Keys == "":
		return nil, errDiscovery
	}
	// The zero AuthStyle tries the secret in the header first and then in the body.
	config.Endpoint = oauth2.Endpoint{AuthURL: found.Authorize, TokenURL: found.Token}
	return &Party{
		config: config, issuer: issuer, algorithms: found.Algorithms, http: client,
		keys: keySet{url: found.Keys, http: client},
	}, nil
}

// AuthURL returns the authorization URL of the provider. The code challenge is derived from verifier.
func (p *Party) AuthURL(state, nonce, verifier string) string {
	return p.config.AuthCodeURL(state, oauth2.S256ChallengeOption(verifier), oauth2.SetAuthURLParam("nonce", nonce))
}

// Exchange exchanges a code for the verified claims of an ID token.
func (p *Party) Exchange(ctx context.Context, code, nonce, verifier string) (*oidc.IDTokenClaims, error) {
	ctx = context.WithValue(ctx, oauth2.HTTPClient, p.http)
	token, err := p.config.Exchange(ctx, code, oauth2.VerifierOption(verifier))
	if err != nil {
		return nil, err
	}
	raw, ok := token.Extra("id_token").(string)
	if !ok {
		return nil, errNoIDToken
	}
	return p.verify(ctx, raw, nonce, token.AccessToken)
}

// clockSkew is the allowed difference between the clocks of the provider and of this machine.
const clockSkew = time.Second

// verify makes the checks of OpenID Connect Core, section 3.1.3.7, and checks at_hash as in section 3.1.3.8.
func (p *Party) verify(ctx context.Context, raw, nonce, accessToken string) (*oidc.IDTokenClaims, error) {
	claims := new(oidc.IDTokenClaims)
	payload, err := oidc.ParseToken(raw, claims)
	if err != nil {
		return nil, err
	}
	for _, check := range []func() error{
		func() error { return oidc.CheckSubject(claims) },
		func() error { return oidc.CheckIssuer(claims, p.issuer) },
		func() error { return oidc.CheckAudience(claims, p.config.ClientID) },
		func() error { return oidc.CheckAZPVerifier(claims, oidc.DefaultAZPVerifier(p.config.ClientID)) },
		func() error { return oidc.CheckSignature(ctx, raw, payload, claims, p.algorithms, &p.keys) },
		func() error { return oidc.CheckExpiration(claims, clockSkew) },
		func() error { return oidc.CheckIssuedAt(claims, 0, clockSkew) },
		func() error { return oidc.CheckNonce(claims, nonce) },
		func() error { return checkAccessToken(claims, accessToken) },
	} {
		if err := check(); err != nil {
			return nil, err
		}
	}
	return claims, nil
}

// checkAccessToken compares an access token with its hash in the ID token. The hash is optional.
func checkAccessToken(claims *oidc.IDTokenClaims, accessToken string) error {
	if claims.AccessTokenHash == "" {
		return nil
	}
	hash, err := oidc.ClaimHash(accessToken, claims.GetSignatureAlgorithm())
	if err != nil {
		return err
	}
	if hash != claims.AccessTokenHash {
		return oidc.ErrAtHash
	}
	return nil
}

// keySet holds the public keys of a provider. It fetches them again when none of them has signed a token.
type keySet struct {
	url  string
	http *http.Client

	mu   sync.Mutex
	keys []jose.JSONWebKey

	unsolicited pause
}

// VerifySignature returns the payload of a token that one of the provider's keys has signed.
func (s *keySet) VerifySignature(ctx context.Context, jws *jose.JSONWebSignature) ([]byte, error) {
	s.mu.Lock()
	known := s.keys
	s.mu.Unlock()
	if payload, err := verifyWith(known, jws); err == nil {
		return payload, nil
	}
	fetched, err := s.fetch(ctx)
	if err != nil {
		return nil, err
	}
	return verifyWith(fetched, jws)
}

// fetch reads the keys again.
func (s *keySet) fetch(ctx context.Context) ([]jose.JSONWebKey, error) {
	fetched, err := fetchKeys(ctx, s.http, s.url)
	if err == nil {
		s.mu.Lock()
		s.keys = fetched
		s.mu.Unlock()
	}
	return fetched, err
}

// verifyWith returns the payload of a token that one of keys has signed.
func verifyWith(keys []jose.JSONWebKey, jws *jose.JSONWebSignature) ([]byte, error) {
	id, algorithm := oidc.GetKeyIDAndAlg(jws)
	key, err := oidc.FindMatchingKey(id, oidc.KeyUseSignature, algorithm, keys...)
	if err != nil {
		return nil, err
	}
	return jws.Verify(&key)
}

// fetchKeys reads a key set. It leaves out keys of unknown types.
func fetchKeys(ctx context.Context, client *http.Client, url string) ([]jose.JSONWebKey, error) {
	var raw struct {
		Keys []jsontext.Value `json:"keys"`
	}
	if err := getJSON(ctx, client, url, &raw); err != nil {
		return nil, err
	}
	var keys []jose.JSONWebKey
	for _, text := range raw.Keys {
		var key jose.JSONWebKey
		switch err := key.UnmarshalJSON(text); {
		case err == nil:
			keys = append(keys, key)
		case !errors.Is(err, jose.ErrUnsupportedKeyType):
			return nil, fmt.Errorf("read a key of %s: %w", url, err)
		}
	}
	return keys, nil
}

// getJSON reads the JSON document at url into v.
func getJSON(ctx context.Context, client *http.Client, url string, v any) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	answer, err := client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%w of %s: %s", errStatus, url, answer.Status)
	}
	if err := json.UnmarshalRead(io.LimitReader(answer.Body, maxDocument), v); err != nil {
		return fmt.Errorf("read %s: %w", url, err)
	}
	return nil
}
