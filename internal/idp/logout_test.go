package idp_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/idp"
	"github.com/go-jose/go-jose/v4"
)

var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// signer is a provider that signs with a key and counts the requests for its keys.
type signer struct {
	*idp.Party

	url   string
	key   *ecdsa.PrivateKey
	asked atomic.Int32
}

func newSigner(t testing.TB) *signer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	s := &signer{key: key}
	mux := http.NewServeMux()
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	send := func(w http.ResponseWriter, v any) { _ = json.NewEncoder(w).Encode(v) } // the client reports a lost response
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		send(w, map[string]any{
			"issuer": srv.URL, "authorization_endpoint": srv.URL, "token_endpoint": srv.URL, "jwks_uri": srv.URL + "/keys",
			"id_token_signing_alg_values_supported": []string{"ES256", "HS256", "none"},
		})
	})
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		s.asked.Add(1)
		send(w, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: &key.PublicKey, KeyID: "k", Use: "sig", Algorithm: "ES256"}}})
	})
	s.url = srv.URL
	s.Party, err = idp.Discover(t.Context(), srv.Client(), idp.Provider{ID: "p", Issuer: srv.URL, ClientID: "bellhop"}, "https://bellhop.example/back")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *signer) sign(t testing.TB, with jose.SigningKey, typ, claims string) string {
	t.Helper()
	signer, err := jose.NewSigner(with, (&jose.SignerOptions{}).WithType(jose.ContentType(typ)))
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

func (s *signer) claims(t testing.TB) string {
	t.Helper()
	text, err := json.Marshal(map[string]any{
		"iss": s.url, "aud": []string{"bellhop"}, "iat": noon.Unix(), "exp": noon.Unix() + 120, "jti": "1", "sub": "s",
		"events": map[string]any{"http://schemas.openid.net/event/backchannel-logout": map[string]any{}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func (s *signer) own() jose.SigningKey {
	return jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: s.key, KeyID: "k"}}
}

func TestCheckLogout(t *testing.T) {
	t.Parallel()
	s := newSigner(t)
	strange, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for name, token := range map[string]string{
		"the key of another": s.sign(t, jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: strange, KeyID: "k"}}, "logout+jwt", s.claims(t)),
		"an ID token":        s.sign(t, s.own(), "at+jwt", s.claims(t)),
		"a shared secret": s.sign(t, jose.SigningKey{Algorithm: jose.HS256, Key: jose.JSONWebKey{Key: []byte(strings.Repeat("k", 32)), KeyID: "k"}},
			"logout+jwt", s.claims(t)),
		"no signature": base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`)) + "." + base64.RawURLEncoding.EncodeToString([]byte(s.claims(t))) + ".",
		"claims twice": s.sign(t, s.own(), "logout+jwt", strings.Replace(s.claims(t), "{", `{"sub":"other",`, 1)),
		"no object":    s.sign(t, s.own(), "logout+jwt", `[]`),
	} {
		if got, err := s.CheckLogout(t.Context(), token, noon); !errors.Is(err, idp.ErrLogoutToken) {
			t.Errorf("%s: CheckLogout() = %+v, %v, want %v", name, got, err, idp.ErrLogoutToken)
		}
	}
	for _, typ := range []string{"logout+jwt", "JWT", ""} {
		got, err := s.CheckLogout(t.Context(), s.sign(t, s.own(), typ, s.claims(t)), noon)
		if err != nil || got.Subject != "s" || got.ID != "1" || !got.Expires.Equal(noon.Add(2*time.Minute)) {
			t.Errorf("type %q: CheckLogout() = %+v, %v", typ, got, err)
		}
	}
}

// TestForgedLogoutTokensReadKeysRarely checks that tokens that anyone can send do not make the service ask the provider each time.
func TestForgedLogoutTokensReadKeysRarely(t *testing.T) {
	t.Parallel()
	s := newSigner(t)
	strange, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	forged := s.sign(t, jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: strange, KeyID: "x"}}, "logout+jwt", s.claims(t))
	for range 50 {
		if _, err := s.CheckLogout(t.Context(), forged, noon); !errors.Is(err, idp.ErrLogoutToken) {
			t.Fatal(err)
		}
	}
	if n := s.asked.Load(); n != 1 {
		t.Errorf("50 forged tokens made %d requests for keys, want 1", n)
	}
	if _, err := s.CheckLogout(t.Context(), forged, noon.Add(11*time.Second)); !errors.Is(err, idp.ErrLogoutToken) || s.asked.Load() != 2 {
		t.Errorf("later: %v, %d requests, want 2", err, s.asked.Load())
	}
}

// FuzzLogoutToken checks that no token without the provider's signature is accepted, whatever its claims are.
func FuzzLogoutToken(f *testing.F) {
	s := newSigner(f)
	f.Add(s.sign(f, s.own(), "logout+jwt", s.claims(f)), s.claims(f))
	f.Add("a.b.c", `{"events":{}}`)
	f.Fuzz(func(t *testing.T, token, claims string) {
		if got, err := s.CheckLogout(t.Context(), token, noon); err == nil && got.Subject != "s" {
			t.Errorf("CheckLogout(%q) = %+v", token, got)
		}
		got, err := s.CheckLogout(t.Context(), s.sign(t, s.own(), "logout+jwt", claims), noon)
		if err != nil && !errors.Is(err, idp.ErrLogoutToken) {
			t.Errorf("signed %q: %v", claims, err)
		}
		if err == nil && (got.ID == "" || got.Subject == "" && got.Session == "" || !got.Expires.After(noon.Add(-time.Minute))) {
			t.Errorf("signed %q: %+v", claims, got)
		}
	})
}
