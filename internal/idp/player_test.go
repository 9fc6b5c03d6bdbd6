package idp_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/idp"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/go-jose/go-jose/v4"
)

// playerIssuer is an OpenID provider of players.
type playerIssuer struct {
	*httptest.Server

	key   *ecdsa.PrivateKey
	reads atomic.Int64 // of the key set
	down  atomic.Bool
}

func startIssuer(t testing.TB) *playerIssuer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	p := &playerIssuer{key: key}
	mux := http.NewServeMux()
	answer := func(w http.ResponseWriter, v any) {
		if p.down.Load() {
			http.Error(w, "down", http.StatusBadGateway)
			return
		}
		if err := json.NewEncoder(w).Encode(v); err != nil {
			t.Error(err)
		}
	}
	mux.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{"issuer": p.URL, "jwks_uri": p.URL + "/keys", "id_token_signing_alg_values_supported": []string{"ES256"}})
	})
	mux.HandleFunc("/keys", func(w http.ResponseWriter, _ *http.Request) {
		p.reads.Add(1)
		answer(w, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: &p.key.PublicKey, KeyID: "k1", Algorithm: "ES256", Use: "sig"}}})
	})
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	return p
}

// sign returns an ID token.
func (p *playerIssuer) sign(t testing.TB, kid string, claims map[string]any) string {
	t.Helper()
	return p.signAs(t, "JWT", kid, claims)
}

// signAs returns a token of a type.
func (p *playerIssuer) signAs(t testing.TB, typ jose.ContentType, kid string, claims map[string]any) string {
	t.Helper()
	payload, err := json.Marshal(claims)
	if err != nil {
		t.Fatal(err)
	}
	return p.signText(t, typ, kid, string(payload))
}

// signText returns a token with any text as its claims.
func (p *playerIssuer) signText(t testing.TB, typ jose.ContentType, kid, claims string) string {
	t.Helper()
	options := (&jose.SignerOptions{}).WithType(typ)
	if kid != "" {
		options = options.WithHeader("kid", kid)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: p.key}, options)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := signer.Sign([]byte(claims))
	if err != nil {
		t.Fatal(err)
	}
	text, err := signed.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestPlayerTokens verifies each rule for ID tokens of players, and that a wrong one causes few requests to the provider.
func TestPlayerTokens(t *testing.T) {
	t.Parallel()
	p := startIssuer(t)
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	app := &store.Application{ID: 100, PlayerIssuer: p.URL, PlayerClient: "game"}
	moved := clock.NewMovable(fixed{clock.System{}, now})
	tokens := &idp.PlayerTokens{HTTP: p.Client(), Clock: moved, Local: true}
	claims := func(change map[string]any) map[string]any {
		all := map[string]any{
			"iss": p.URL, "aud": "game", "sub": "p-1", "iat": now.Add(-time.Minute).Unix(), "exp": now.Add(time.Hour).Unix(), "preferred_username": "Vex",
		}
		for k, v := range change {
			all[k] = v
			if v == nil {
				delete(all, k)
			}
		}
		return all
	}
	for _, tt := range []struct {
		name, kid string
		change    map[string]any
		want      error
	}{
		{"valid", "k1", nil, nil},
		{"several audiences", "k1", map[string]any{"aud": []string{"other", "game"}}, nil},
		{"no key id", "", nil, apierror.IDTokenWithoutKey},
		{"unknown key", "k2", nil, apierror.IDTokenInvalid},
		{"another issuer", "k1", map[string]any{"iss": "https://other.example.com"}, apierror.IDTokenIssuer},
		{"another audience", "k1", map[string]any{"aud": "other"}, apierror.IDTokenAudience},
		{"expired", "k1", map[string]any{"exp": now.Add(-time.Minute).Unix()}, apierror.IDTokenExpired},
		{"issued 8 days ago", "k1", map[string]any{"iat": now.Add(-8 * 24 * time.Hour).Unix()}, apierror.IDTokenTooOld},
		{"issued in the future", "k1", map[string]any{"iat": now.Add(time.Minute).Unix()}, apierror.IDTokenInvalid},
		{"no time of issue", "k1", map[string]any{"iat": nil}, apierror.IDTokenInvalid},
		{"no expiry", "k1", map[string]any{"exp": nil}, apierror.IDTokenInvalid},
		{"no subject", "k1", map[string]any{"sub": nil}, apierror.IDTokenInvalid},
		{"a long subject", "k1", map[string]any{"sub": strings.Repeat("s", 256)}, apierror.IDTokenInvalid},
		{"not valid yet", "k1", map[string]any{"nbf": now.Add(time.Hour).Unix()}, apierror.IDTokenInvalid},
		{"valid since now", "k1", map[string]any{"nbf": now.Unix()}, nil},
		{"a logout token", "k1", map[string]any{"events": map[string]any{"http://schemas.openid.net/event/backchannel-logout": map[string]any{}}}, apierror.IDTokenInvalid},
	} {
		got, err := tokens.Verify(t.Context(), app, p.sign(t, tt.kid, claims(tt.change)))
		if !errors.Is(err, tt.want) || tt.want == nil && (err != nil || got.Subject != "p-1" || got.Name != "Vex" || got.Issuer != p.URL) {
			t.Errorf("%s: %+v, %v, want %v", tt.name, got, err, tt.want)
		}
	}
	if _, err := tokens.Verify(t.Context(), app, "a.b.c"); !errors.Is(err, apierror.IDTokenInvalid) {
		t.Errorf("no token: %v", err)
	}
	for _, typ := range []jose.ContentType{"at+jwt", "application/at+JWT", "logout+jwt"} {
		if _, err := tokens.Verify(t.Context(), app, p.signAs(t, typ, "k1", claims(nil))); !errors.Is(err, apierror.IDTokenInvalid) {
			t.Errorf("a token of type %s: %v", typ, err)
		}
	}
	forger := startIssuer(t)
	if _, err := tokens.Verify(t.Context(), app, forger.sign(t, "k1", claims(nil))); !errors.Is(err, apierror.IDTokenInvalid) {
		t.Errorf("signed by another provider: %v", err)
	}
	if n := p.reads.Load(); n != 1 {
		t.Errorf("the key set was read %d times, want once", n)
	}
	p.down.Store(true)
	moved.Advance(2 * time.Hour)
	fresh := claims(map[string]any{"exp": now.Add(24 * time.Hour).Unix()})
	if _, err := tokens.Verify(t.Context(), app, p.sign(t, "k1", fresh)); !errors.Is(err, apierror.ProviderUnreachable) {
		t.Errorf("the provider is down: %v", err)
	}
	p.down.Store(false)
	moved.Advance(time.Minute)
	if _, err := tokens.Verify(t.Context(), app, p.sign(t, "k1", fresh)); err != nil {
		t.Errorf("the provider is back: %v", err)
	}
	public := &idp.PlayerTokens{HTTP: p.Client(), Clock: moved}
	if _, err := public.Verify(context.WithoutCancel(t.Context()), app, p.sign(t, "k1", fresh)); !errors.Is(err, apierror.ProviderUnreachable) {
		t.Errorf("a provider without TLS in production: %v", err)
	}
}

