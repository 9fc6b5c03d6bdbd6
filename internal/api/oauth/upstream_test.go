package oauth_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/api/oauth"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/idp"
	"github.com/bellhop/bellhop/internal/provision"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-jose/go-jose/v4"
)

// attempt is one sign-in at the provider.
type attempt struct {
	upstream *oauth.Upstream
	to       string
	cookie   *http.Cookie
	session  oauth.Session // of the browser
}

// newSession returns the session of a browser in which no user has signed in.
func newSession() oauth.Session {
	sessions := oauth.Sessions{Public: func() string { return "https://bellhop.example" }}
	return sessions.Begin(httptest.NewRecorder(), oauth.Session{})
}

func begin(t *testing.T, p *provider, next string) attempt {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	u := &oauth.Upstream{
		Provider: idp.Provider{ID: idp.DefaultID, Issuer: p.URL, ClientID: "bellhop", Secret: "shared"},
		HTTP:     client, Public: func() string { return "https://bellhop.example" },
	}
	w, session := httptest.NewRecorder(), newSession()
	to, err := u.Begin(t.Context(), w, session, oauth.Trip{Next: next})
	if err != nil {
		t.Fatal(err)
	}
	cookie, err := http.ParseSetCookie(w.Header().Get("Set-Cookie"))
	if err != nil || !cookie.HttpOnly || !cookie.Secure || cookie.SameSite != http.SameSiteLaxMode || cookie.Path != "/" || !strings.HasPrefix(cookie.Name, "__Host-") || cookie.Domain != "" {
		t.Fatalf("cookie %+v, %v", cookie, err)
	}
	return attempt{u, to, cookie, session}
}

func (k attempt) finish(t *testing.T, q url.Values) (oauth.Identity, string, error) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, oauth.CallbackPath+"?"+q.Encode(), nil)
	if k.cookie != nil {
		r.AddCookie(k.cookie)
	}
	arrived, err := k.upstream.Finish(httptest.NewRecorder(), r, k.session)
	return arrived.Identity, arrived.Trip.Next, err
}

func TestUpstream(t *testing.T) {
	t.Parallel()
	p := startProvider(t, map[string]any{
		"preferred_username": "grace", "name": "Grace", "email": "grace@example.com", "email_verified": true,
	})
	k := begin(t, p, "/oauth2/authorize?client_id=100")
	asked, err := url.Parse(k.to)
	if err != nil {
		t.Fatal(err)
	}
	q := asked.Query()
	if !strings.HasPrefix(k.to, p.URL+"/authorize?") || q.Get("redirect_uri") != "https://bellhop.example/oauth2/signin/callback" ||
		q.Get("code_challenge_method") != "S256" || q.Get("nonce") == "" || q.Get("state") == "" || q.Get("nonce") == q.Get("state") {
		t.Errorf("sent to %s", k.to)
	}
	id, next, err := k.finish(t, p.consent(t, k.to))
	want := oauth.Identity{Issuer: p.URL, Subject: "subject-1", Username: "grace", Name: "Grace", Email: "grace@example.com"}
	if err != nil || id != want || next != "/oauth2/authorize?client_id=100" {
		t.Errorf("Finish() = %+v, %q, %v", id, next, err)
	}
}

func TestUpstreamRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		claims map[string]any
		change func(*attempt, url.Values)
	}{
		{"a wrong state", nil, func(_ *attempt, q url.Values) { q.Set("state", "x") }},
		{"no state", nil, func(_ *attempt, q url.Values) { q.Del("state") }},
		{"no code", nil, func(_ *attempt, q url.Values) { q.Del("code") }},
		{"an error", nil, func(_ *attempt, q url.Values) { q.Del("code"); q.Set("error", "access_denied") }},
		{"another browser", nil, func(k *attempt, _ url.Values) { k.cookie = nil }},
		{"a forged cookie", nil, func(k *attempt, _ url.Values) { k.cookie.Value = strings.Repeat("x", 52) + ".Lw" }},
		{"the answer of another provider", nil, func(_ *attempt, q url.Values) { q.Set("iss", "https://evil.example") }},
		{"an unknown code", nil, func(_ *attempt, q url.Values) { q.Set("code", "other") }},
		{"another nonce", map[string]any{"nonce": "x"}, nil},
		{"another audience", map[string]any{"aud": "x"}, nil},
		{"another issuer", map[string]any{"iss": "https://evil.example"}, nil},
		{"an ID token that has expired", map[string]any{"exp": 1000}, nil},
		{"an ID token without an expiry", map[string]any{"exp": nil}, nil},
		{"an ID token that is issued tomorrow", map[string]any{"iat": time.Now().Add(24 * time.Hour).Unix()}, nil},
		{"an ID token without a time", map[string]any{"iat": nil}, nil},
		{"no subject", map[string]any{"sub": nil}, nil},
		{"no nonce", map[string]any{"nonce": nil}, nil},
		{"no audience", map[string]any{"aud": nil}, nil},
		{"several audiences and no authorized party", map[string]any{"aud": []string{"bellhop", "x"}}, nil},
		{"another authorized party", map[string]any{"aud": []string{"bellhop", "x"}, "azp": "x"}, nil},
		{"the hash of another access token", map[string]any{"at_hash": "x"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := startProvider(t, tt.claims)
			k := begin(t, p, "/")
			q := p.consent(t, k.to)
			if tt.change != nil {
				tt.change(&k, q)
			}
			if id, _, err := k.finish(t, q); !errors.Is(err, oauth.ErrUpstream) {
				t.Errorf("Finish() = %+v, %v, want %v", id, err, oauth.ErrUpstream)
			}
		})
	}
}

// signInAt signs a user in at p.
func signInAt(t *testing.T, p *provider) (oauth.Identity, error) {
	t.Helper()
	k := begin(t, p, "/")
	id, _, err := k.finish(t, p.consent(t, k.to))
	return id, err
}

func TestUpstreamRefusesTokens(t *testing.T) {
	t.Parallel()
	strange, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	encode := base64.RawURLEncoding.EncodeToString
	for name, change := range map[string]func(*provider){
		"no ID token":                        func(p *provider) { p.tamper = func(any) any { return nil } },
		"an ID token that is not a string":   func(p *provider) { p.tamper = func(any) any { return 1 } },
		"an invalid ID token":                func(p *provider) { p.tamper = func(any) any { return "a.b.c" } },
		"an algorithm that is not supported": func(p *provider) { p.signing.Algorithm = jose.PS256 },
		"a key that is not published":        func(p *provider) { p.signing.Key = jose.JSONWebKey{Key: strange, KeyID: "other"} },
		"another key under a published name": func(p *provider) { p.signing.Key = jose.JSONWebKey{Key: strange, KeyID: "k"} },
		"a key for encryption": func(p *provider) {
			keys := p.published()
			keys.Keys[0].Use = "enc"
			p.published = func() jose.JSONWebKeySet { return keys }
		},
		"the public key as a shared secret": func(p *provider) {
			p.found["id_token_signing_alg_values_supported"] = []string{"RS256", "HS256"}
			p.signing = jose.SigningKey{Algorithm: jose.HS256, Key: jose.JSONWebKey{Key: p.key.N.Bytes(), KeyID: "k"}}
		},
		"no signature": func(p *provider) {
			p.found["id_token_signing_alg_values_supported"] = []string{"RS256", "none"}
			p.tamper = func(idToken any) any {
				return encode([]byte(`{"alg":"none"}`)) + "." + strings.Split(idToken.(string), ".")[1] + "."
			}
		},
		"changed claims": func(p *provider) {
			p.tamper = func(idToken any) any {
				parts := strings.Split(idToken.(string), ".")
				claims, err := base64.RawURLEncoding.DecodeString(parts[1])
				if err != nil {
					panic(err) // the test is wrong
				}
				parts[1] = encode([]byte(strings.Replace(string(claims), "subject-1", "subject-2", 1)))
				return strings.Join(parts, ".")
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := startProvider(t, nil)
			change(p)
			if id, err := signInAt(t, p); !errors.Is(err, oauth.ErrUpstream) {
				t.Errorf("Finish() = %+v, %v, want %v", id, err, oauth.ErrUpstream)
			}
		})
	}
}

