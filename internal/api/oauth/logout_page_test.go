package oauth_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/oauth"
	"github.com/bellhop/bellhop/internal/world"
)

const goodbye = "https://echo.example/bye"

// idToken returns an ID token of Echo for the user of a browser.
func (s *service) idToken(t *testing.T, b *browser) string {
	t.Helper()
	path := ask("scope", "openid")
	allowed := b.post(t, b.get(t, path), path, "decision", "accept")
	token, err := s.OAuth.Token(t.Context(), oauth.TokenRequest{
		Client: oauth.Client{ID: "100", Secrets: []string{"hush"}}, GrantType: "authorization_code",
		Code: allowed.query(t).Get("code"), RedirectURI: "https://echo.example/cb?a=1",
	})
	if err != nil {
		t.Fatal(err)
	}
	return token.IDToken.Reveal()
}

// TestLogout checks the sign-out that an app requests.
func TestLogout(t *testing.T) {
	t.Parallel()
	d := open(t)
	if _, err := d.provision().PutApplication(t.Context(), world.Application{
		ID: 100, Name: "Echo", Owner: 200, RedirectURIs: []string{"https://echo.example/cb?a=1"}, PostLogoutRedirectURIs: []string{goodbye},
	}); err != nil {
		t.Fatal(err)
	}
	other := d.browser(t)
	other.signIn(t, "201")
	foreign := d.idToken(t, other)
	for _, tt := range []struct {
		name string
		q    func(hint string) url.Values
		asks bool   // the page asks first
		fail bool   // the request is refused
		to   string // where the browser goes after the sign-out
	}{
		{"an ID token of the user", func(h string) url.Values { return url.Values{"id_token_hint": {h}} }, false, false, ""},
		{"an ID token and a redirect", func(h string) url.Values {
			return url.Values{"id_token_hint": {h}, "post_logout_redirect_uri": {goodbye}, "state": {"s&1"}}
		}, false, false, goodbye + "?state=s%261"},
		{"nothing", func(string) url.Values { return url.Values{} }, true, false, ""},
		{"a client and a redirect", func(string) url.Values {
			return url.Values{"client_id": {"100"}, "post_logout_redirect_uri": {goodbye}}
		}, true, false, goodbye},
		{"an ID token of another user", func(string) url.Values { return url.Values{"id_token_hint": {foreign}} }, true, false, ""},
		{"a forged ID token", func(h string) url.Values { return url.Values{"id_token_hint": {h + "x"}} }, true, false, ""},
		{"a redirect that is not registered", func(h string) url.Values {
			return url.Values{"id_token_hint": {h}, "post_logout_redirect_uri": {"https://evil.example"}}
		}, false, true, ""},
		{"a redirect without a client", func(string) url.Values { return url.Values{"post_logout_redirect_uri": {goodbye}} }, false, true, ""},
		{"an unknown client", func(string) url.Values { return url.Values{"client_id": {"999"}} }, false, true, ""},
		{"the ID token of another client", func(h string) url.Values { return url.Values{"id_token_hint": {h}, "client_id": {"101"}} }, false, true, ""},
		{"two redirects", func(h string) url.Values {
			return url.Values{"id_token_hint": {h}, "post_logout_redirect_uri": {goodbye, goodbye}}
		}, false, true, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := d.browser(t)
			b.signIn(t, "200")
			path := "/oauth2/logout?" + tt.q(d.idToken(t, b)).Encode()
			got := b.get(t, path)
			if tt.fail {
				if got.status != http.StatusBadRequest || got.onward() != "" || !b.signedIn(t) {
					t.Errorf("%d to %q, want an error and the session to stay", got.status, got.onward())
				}
				return
			}
			if tt.asks {
				if got.onward() != "" || !b.signedIn(t) {
					t.Fatalf("%d to %q: the page did not ask first", got.status, got.onward())
				}
				got = b.post(t, got, path)
			}
			if got.status != http.StatusOK || got.onward() != tt.to || b.signedIn(t) {
				t.Errorf("%d to %q, signed in %v, want to go to %q", got.status, got.onward(), b.signedIn(t), tt.to)
			}
		})
	}
	if !other.signedIn(t) {
		t.Error("another user was signed out")
	}
}

// TestLogoutForm sends the request as a form from another site, and with an ID token that has expired.
func TestLogoutForm(t *testing.T) {
	t.Parallel()
	d := open(t)
	b := d.browser(t)
	b.signIn(t, "200")
	hint := d.idToken(t, b)
	d.clock.Advance(90 * time.Minute)
	sent := b.do(t, http.MethodPost, "/oauth2/logout", url.Values{"id_token_hint": {hint}}.Encode(), "Sec-Fetch-Site", "cross-site")
	if sent.status != http.StatusFound || !b.signedIn(t) {
		t.Fatalf("%d, want a redirect to the same request with the cookie", sent.status)
	}
	if b.get(t, sent.onward()); b.signedIn(t) {
		t.Error("still signed in")
	}
}
