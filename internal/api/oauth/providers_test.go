package oauth_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	oauthapi "github.com/bellhop/bellhop/internal/api/oauth"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/credentials"
	"github.com/bellhop/bellhop/internal/idp"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/go-jose/go-jose/v4"
)

// logoutToken returns a logout token of the provider. changes replace its claims; nil removes one.
func (p *provider) logoutToken(t *testing.T, now time.Time, changes map[string]any) string {
	t.Helper()
	claims := map[string]any{
		"iss": p.URL, "aud": "bellhop", "iat": now.Unix(), "exp": now.Add(2 * time.Minute).Unix(), "jti": rand32(t),
		"events": map[string]any{"http://schemas.openid.net/event/backchannel-logout": map[string]any{}},
	}
	for name, v := range changes {
		claims[name] = v
		if v == nil {
			delete(claims, name)
		}
	}
	payload, err := json.Marshal(claims)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := jose.NewSigner(p.signing, (&jose.SignerOptions{}).WithType("logout+jwt"))
	if err != nil {
		t.Fatal(err)
	}
	signed, err := signer.Sign(payload)
	if err != nil {
		t.Fatal(err)
	}
	text, err := signed.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func rand32(t *testing.T) string {
	t.Helper()
	return auth.NewCode().Reveal()
}

// withProviders opens a service whose users sign in at providers. The first has the id default, the others p1, p2 and so on.
func withProviders(t *testing.T, providers ...*provider) *service {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	return openWith(t, func(s *oauthapi.Sessions) {
		for i, p := range providers {
			id := idp.DefaultID
			if i > 0 {
				id = "p" + string(rune('0'+i))
			}
			s.Upstreams = append(s.Upstreams, &oauthapi.Upstream{HTTP: client, Public: s.Public, Provider: idp.Provider{
				ID: id, Issuer: p.URL, ClientID: "bellhop", Secret: "shared",
				Operators: idp.Operators{Claim: "groups", Scopes: map[string][]string{"admins": {"read", "secrets"}, "support": {"read"}}},
			}})
		}
	})
}

// signInAt signs in at a provider of the service and returns the page that follows.
func (b *browser) signInAt(t *testing.T, p *provider, query string) page {
	t.Helper()
	sent := b.get(t, "/oauth2/signin/upstream?"+query)
	if sent.status != http.StatusFound {
		t.Fatalf("to the provider: %d %s", sent.status, sent.text)
	}
	answer := p.consent(t, sent.onward())
	back, err := url.Parse(sent.query(t).Get("redirect_uri"))
	if err != nil {
		t.Fatal(err)
	}
	return b.get(t, back.Path+"?"+answer.Encode())
}

// isSignedIn reports whether a user has signed in at the browser.
func (b *browser) isSignedIn(t *testing.T) bool {
	t.Helper()
	got := b.get(t, "/oauth2/account")
	if got.status != http.StatusOK && got.status != http.StatusFound {
		t.Fatalf("account page: %d", got.status)
	}
	return got.status == http.StatusOK
}

func TestSeveralProviders(t *testing.T) {
	t.Parallel()
	staff, players := startProvider(t, map[string]any{"preferred_username": "grace"}), startProvider(t, map[string]any{"preferred_username": "grace"})
	s := withProviders(t, staff, players)
	shown := s.browser(t).get(t, "/oauth2/signin?next=/oauth2/account")
	for _, want := range []string{
		"/oauth2/signin/upstream?next=%2Foauth2%2Faccount&provider=default", "/oauth2/signin/upstream?next=%2Foauth2%2Faccount&provider=p1",
	} {
		if !shown.says(want) {
			t.Errorf("the sign-in page has no link %s:\n%s", want, shown.text)
		}
	}
	users := map[string]bool{}
	for _, tt := range []struct {
		at    *provider
		query string
	}{{staff, ""}, {staff, "provider=default"}, {players, "provider=p1"}} {
		b := s.browser(t)
		if got := b.signInAt(t, tt.at, tt.query); got.status != http.StatusOK {
			t.Fatalf("%q: %d %s", tt.query, got.status, got.text)
		}
		account := b.get(t, "/oauth2/account")
		if !account.says("grace") {
			t.Errorf("%q: signed in as %s", tt.query, account.text)
		}
		users[account.text[strings.Index(account.text, "grace"):][:8]] = true
	}
	if len(users) != 2 {
		t.Errorf("the same subject of two issuers is %d users, want 2: %v", len(users), users)
	}
	if got := s.browser(t).get(t, "/oauth2/signin/upstream?provider=none"); got.status != http.StatusNotFound {
		t.Errorf("an unknown provider: %d", got.status)
	}
}

// TestProvidersAreNotMixedUp sends the answer of one provider to the redirect URI of another (RFC 9700, section 4.4).
func TestProvidersAreNotMixedUp(t *testing.T) {
	t.Parallel()
	honest, evil := startProvider(t, nil), startProvider(t, nil)
	s := withProviders(t, honest, evil)
	b := s.browser(t)
	sent := b.get(t, "/oauth2/signin/upstream?provider=default")
	answer := honest.consent(t, sent.onward())
	if got := b.get(t, "/oauth2/signin/callback/p1?"+answer.Encode()); got.status != http.StatusForbidden || b.isSignedIn(t) {
		t.Errorf("the answer of another provider: %d, signed in: %v", got.status, b.isSignedIn(t))
	}
}

func (s *service) endAtProvider(t *testing.T, id, token string) page {
	t.Helper()
	return s.browser(t).do(t, http.MethodPost, "/oauth2/signin/backchannel-logout/"+id, url.Values{"logout_token": {token}}.Encode())
}

func TestBackChannelLogout(t *testing.T) {
	t.Parallel()
	p, other := startProvider(t, map[string]any{"sid": "one"}), startProvider(t, map[string]any{"sid": "one"})
	s := withProviders(t, p, other)
	signedIn := func(at *provider, query, sid string) *browser {
		b := s.browser(t)
		at.mu.Lock()
		at.claims["sid"] = sid
		at.mu.Unlock()
		if got := b.signInAt(t, at, query); got.status != http.StatusOK || !b.isSignedIn(t) {
			t.Fatalf("sign in: %d %s", got.status, got.text)
		}
		return b
	}
	one, two, elsewhere, local := signedIn(p, "", "one"), signedIn(p, "", "two"), signedIn(other, "provider=p1", "one"), s.browser(t)
	local.signIn(t, "200")
	pass := one.do(t, http.MethodPost, "/oauth2/pass", "", "Sec-Fetch-Site", "same-origin", "Origin", s.url)
	var issued struct {
		Token string `json:"token"`
	}
	if err := json.Unmarshal([]byte(pass.text), &issued); err != nil || issued.Token == "" {
		t.Fatalf("pass: %d %s", pass.status, pass.text)
	}
	check := func(when string, want ...bool) {
		t.Helper()
		for i, b := range []*browser{one, two, elsewhere, local} {
			if got := b.isSignedIn(t); got != want[i] {
				t.Errorf("%s: browser %d is signed in: %v, want %v", when, i, got, want[i])
			}
		}
	}
	check("before", true, true, true, true)
	token := p.logoutToken(t, s.clock.Now(), map[string]any{"sid": "one"})
	if got := s.endAtProvider(t, "default", token); got.status != http.StatusOK || got.header.Get("Cache-Control") != "no-store" {
		t.Fatalf("a session: %d %s %v", got.status, got.text, got.header)
	}
	check("after the end of one session", false, true, true, true)
	if _, err := s.Sessions.Tokens.Authenticate(t.Context(), issued.Token); !errors.Is(err, auth.ErrUnauthorized) {
		t.Errorf("the pass of the session: %v, want %v", err, auth.ErrUnauthorized)
	}
	one = signedIn(p, "", "one")
	if got := s.endAtProvider(t, "default", token); got.status != http.StatusBadRequest || !got.says("used before") {
		t.Errorf("the same token again: %d %s", got.status, got.text)
	}
	check("after the same token again", true, true, true, true)
	if got := s.endAtProvider(t, "default", p.logoutToken(t, s.clock.Now(), map[string]any{"sub": "subject-2"})); got.status != http.StatusOK {
		t.Errorf("another subject: %d %s", got.status, got.text)
	}
	check("after the end of another subject", true, true, true, true)
	if got := s.endAtProvider(t, "default", p.logoutToken(t, s.clock.Now(), map[string]any{"sub": "subject-2", "sid": "one"})); got.status != http.StatusOK {
		t.Errorf("a session of another subject: %d %s", got.status, got.text)
	}
	check("after a session of another subject", true, true, true, true)
	if got := s.endAtProvider(t, "default", p.logoutToken(t, s.clock.Now(), map[string]any{"sub": "subject-1"})); got.status != http.StatusOK {
		t.Errorf("a subject: %d %s", got.status, got.text)
	}
	check("after the end of the subject", false, false, true, true)
}

func TestBackChannelLogoutRefuses(t *testing.T) {
	t.Parallel()
	p := startProvider(t, map[string]any{"sid": "one"})
	s := withProviders(t, p)
	b := s.browser(t)
	b.signInAt(t, p, "")
	now := s.clock.Now()
	valid := map[string]any{"sub": "subject-1"}
	with := func(name string, v any) map[string]any { return map[string]any{"sub": "subject-1", name: v} }
	for name, claims := range map[string]map[string]any{
		"another issuer": with("iss", "https://evil.example"), "another audience": with("aud", "x"), "no audience": with("aud", nil),
		"no issue time": with("iat", nil), "an old token": with("iat", now.Add(-time.Hour).Unix()), "a token of tomorrow": with("iat", now.Add(24*time.Hour).Unix()),
		"an expired token": with("exp", now.Add(-2*time.Minute).Unix()), "no expiry": with("exp", nil), "no id": with("jti", nil), "no event": with("events", nil),
		"another event":              with("events", map[string]any{"x": map[string]any{}}),
		"an event that is no object": with("events", map[string]any{"http://schemas.openid.net/event/backchannel-logout": "x"}),
		"a nonce, as in an ID token": with("nonce", "n"), "neither sub nor sid": {}, "a long sid": with("sid", strings.Repeat("x", 600)),
	} {
		if got := s.endAtProvider(t, "default", p.logoutToken(t, now, claims)); got.status != http.StatusBadRequest || !got.says("invalid_request") {
			t.Errorf("%s: %d %s", name, got.status, got.text)
		}
	}
	good := p.logoutToken(t, now, valid)
	parts := strings.Split(good, ".")
	for name, token := range map[string]string{
		"no token": "", "no signature": parts[0] + "." + parts[1] + ".", "the signature of another token": parts[0] + "." + parts[1] + "." + strings.Repeat("A", 342),
		"a large token": strings.Repeat("x", 9<<10),
	} {
		if got := s.endAtProvider(t, "default", token); got.status != http.StatusBadRequest {
			t.Errorf("%s: %d %s", name, got.status, got.text)
		}
	}
	if got := s.endAtProvider(t, "none", good); got.status != http.StatusBadRequest {
		t.Errorf("an unknown provider: %d", got.status)
	}
	if got := s.browser(t).do(t, http.MethodPost, "/oauth2/signin/backchannel-logout/default", `{}`, "Content-Type", "application/json"); got.status != http.StatusBadRequest {
		t.Errorf("JSON: %d", got.status)
	}
	if !b.isSignedIn(t) {
		t.Fatal("a refused token ended the session")
	}
	if got := s.endAtProvider(t, "default", good); got.status != http.StatusOK || b.isSignedIn(t) {
		t.Errorf("a valid token afterwards: %d %s", got.status, got.text)
	}
}

// TestSessionIdle checks that a session ends when no request uses it, and that requests keep it.
func TestSessionIdle(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.OAuth.SessionIdle = time.Hour
	b := s.browser(t)
	b.signIn(t, "200")
	for range 5 {
		s.clock.Advance(50 * time.Minute)
		if !b.isSignedIn(t) {
			t.Fatal("a session that is used every 50 minutes ended")
		}
	}
	pass := b.do(t, http.MethodPost, "/oauth2/pass", "", "Sec-Fetch-Site", "same-origin", "Origin", s.url)
	var issued struct {
		Life int `json:"expires_in"`
	}
	if err := json.Unmarshal([]byte(pass.text), &issued); err != nil || issued.Life != 1800 {
		t.Errorf("pass %s, %v: want a life of half the idle time, so that the console uses the session", pass.text, err)
	}
	s.clock.Advance(time.Hour)
	if b.isSignedIn(t) {
		t.Error("the session was not used for an hour and has not ended")
	}
	if list, err := s.Sessions.Accounts.Sessions(t.Context(), 200); err != nil || len(list) != 0 {
		t.Errorf("sessions %+v, %v, want none", list, err)
	}
	b = s.browser(t)
	b.signIn(t, "200")
	for range 13 {
		s.clock.Advance(56 * time.Minute)
		_ = b.isSignedIn(t)
	}
	if b.isSignedIn(t) {
		t.Error("a session that is used lasts longer than 12 hours")
	}
}

// operatorCookie returns the secret in the cookie of an operator, or an empty text.
func (b *browser) operatorCookie(t *testing.T) string {
	t.Helper()
	at, err := url.Parse(b.base)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range b.client.Jar.Cookies(at) {
		if strings.HasSuffix(c.Name, "bellhop-operator") {
			return c.Value
		}
	}
	return ""
}

func TestOperatorSignsInAtProvider(t *testing.T) {
	t.Parallel()
	p := startProvider(t, map[string]any{"preferred_username": "Grace", "groups": []string{"admins", "players"}})
	s := withProviders(t, p)
	s.Sessions.Tokens.SessionIdle, s.Sessions.Tokens.UseSession = time.Hour, s.OAuth.UseOperatorSession
	b := s.browser(t)
	got := b.signInAt(t, p, "as=operator&next=/")
	if got.status != http.StatusOK || got.onward() != "/" || b.isSignedIn(t) {
		t.Fatalf("sign in: %d %s, a user signed in: %v", got.status, got.text, b.isSignedIn(t))
	}
	if c := got.header["Set-Cookie"]; !strings.Contains(strings.Join(c, "\n"), "SameSite=Strict") || !strings.Contains(strings.Join(c, "\n"), "HttpOnly") {
		t.Errorf("cookies %q", c)
	}
	secret := b.operatorCookie(t)
	who, err := s.Sessions.Tokens.AuthenticateOperatorSession(t.Context(), secret)
	if err != nil || !strings.HasPrefix(who.Name, "grace-") || !strings.HasSuffix(who.Name, "@default") || strings.Join(who.Scopes, " ") != "read secrets" {
		t.Fatalf("operator %+v, %v", who, err)
	}
	if _, err := s.Sessions.Tokens.AuthenticateOperator(t.Context(), "Bearer "+secret); !errors.Is(err, auth.ErrUnauthorized) {
		t.Errorf("the secret of the cookie as a bearer token: %v", err)
	}
	for range 3 { // used, so that it does not end
		s.clock.Advance(50 * time.Minute)
		if _, err := s.Sessions.Tokens.AuthenticateOperatorSession(t.Context(), secret); err != nil {
			t.Fatal(err)
		}
	}
	token := p.logoutToken(t, s.clock.Now(), map[string]any{"sub": "subject-1"})
	if got := s.endAtProvider(t, "default", token); got.status != http.StatusOK {
		t.Errorf("logout: %d %s", got.status, got.text)
	}
	if _, err := s.Sessions.Tokens.AuthenticateOperatorSession(t.Context(), secret); !errors.Is(err, auth.ErrUnauthorized) {
		t.Errorf("after the logout: %v", err)
	}
	b.signInAt(t, p, "as=operator")
	if err := operators(s).Revoke(t.Context(), who.Name, credentials.LocalOperator()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Sessions.Tokens.AuthenticateOperatorSession(t.Context(), b.operatorCookie(t)); !errors.Is(err, auth.ErrUnauthorized) {
		t.Errorf("after the name was revoked: %v", err)
	}
	b.signInAt(t, p, "as=operator")
	s.clock.Advance(time.Hour)
	if _, err := s.Sessions.Tokens.AuthenticateOperatorSession(t.Context(), b.operatorCookie(t)); !errors.Is(err, auth.ErrUnauthorized) {
		t.Errorf("a session that was not used for an hour: %v", err)
	}
}

func TestOperatorNeedsTheClaim(t *testing.T) {
	t.Parallel()
	for name, claims := range map[string]map[string]any{
		"no claim": {}, "other values": {"groups": []string{"players"}}, "an object": {"groups": map[string]any{"admins": true}}, "a number": {"groups": 1},
	} {
		p := startProvider(t, claims)
		s := withProviders(t, p)
		b := s.browser(t)
		if got := b.signInAt(t, p, "as=operator"); got.status != http.StatusForbidden || !got.says("not_an_operator") || b.operatorCookie(t) != "" {
			t.Errorf("%s: %d %s", name, got.status, got.text)
		}
	}
}

// TestOperatorSignInIsNotForged checks that the sign-in of a user does not become that of an operator.
func TestOperatorSignInIsNotForged(t *testing.T) {
	t.Parallel()
	p := startProvider(t, map[string]any{"groups": "admins"})
	s := withProviders(t, p)
	b := s.browser(t)
	sent := b.get(t, "/oauth2/signin/upstream?next=/")
	at, err := url.Parse(b.base)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range b.client.Jar.Cookies(at) {
		if c.Name == "bellhop-upstream" {
			b.client.Jar.SetCookies(at, []*http.Cookie{{Name: c.Name, Value: c.Value + ".operator", Path: "/"}})
		}
	}
	answer := p.consent(t, sent.onward())
	if got := b.get(t, "/oauth2/signin/callback?"+answer.Encode()); got.status != http.StatusForbidden || b.operatorCookie(t) != "" {
		t.Errorf("a changed cookie: %d %s", got.status, got.text)
	}
}

// TestOperatorOfProviderCreatesShortTokens checks that a token of an operator who signed in at a provider ends with the session.
func TestOperatorOfProviderCreatesShortTokens(t *testing.T) {
	t.Parallel()
	p := startProvider(t, map[string]any{"groups": "admins"})
	s := withProviders(t, p)
	b := s.browser(t)
	b.signInAt(t, p, "as=operator")
	who, err := s.Sessions.Tokens.AuthenticateOperatorSession(t.Context(), b.operatorCookie(t))
	if err != nil {
		t.Fatal(err)
	}
	made := credentials.Operator{Name: "ci", Scopes: []string{"read"}}
	if _, _, err := operators(s).Put(t.Context(), &made, who); err != nil || !made.Expires.Equal(who.Expires) {
		t.Errorf("Put() = %v, expires %v, want %v", err, made.Expires, who.Expires)
	}
	wide := credentials.Operator{Name: "wide", Scopes: []string{"directory"}}
	if _, _, err := operators(s).Put(t.Context(), &wide, who); !errors.Is(err, credentials.ErrOperatorScope) {
		t.Errorf("Put() with another scope = %v, want %v", err, credentials.ErrOperatorScope)
	}
	if _, _, err := operators(s).CreateSession(t.Context(), who); !errors.Is(err, auth.ErrUnauthorized) {
		t.Errorf("CreateSession() = %v: a session of a provider must not make another", err)
	}
}

func TestOperatorSessionsAreBounded(t *testing.T) {
	t.Parallel()
	p := startProvider(t, map[string]any{"groups": "support"})
	s := withProviders(t, p)
	at := s.Sessions.Upstreams[0].Provider
	arrived := oauthapi.Arrival{Identity: oauthapi.Identity{Issuer: at.Issuer, Subject: "x"}, Scopes: []string{"read"}}
	for range 25 {
		if _, _, err := s.Sessions.SignInOperator(t.Context(), at, arrived); err != nil {
			t.Fatal(err)
		}
		s.clock.Advance(time.Second)
	}
	var all []store.Credential
	err := s.Sessions.Store.Read(t.Context(), func(r store.Reader) (err error) {
		all, err = r.Credentials.Credentials(store.AdminToken, 0, 0)
		return err
	})
	if err != nil || len(all) != 20 {
		t.Errorf("%d sessions, %v, want 20", len(all), err)
	}
}

// FuzzTrip checks that a cookie leads to a path of this service only, and that a trip survives its cookie.
func FuzzTrip(f *testing.F) {
	f.Add("Lw.operator", "/oauth2/account", true)
	f.Add("Ly9ldmls", "//evil.example", false)
	f.Fuzz(func(t *testing.T, cookie, next string, operator bool) {
		if trip, ok := oauthapi.DecodeTrip(cookie); ok && oauthapi.LocalPath(trip.Next, "") == "" {
			t.Errorf("DecodeTrip(%q) leads to %q", cookie, trip.Next)
		}
		trip := oauthapi.Trip{Next: oauthapi.LocalPath(next, "/"), Operator: operator}
		if got, ok := oauthapi.DecodeTrip(trip.Encode()); !ok || got != trip {
			t.Errorf("%+v comes back as %+v, %v", trip, got, ok)
		}
	})
}

// operators returns the credentials of operators of a service.
func operators(s *service) *credentials.Operators {
	return &credentials.Operators{Directory: s.Directory, Clock: s.clock}
}
