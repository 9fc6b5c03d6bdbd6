package oauth_test

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/oauth"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

func publicPEM(t *testing.T, public any) string {
	t.Helper()
	der, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
}

// assertion returns a signed client assertion.
func assertion(t *testing.T, algorithm jose.SignatureAlgorithm, key any, claims jwt.Claims) string {
	t.Helper()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: algorithm, Key: key}, nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := jwt.Signed(signer).Claims(claims).Serialize()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func claimsOf(id string) jwt.Claims {
	return jwt.Claims{
		Issuer: "100", Subject: "100", Audience: jwt.Audience{issuer}, ID: id, Expiry: jwt.NewNumericDate(start.Add(time.Minute)),
	}
}

// openWithKeys returns a server on which Echo has public keys.
func openWithKeys(t *testing.T, keys ...any) *fixture {
	t.Helper()
	d := open(t)
	app := world.Application{ID: 100, Name: "Echo", Owner: 200, RedirectURIs: []string{"https://echo.example/cb"}}
	for _, k := range keys {
		app.ClientKeys = append(app.ClientKeys, publicPEM(t, k))
	}
	if _, err := d.provision().PutApplication(t.Context(), app); err != nil {
		t.Fatal(err)
	}
	return d
}

func (d *fixture) credentials(t *testing.T, c oauth.Client) error {
	t.Helper()
	_, err := d.Token(t.Context(), oauth.TokenRequest{Client: c, GrantType: "client_credentials", Scope: "identify"})
	return err
}

func TestPrivateKeyJWT(t *testing.T) {
	t.Parallel()
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	public, edwards, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	d := openWithKeys(t, &rsaKey.PublicKey, &curve.PublicKey, public)
	for i, key := range []struct {
		algorithm jose.SignatureAlgorithm
		key       any
	}{{jose.RS256, rsaKey}, {jose.PS256, rsaKey}, {jose.ES256, curve}, {jose.EdDSA, edwards}} {
		text := assertion(t, key.algorithm, key.key, claimsOf(string(key.algorithm)))
		if err := d.credentials(t, oauth.Client{Assertion: text}); err != nil {
			t.Errorf("%d %s: %v", i, key.algorithm, err)
		}
		err := d.credentials(t, oauth.Client{Assertion: text})
		refused(t, err, oauth.InvalidClient) // used before
	}
}

func TestPrivateKeyJWTRefuses(t *testing.T) {
	t.Parallel()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	_, strange, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	d := openWithKeys(t, key.Public())
	sign := func(change func(*jwt.Claims)) oauth.Client {
		c := claimsOf(rand.Text())
		change(&c)
		return oauth.Client{Assertion: assertion(t, jose.EdDSA, key, c)}
	}
	good := sign(func(*jwt.Claims) {})
	both, other := good, good
	both.Secrets, other.ID = []string{"hush"}, "101"
	publicText := publicPEM(t, key.Public())
	for name, client := range map[string]oauth.Client{
		"another key":                  {Assertion: assertion(t, jose.EdDSA, strange, claimsOf("x"))},
		"the public key as a secret":   {Assertion: assertion(t, jose.HS256, []byte(publicText), claimsOf("x"))},
		"no text":                      {Assertion: "x"},
		"a long text":                  {Assertion: strings.Repeat("x", 9000)},
		"another subject":              sign(func(c *jwt.Claims) { c.Subject = "101" }),
		"another issuer":               sign(func(c *jwt.Claims) { c.Issuer = "101" }),
		"another audience":             sign(func(c *jwt.Claims) { c.Audience = jwt.Audience{"https://evil.example"} }),
		"no audience":                  sign(func(c *jwt.Claims) { c.Audience = nil }),
		"expired":                      sign(func(c *jwt.Claims) { c.Expiry = jwt.NewNumericDate(start.Add(-time.Minute)) }),
		"no expiry":                    sign(func(c *jwt.Claims) { c.Expiry = nil }),
		"valid for an hour":            sign(func(c *jwt.Claims) { c.Expiry = jwt.NewNumericDate(start.Add(time.Hour)) }),
		"not valid yet":                sign(func(c *jwt.Claims) { c.NotBefore = jwt.NewNumericDate(start.Add(45 * time.Second)) }),
		"no id":                        sign(func(c *jwt.Claims) { c.ID = "" }),
		"a secret beside it":           both,
		"another client in the form":   other,
		"an application without a key": {Assertion: assertion(t, jose.EdDSA, key, jwt.Claims{Issuer: "101", Subject: "101", Audience: jwt.Audience{issuer}, ID: "x", Expiry: jwt.NewNumericDate(start.Add(time.Minute))})},
	} {
		err := d.credentials(t, client)
		if e, ok := errors.AsType[*oauth.Error](err); !ok || e.Code != oauth.InvalidClient {
			t.Errorf("%s: %v, want invalid_client", name, err)
		}
	}
	if err := d.credentials(t, good); err != nil {
		t.Errorf("the valid assertion: %v", err)
	}
}