func TestUpstreamAccepts(t *testing.T) {
	t.Parallel()
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*provider){
		"the secret in the body": func(p *provider) { p.byBody = true },
		"several audiences":      func(p *provider) { p.claims = map[string]any{"aud": []string{"x", "bellhop"}, "azp": "bellhop"} },
		"the hash of the token":  func(p *provider) { p.claims = map[string]any{"at_hash": "ypeBEsobvcr6wjGzmiPcTQ"} }, // of "a"
		"no list of algorithms":  func(p *provider) { p.found["id_token_signing_alg_values_supported"] = nil },
		"a key without a name": func(p *provider) {
			keys := p.published()
			keys.Keys[0].KeyID = ""
			p.published = func() jose.JSONWebKeySet { return keys }
		},
		"an elliptic curve": func(p *provider) {
			p.found["id_token_signing_alg_values_supported"] = []string{"RS256", "ES256"}
			p.signing = jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: curve, KeyID: "e"}}
			keys := p.published()
			keys.Keys = append(keys.Keys, jose.JSONWebKey{Key: &curve.PublicKey, KeyID: "e", Use: "sig"})
			p.published = func() jose.JSONWebKeySet { return keys }
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := startProvider(t, nil)
			change(p)
			if id, err := signInAt(t, p); err != nil || id.Subject != "subject-1" {
				t.Errorf("Finish() = %+v, %v", id, err)
			}
		})
	}
}

// TestUpstreamNewKey checks a provider that changes its key between two sign-ins.
func TestUpstreamNewKey(t *testing.T) {
	t.Parallel()
	p := startProvider(t, nil)
	k := begin(t, p, "/")
	if _, _, err := k.finish(t, p.consent(t, k.to)); err != nil {
		t.Fatal(err)
	}
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	p.signing.Key = jose.JSONWebKey{Key: key, KeyID: "next"}
	p.published = func() jose.JSONWebKeySet {
		return jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: &key.PublicKey, KeyID: "next", Use: "sig"}}}
	}
	if id, _, err := k.finish(t, p.consent(t, k.to)); err != nil || id.Subject != "subject-1" {
		t.Errorf("Finish() = %+v, %v", id, err)
	}
}

func TestUpstreamDiscovery(t *testing.T) {
	t.Parallel()
	for name, found := range map[string]map[string]any{
		"another issuer":                 {"issuer": "https://evil.example"},
		"no token address":               {"token_endpoint": nil},
		"no keys":                        {"jwks_uri": nil},
		"an issuer that is not a string": {"issuer": 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := startProvider(t, nil)
			p.found = found
			client := &http.Client{Transport: &http.Transport{}}
			t.Cleanup(client.CloseIdleConnections)
			u := &oauth.Upstream{Provider: idp.Provider{ID: "p", Issuer: p.URL, ClientID: "bellhop"}, HTTP: client, Public: func() string { return "https://bellhop.example" }}
			if to, err := u.Begin(t.Context(), httptest.NewRecorder(), oauth.Session{}, oauth.Trip{Next: "/"}); !errors.Is(err, oauth.ErrUpstream) {
				t.Errorf("Begin() = %q, %v, want %v", to, err, oauth.ErrUpstream)
			}
		})
	}
}

// TestUpstreamIsBoundToTheSession checks that the answer of the provider, with the cookie of the sign-in that an attacker has
// planted, signs no one in at another browser.
func TestUpstreamIsBoundToTheSession(t *testing.T) {
	t.Parallel()
	p := startProvider(t, nil)
	k := begin(t, p, "/")
	answer, own := p.consent(t, k.to), k.session
	for name, session := range map[string]oauth.Session{"another session": newSession(), "no session": {}} {
		k.session = session
		if id, _, err := k.finish(t, answer); !errors.Is(err, oauth.ErrUpstream) {
			t.Errorf("%s: Finish() = %+v, %v, want %v", name, id, err, oauth.ErrUpstream)
		}
	}
	k.session = own
	k.cookie.Name = "bellhop-upstream" // which a sibling domain can set
	if id, _, err := k.finish(t, answer); !errors.Is(err, oauth.ErrUpstream) {
		t.Errorf("a cookie without the prefix: Finish() = %+v, %v, want %v", id, err, oauth.ErrUpstream)
	}
	k.cookie.Name = "__Host-bellhop-upstream"
	if _, _, err := k.finish(t, answer); err != nil {
		t.Errorf("the browser that began the sign-in: %v", err)
	}
}

