package oauth_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/oauth"
)

const (
	firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
	safari  = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1"
)

// grant lets a user grant access to Echo, and returns Echo's tokens.
func (s *service) grant(t *testing.T, b *browser) oauth.Token {
	t.Helper()
	allowed := b.post(t, b.get(t, ask()), ask(), "decision", "accept")
	token, err := s.OAuth.Token(t.Context(), oauth.TokenRequest{
		Client: oauth.Client{ID: "100", Secrets: []string{"hush"}}, GrantType: "authorization_code",
		Code: allowed.query(t).Get("code"), RedirectURI: "https://echo.example/cb?a=1",
	})
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// valid reports whether an access token is valid.
func (s *service) valid(t *testing.T, token auth.Secret) bool {
	t.Helper()
	_, err := s.Sessions.Tokens.Authenticate(t.Context(), "Bearer "+token.Reveal())
	return err == nil
}

// signInWith signs a user in with a user agent.
func (b *browser) signInWith(t *testing.T, user, agent string) {
	t.Helper()
	form := formToken.FindStringSubmatch(b.get(t, "/oauth2/signin").text)[1]
	b.do(t, http.MethodPost, "/oauth2/signin", "user="+user+"&form="+form, "User-Agent", agent)
}

func TestAccountPage(t *testing.T) {
	t.Parallel()
	d := open(t)
	here, there, other := d.browser(t), d.browser(t), d.browser(t)
	if got := here.get(t, "/oauth2/account"); got.status != http.StatusFound || !strings.HasPrefix(got.onward(), "/oauth2/signin?next=") {
		t.Fatalf("not signed in: %d to %s", got.status, got.onward())
	}
	here.signInWith(t, "200", firefox)
	there.signInWith(t, "200", safari)
	other.signIn(t, "201")
	mine, foreign := d.grant(t, here), d.grant(t, other)

	shown := here.get(t, "/oauth2/account")
	for _, text := range []string{`Echo <&> "Co"`, "Know who you are", "Since 1 May 2026, 12:00 UTC", "Firefox on Linux", "Safari on iPhone", "This browser", "Ada"} {
		if !shown.says(text) {
			t.Errorf("the page does not say %q:\n%s", text, shown.text)
		}
	}
	session := regexp.MustCompile(`name="session" value="([0-9a-f]{32})"`).FindAllStringSubmatch(shown.text, -1)
	if len(session) != 1 {
		t.Fatalf("%d sessions can be ended, want the other one", len(session))
	}
	for _, form := range []string{"application=100", "session=" + session[0][1], "others=1"} {
		if got := here.do(t, http.MethodPost, "/oauth2/account", form); got.status != http.StatusForbidden {
			t.Errorf("%s without the form token: %d", form, got.status)
		}
	}
	if !d.valid(t, mine.AccessToken) || !there.signedIn(t) {
		t.Fatal("a form without its token changed something")
	}
	other.post(t, other.get(t, "/oauth2/account"), "/oauth2/account", "session", session[0][1])
	if !there.signedIn(t) {
		t.Error("a user ended the session of another user")
	}

	if done := here.post(t, shown, "/oauth2/account", "session", session[0][1]); done.status != http.StatusOK || there.signedIn(t) || !here.signedIn(t) {
		t.Errorf("end a session: %d", done.status)
	}
	if done := here.post(t, shown, "/oauth2/account", "application", "100"); !done.says("No app has access") || d.valid(t, mine.AccessToken) {
		t.Errorf("end the access of an app: %d", done.status)
	}
	if !d.valid(t, foreign.AccessToken) {
		t.Error("the access to another user ended")
	}
	there.signIn(t, "200")
	here.post(t, shown, "/oauth2/account", "others", "1")
	if there.signedIn(t) || !here.signedIn(t) || !other.signedIn(t) {
		t.Error("end all other sessions: a wrong set of sessions ended")
	}
}

// TestAuthorizationsAPI lists and ends the access of apps and sessions with a user token.
func TestAuthorizationsAPI(t *testing.T) {
	t.Parallel()
	d := open(t)
	b := d.browser(t)
	b.signInWith(t, "200", firefox)
	token := d.grant(t, b)
	call := func(method, path, as, body string) page {
		t.Helper()
		return d.browser(t).do(t, method, "/api/v10"+path, body, "Authorization", as, "Content-Type", "application/json")
	}
	apps := call(http.MethodGet, "/oauth2/tokens", "user-ada", "")
	for _, text := range []string{`"id":"100"`, `"scopes":["identify"]`, `"used_at":"2026-05-01T12:00:00Z"`} {
		if !strings.Contains(apps.text, text) {
			t.Errorf("%s lacks %s", apps.text, text)
		}
	}
	if none := call(http.MethodGet, "/oauth2/tokens", "user-bob", ""); none.text != "[]" {
		t.Errorf("apps of another user: %s", none.text)
	}
	if got := call(http.MethodGet, "/oauth2/tokens", "Bearer "+token.AccessToken.Reveal(), ""); got.status == http.StatusOK {
		t.Errorf("an app lists the apps of a user: %d", got.status)
	}
	sessions := call(http.MethodGet, "/auth/sessions", "user-ada", "")
	id := regexp.MustCompile(`"id_hash":"([0-9a-f]{32})"`).FindStringSubmatch(sessions.text)
	if id == nil || !strings.Contains(sessions.text, "Firefox/140.0") {
		t.Fatalf("sessions: %s", sessions.text)
	}
	logout := `{"session_id_hashes":["` + id[1] + `"]}`
	if got := call(http.MethodPost, "/auth/sessions/logout", "user-bob", logout); got.status != http.StatusNoContent || !b.signedIn(t) {
		t.Errorf("another user ends the session: %d", got.status)
	}
	if got := call(http.MethodPost, "/auth/sessions/logout", "user-ada", logout); got.status != http.StatusNoContent || b.signedIn(t) {
		t.Errorf("end the session: %d", got.status)
	}
	if got := call(http.MethodDelete, "/oauth2/tokens/100", "user-bob", ""); got.status != http.StatusNoContent || !d.valid(t, token.AccessToken) {
		t.Errorf("another user ends the access: %d", got.status)
	}
	if got := call(http.MethodDelete, "/oauth2/tokens/100", "user-ada", ""); got.status != http.StatusNoContent || d.valid(t, token.AccessToken) {
		t.Errorf("end the access: %d", got.status)
	}
	if _, err := d.OAuth.Token(t.Context(), oauth.TokenRequest{
		Client: oauth.Client{ID: "100", Secrets: []string{"hush"}}, GrantType: "refresh_token", RefreshToken: token.RefreshToken.Reveal(),
	}); err == nil {
		t.Error("the refresh token works after the end of the access")
	}
}