// TestPrivateKeyJWTOnce uses one assertion many times at once.
func TestPrivateKeyJWTOnce(t *testing.T) {
	t.Parallel()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	d := openWithKeys(t, key.Public())
	text := assertion(t, jose.EdDSA, key, claimsOf("once"))
	var accepted atomic.Int32
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			if d.credentials(t, oauth.Client{Assertion: text}) == nil {
				accepted.Add(1)
			}
		})
	}
	all.Wait()
	if n := accepted.Load(); n != 1 {
		t.Errorf("the assertion was accepted %d times, want once", n)
	}
}

func TestIntrospect(t *testing.T) {
	t.Parallel()
	d := open(t)
	token := d.exchange(t, d.accept(t, 200, params()).Get("code"))
	introspect := func(c oauth.Client, text string) oauth.Introspection {
		t.Helper()
		found, err := d.Introspect(t.Context(), c, text)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	want := oauth.Introspection{
		Active: true, Scope: "identify", ClientID: 100, Subject: 200, Username: "ada", TokenType: "Bearer",
		Expires: start.Add(7 * 24 * time.Hour).Unix(), Audience: 100, Issuer: issuer,
	}
	if got := introspect(echo, token.AccessToken.Reveal()); got != want {
		t.Errorf("access token: %+v, want %+v", got, want)
	}
	want.TokenType, want.Expires = "refresh_token", start.Add(30*24*time.Hour).Unix()
	if got := introspect(echo, token.RefreshToken.Reveal()); got != want {
		t.Errorf("refresh token: %+v, want %+v", got, want)
	}
	none := oauth.Introspection{}
	gameWithSecret := oauth.Client{ID: "101", Secrets: []string{"s2"}}
	for name, got := range map[string]oauth.Introspection{
		"another application": introspect(gameWithSecret, token.AccessToken.Reveal()),
		"its refresh token":   introspect(gameWithSecret, token.RefreshToken.Reveal()),
		"an unknown token":    introspect(echo, "unknown"),
		"the token of a bot":  introspect(echo, "bot-echo"),
		"a user token":        introspect(echo, "user-ada"),
		"a long text":         introspect(echo, strings.Repeat("x", 1<<16)),
	} {
		if got != none {
			t.Errorf("%s: %+v, want an inactive token", name, got)
		}
	}
	_, err := d.Introspect(t.Context(), game, token.AccessToken.Reveal())
	refused(t, err, oauth.InvalidClient) // a public client cannot authenticate
	d.clock.Advance(7 * 24 * time.Hour)
	if got := introspect(echo, token.AccessToken.Reveal()); got != none {
		t.Errorf("an expired token: %+v", got)
	}
	if err := (oauth.Accounts{Server: d.Server}).EndAuthorization(t.Context(), 100, 200); err != nil {
		t.Fatal(err)
	}
	if got := introspect(echo, token.RefreshToken.Reveal()); got != none {
		t.Errorf("a revoked token: %+v", got)
	}
}