func TestUpstreamNotReachable(t *testing.T) {
	t.Parallel()
	p := startProvider(t, nil)
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	u := &oauth.Upstream{Provider: idp.Provider{ID: "p", Issuer: p.URL + "/nowhere", ClientID: "bellhop"}, HTTP: client, Public: func() string { return "https://bellhop.example" }}
	if to, err := u.Begin(t.Context(), httptest.NewRecorder(), oauth.Session{}, oauth.Trip{Next: "/"}); !errors.Is(err, oauth.ErrUpstream) {
		t.Errorf("Begin() = %q, %v", to, err)
	}
}

func TestByIdentity(t *testing.T) {
	t.Parallel()
	d := open(t).Sessions
	id := func(subject, username, name, email string) oauth.Identity {
		return oauth.Identity{Issuer: "https://id.example", Subject: subject, Username: username, Name: name, Email: email}
	}
	grace, err := d.ByIdentity(t.Context(), id("g-1", "grace", "Grace\nHopper, who has a name that goes on", "grace@example.com"))
	if err != nil {
		t.Fatal(err)
	}
	u, err := d.Directory.Users.User(t.Context(), grace)
	if err != nil || u.Username != "grace" || u.GlobalName != "GraceHopper, who has a name that" || u.Email != "grace@example.com" {
		t.Errorf("user %+v, %v", u, err)
	}
	for _, tt := range []struct {
		name string
		id   oauth.Identity
		want snowflake.User // 0: a new user
	}{
		{"the same subject with other names", id("g-1", "other", "", ""), grace},
		{"the same names with another subject", id("g-2", "grace", "Grace", "grace@example.com"), 0},
		{"the same subject of another issuer", oauth.Identity{Issuer: "https://other.example", Subject: "g-1"}, 0},
		{"a subject that is the id of a user", id("200", "", "", ""), 0},
		{"a subject that is the id of no user", id("999", "", "", ""), 0},
		{"a subject that is the id of a bot", id("100", "", "", ""), 0},
	} {
		got, err := d.ByIdentity(t.Context(), tt.id)
		isNew := got != 200 && got != grace && got != 100
		if err != nil || (tt.want != 0 && got != tt.want) || (tt.want == 0 && !isNew) {
			t.Errorf("%s: %v, %v, want %v", tt.name, got, err, tt.want)
		}
	}
	if _, err := d.ByIdentity(t.Context(), id("", "x", "", "")); err == nil {
		t.Error("an identity without a subject got a user")
	}
}

// TestByIdentityShadowed creates a user, as a lobby does with an unknown id, whose id is the subject of an account.
func TestByIdentityShadowed(t *testing.T) {
	t.Parallel()
	d := open(t).Sessions
	id := oauth.Identity{Issuer: "i", Subject: "999", Username: "sam"}
	sam, err := d.ByIdentity(t.Context(), id)
	if err != nil || sam == 999 {
		t.Fatalf("ByIdentity() = %d, %v, want a new user with an id of this service", sam, err)
	}
	if _, err := (&provision.Provisioner{Directory: d.Directory, Clock: d.Clock}).PutUser(t.Context(), world.User{ID: 999, Username: "user999"}); err != nil {
		t.Fatal(err)
	}
	if again, err := d.ByIdentity(t.Context(), id); err != nil || again != sam {
		t.Errorf("ByIdentity() = %d, %v, want %d: a user with the id of the subject took the account over", again, err, sam)
	}
}

// sequence issues the ids 5000, 5001 and so on.
type sequence struct{ n atomic.Uint64 }

func (s *sequence) Next() uint64 { return 4999 + s.n.Add(1) }

// TestByIdentityTakenID creates a user, as a lobby does, with an id that the service issues later.
func TestByIdentityTakenID(t *testing.T) {
	t.Parallel()
	d := open(t).Sessions
	d.IDs = &sequence{}
	if _, err := (&provision.Provisioner{Directory: d.Directory, Clock: d.Clock}).PutUser(t.Context(), world.User{ID: 5000, Username: "user5000"}); err != nil {
		t.Fatal(err)
	}
	sam, err := d.ByIdentity(t.Context(), oauth.Identity{Issuer: "i", Subject: "s", Username: "sam"})
	if err != nil || sam != 5001 {
		t.Errorf("ByIdentity() = %d, %v, want an id that no user has", sam, err)
	}
}

