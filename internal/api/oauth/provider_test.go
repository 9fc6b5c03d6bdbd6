package oauth_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// provider is an OpenID provider with one client.
type provider struct {
	*httptest.Server

	key    *rsa.PrivateKey
	claims map[string]any // replace the default claims; nil removes a claim

	// A test can change these before its first request.
	found     map[string]any            // replaces members of the discovery document
	byBody    bool                      // the client sends its secret in the body, not in the header
	tamper    func(idToken any) any     // changes the ID token
	signing   jose.SigningKey           // signs the ID token
	published func() jose.JSONWebKeySet // the public keys

	mu    sync.Mutex
	asked url.Values // of the last authorization request
}

// providerKey is the key of all providers: to make one takes longer than most tests.
var providerKey = sync.OnceValues(func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 2048) })

func startProvider(t *testing.T, claims map[string]any) *provider {
	t.Helper()
	key, err := providerKey()
	if err != nil {
		t.Fatal(err)
	}
	p := &provider{
		key: key, claims: claims, found: map[string]any{}, tamper: func(idToken any) any { return idToken },
		signing: jose.SigningKey{Algorithm: jose.RS256, Key: jose.JSONWebKey{Key: key, KeyID: "k"}},
		published: func() jose.JSONWebKeySet {
			return jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: &key.PublicKey, KeyID: "k", Use: "sig", Algorithm: "RS256"}}}
		},
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", p.discovery)
	mux.HandleFunc("GET /keys", p.keys)
	mux.HandleFunc("POST /token", p.token)
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	return p
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // the client reports a lost response
}

func (p *provider) discovery(w http.ResponseWriter, _ *http.Request) {
	found := map[string]any{
		"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token", "jwks_uri": p.URL + "/keys",
		"id_token_signing_alg_values_supported": []string{"RS256"},
	}
	maps.Copy(found, p.found)
	answer(w, found)
}

func (p *provider) keys(w http.ResponseWriter, _ *http.Request) {
	answer(w, p.published())
}

// consent records the authorization request and returns the parameters of the answer.
func (p *provider) consent(t *testing.T, to string) url.Values {
	t.Helper()
	u, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = u.Query()
	return url.Values{"code": {"c"}, "state": {p.asked.Get("state")}}
}

func (p *provider) token(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	id, secret, _ := r.BasicAuth()
	if p.byBody {
		id, secret = r.PostFormValue("client_id"), r.PostFormValue("client_secret")
	}
	sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	if r.PostFormValue("code") != "c" || base64.RawURLEncoding.EncodeToString(sum[:]) != p.asked.Get("code_challenge") ||
		r.PostFormValue("redirect_uri") != p.asked.Get("redirect_uri") || id != "bellhop" || secret != "shared" {
		w.WriteHeader(http.StatusBadRequest)
		answer(w, map[string]string{"error": "invalid_grant"})
		return
	}
	now := time.Now()
	claims := map[string]any{
		"iss": p.URL, "sub": "subject-1", "aud": "bellhop", "iat": now.Unix(), "exp": now.Add(time.Hour).Unix(), "nonce": p.asked.Get("nonce"),
	}
	maps.Copy(claims, p.claims)
	maps.DeleteFunc(claims, func(_ string, v any) bool { return v == nil })
	payload, err := json.Marshal(claims)
	if err != nil {
		panic(err) // the test is wrong
	}
	signer, err := jose.NewSigner(p.signing, nil)
	if err != nil {
		panic(err)
	}
	signed, err := signer.Sign(payload)
	if err != nil {
		panic(err)
	}
	text, err := signed.CompactSerialize()
	if err != nil {
		panic(err)
	}
	answer(w, map[string]any{"access_token": "a", "token_type": "Bearer", "id_token": p.tamper(text)})
}