// TestPlayerProviderHangs checks that calls that wait for a provider that does not answer end with the first one: anyone can send
// tokens that make the service ask the provider.
func TestPlayerProviderHangs(t *testing.T) {
	t.Parallel()
	p := startIssuer(t)
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	moved := clock.NewMovable(fixed{clock.System{}, now})
	asked := 0
	hang := roundTrip(func(*http.Request) (*http.Response, error) {
		asked++
		moved.Advance(11 * time.Second) // the request ends with its deadline
		return nil, context.DeadlineExceeded
	})
	tokens := &idp.PlayerTokens{HTTP: &http.Client{Transport: hang}, Clock: moved, Local: true}
	app := &store.Application{ID: 100, PlayerIssuer: p.URL, PlayerClient: "game"}
	token := p.sign(t, "k1", map[string]any{"iss": p.URL, "aud": "game", "sub": "p-1"})
	for range 5 { // the lock of the provider makes calls at the same time run one after another, as here
		if _, err := tokens.Verify(t.Context(), app, token); !errors.Is(err, apierror.ProviderUnreachable) {
			t.Fatal(err)
		}
	}
	if asked != 1 {
		t.Errorf("5 calls asked the provider %d times, want once", asked)
	}
}

// roundTrip answers requests.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// fixed is a clock that stands still.
type fixed struct {
	clock.Clock

	now time.Time
}

func (c fixed) Now() time.Time { return c.now }

// FuzzPlayerToken checks that no token without the provider's signature is accepted, and that a signed one needs the claims of an
// ID token for the game.
func FuzzPlayerToken(f *testing.F) {
	p := startIssuer(f)
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	app := &store.Application{ID: 100, PlayerIssuer: p.URL, PlayerClient: "game"}
	tokens := &idp.PlayerTokens{HTTP: p.Client(), Clock: fixed{clock.System{}, now}, Local: true}
	claims := `{"iss":"` + p.URL + `","aud":"game","sub":"p-1","iat":1777636800,"exp":1777640400,"preferred_username":"Vex"}`
	f.Add(p.signText(f, "JWT", "k1", claims), claims)
	f.Add("a.b.c", strings.Replace(claims, `"game"`, `["x","game"]`, 1))
	f.Add("eyJhbGciOiJub25lIn0.e30.", strings.Replace(claims, "{", `{"events":{},`, 1))
	f.Fuzz(func(t *testing.T, token, claims string) {
		if got, err := tokens.Verify(t.Context(), app, token); err == nil && got.Subject != "p-1" {
			t.Errorf("Verify(%q) = %+v", token, got)
		}
		got, err := tokens.Verify(t.Context(), app, p.signText(t, "JWT", "k1", claims))
		if _, known := errors.AsType[*apierror.Error](err); err != nil && !known {
			t.Errorf("signed %q: %v", claims, err)
		}
		if err == nil && (got.Subject == "" || got.Issuer != p.URL || len(got.Name) > 4*32 || !strings.Contains(claims, "game")) {
			t.Errorf("signed %q: %+v", claims, got)
		}
	})
}