func TestByIdentitySubjectIsUserID(t *testing.T) {
	t.Parallel()
	d := open(t).Sessions
	for _, tt := range []struct {
		subject string
		want    snowflake.User // 0: refused
	}{
		{"200", 200}, {"200", 200}, {"999", 999}, {"999", 999}, {"100", 0}, {"0", 0}, {"ada", 0}, {"", 0},
	} {
		got, err := d.ByIdentity(t.Context(), oauth.Identity{Issuer: "i", Subject: tt.subject, Username: "x", IsUserID: true})
		if (err != nil) != (tt.want == 0) || err != nil && !errors.Is(err, oauth.ErrUpstream) || got != tt.want {
			t.Errorf("subject %q: %d, %v, want %d", tt.subject, got, err, tt.want)
		}
	}
	if u, err := d.Directory.Users.User(t.Context(), 200); err != nil || u.Username != "ada" {
		t.Errorf("user %+v, %v: the sign-in changed the user", u, err)
	}
}

func TestByIdentityAtOnce(t *testing.T) {
	t.Parallel()
	d := open(t).Sessions
	const browsers = 8
	users := make([]snowflake.User, browsers)
	var all sync.WaitGroup
	for i := range browsers {
		all.Go(func() {
			var err error
			if users[i], err = d.ByIdentity(context.WithoutCancel(t.Context()), oauth.Identity{Issuer: "i", Subject: "s", Username: "sam"}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for _, u := range users {
		if u != users[0] {
			t.Fatalf("one identity became several users: %v", users)
		}
	}
	stored, err := d.Directory.Users.List(t.Context(), 0, 100)
	if err != nil || len(stored) != 5 {
		t.Errorf("%d users, %v, want those of the world and the new one", len(stored), err)
	}
}

func TestLocalPath(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/":                             "/",
		"/oauth2/authorize?a=b&c=d":     "/oauth2/authorize?a=b&c=d",
		"":                              "/home",
		"oauth2":                        "/home",
		"//evil.example":                "/home",
		`/\evil.example`:                "/home",
		"https://evil.example":          "/home",
		"/a\nb":                         "/home",
		"/" + strings.Repeat("x", 9000): "/home",
	} {
		if got := oauth.LocalPath(path, "/home"); got != want {
			t.Errorf("LocalPath(%q) = %q, want %q", path, got, want)
		}
	}
}

// TestDeletedUser deletes a user whose session and account are still stored, because the cascade has not run yet.
func TestDeletedUser(t *testing.T) {
	t.Parallel()
	d := open(t).Sessions
	id := oauth.Identity{Issuer: "i", Subject: "s", Username: "sam"}
	user, err := d.ByIdentity(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	if _, err := d.SignIn(t.Context(), w, oauth.Session{}, oauth.Entry{User: user}); err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	r.Header.Set("Cookie", w.Header().Get("Set-Cookie"))
	if v, err := d.Session(r); err != nil || v.User != user {
		t.Fatalf("Session() = %+v, %v, want user %d", v, err, user)
	}

	err = store.Decide(t.Context(), d.Store, func(tx *store.Tx) error {
		tx.Delete(store.UserKey(user))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if v, err := d.Session(r); err != nil || v.User != 0 {
		t.Errorf("Session() = %+v, %v, want no signed-in user", v, err)
	}
	if _, err := d.SignIn(t.Context(), httptest.NewRecorder(), oauth.Session{}, oauth.Entry{User: user}); !errors.Is(err, directory.ErrUnknownUser) {
		t.Errorf("SignIn() = %v, want %v", err, directory.ErrUnknownUser)
	}
	again, err := d.ByIdentity(t.Context(), id)
	if err != nil || again == user {
		t.Fatalf("ByIdentity() = %d, %v, want a new user", again, err)
	}
	if same, err := d.ByIdentity(t.Context(), id); err != nil || same != again {
		t.Errorf("ByIdentity() = %d, %v, want the new user %d", same, err, again)
	}
}
