package oauth

import (
	"context"
	"errors"
	"time"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// AssertionType is the client_assertion_type of a signed JWT (RFC 7523).
const AssertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

const (
	// maxAssertionLife bounds how long an assertion may be valid. Used assertions are stored until they expire.
	maxAssertionLife = 10 * time.Minute
	// assertionSkew is the allowed difference between the clocks of a client and the server.
	assertionSkew = 30 * time.Second
	maxAssertion  = 8 << 10 // bytes
)

// assertionAlgorithms are the algorithms that may sign an assertion. All of them use public keys.
var assertionAlgorithms = []jose.SignatureAlgorithm{jose.RS256, jose.PS256, jose.ES256, jose.EdDSA}

// assertedClient returns the client that an assertion names, before its signature is checked.
func assertedClient(text string) (string, error) {
	token, err := parseAssertion(text)
	if err != nil {
		return "", err
	}
	var claims jwt.Claims
	if err := token.UnsafeClaimsWithoutVerification(&claims); err != nil {
		return "", invalidClient()
	}
	return claims.Subject, nil
}

func parseAssertion(text string) (*jwt.JSONWebToken, error) {
	if len(text) > maxAssertion {
		return nil, invalidClient()
	}
	token, err := jwt.ParseSigned(text, assertionAlgorithms)
	if err != nil {
		return nil, invalidClient()
	}
	return token, nil
}

// checkAssertion checks that an application signed an assertion for this server, and that it is used for the first
// time.
func (s *Server) checkAssertion(ctx context.Context, app *store.Application, text string) error {
	token, err := parseAssertion(text)
	if err != nil {
		return err
	}
	claims, ok := verifiedClaims(token, app.ClientKeys)
	now := s.now()
	if !ok || claims.Expiry == nil || claims.ID == "" || claims.Expiry.Time().After(now.Add(maxAssertionLife+assertionSkew)) {
		return invalidClient()
	}
	err = claims.ValidateWithLeeway(jwt.Expected{
		Issuer: app.ID.String(), Subject: app.ID.String(), AnyAudience: jwt.Audience{s.Issuer, s.Issuer + tokenPath}, Time: now,
	}, assertionSkew)
	if err != nil {
		return invalidClient()
	}
	hash := auth.Hash(app.ID.String() + "\x00" + bounded(claims.ID))
	return store.Decide(ctx, s.Store, func(tx *store.Tx) error {
		t := s.transaction(ctx, tx)
		_, err := t.Grants.Assertion(hash)
		if err == nil {
			return invalidClient() // used before
		}
		if !errors.Is(err, store.ErrNotFound) {
			return err
		}
		return t.Put(store.Assertion{Hash: hash, Application: app.ID, Until: claims.Expiry.Time().Add(assertionSkew)})
	})
}

// verifiedClaims returns the claims of a token that one of the keys signed.
func verifiedClaims(token *jwt.JSONWebToken, keys []string) (jwt.Claims, bool) {
	for _, text := range keys {
		key, err := world.ParseClientKey(text)
		if err != nil {
			continue // cannot happen: stored keys are valid
		}
		var claims jwt.Claims
		if token.Claims(key, &claims) == nil {
			return claims, true
		}
	}
	return jwt.Claims{}, false
}
