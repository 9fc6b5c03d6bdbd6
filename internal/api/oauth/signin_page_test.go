package oauth_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/oauth"
)

func TestSignIn(t *testing.T) {
	t.Parallel()
	d := open(t)

	t.Run("cookies cannot be read by scripts or other sites", func(t *testing.T) {
		t.Parallel()
		b := d.browser(t)
		shown := b.get(t, "/oauth2/signin")
		entered := b.post(t, shown, "/oauth2/signin", "user", "200")
		for _, p := range []page{shown, entered} {
			cookies, err := http.ParseSetCookie(p.header.Get("Set-Cookie"))
			if err != nil || !cookies.HttpOnly || cookies.SameSite != http.SameSiteLaxMode || cookies.Path != "/" || len(cookies.Value) != 52 {
				t.Errorf("cookie %q, %v", p.header.Get("Set-Cookie"), err)
			}
		}
		if shown.header.Get("Set-Cookie")[:60] == entered.header.Get("Set-Cookie")[:60] {
			t.Error("the secret of the session stays the same after signing in")
		}
	})

	t.Run("not a user token", func(t *testing.T) {
		t.Parallel()
		b := d.browser(t)
		for _, token := range []string{"", "nobody", "bot-echo", "Bot bot-echo", "Bearer x"} {
			got := b.post(t, b.get(t, "/oauth2/signin"), "/oauth2/signin", "token", token)
			if got.status != http.StatusUnauthorized || !got.says("nobody's token") {
				t.Errorf("token %q: %d", token, got.status)
			}
		}
		for _, user := range []string{"100", "999", "0", "x"} {
			if got := b.post(t, b.get(t, "/oauth2/signin"), "/oauth2/signin", "user", user); got.status != http.StatusUnauthorized {
				t.Errorf("user %q: %d", user, got.status)
			}
		}
	})

	t.Run("does not redirect to other sites", func(t *testing.T) {
		t.Parallel()
		b := d.browser(t)
		for _, next := range []string{"https://evil.example", "//evil.example", `/\evil.example`, "javascript:alert(1)", "/\x01", ""} {
			shown := b.get(t, "/oauth2/signin?next="+url.QueryEscape(next))
			if got := b.post(t, shown, "/oauth2/signin", "user", "200", "next", next); got.onward() != "/" {
				t.Errorf("next %q leads to %q", next, got.onward())
			}
		}
	})

	t.Run("ends after twelve hours, or by signing out", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		b, c := d.browser(t), d.browser(t)
		b.signIn(t, "200")
		c.signIn(t, "201")
		left := b.post(t, b.get(t, ask()), "/oauth2/signout", "next", ask())
		if left.onward() != ask() || b.get(t, ask()).status != http.StatusFound {
			t.Errorf("signed out: sent to %s", left.onward())
		}
		if c.get(t, ask()).status != http.StatusOK {
			t.Error("another user was signed out")
		}
		d.clock.Advance(12*time.Hour - time.Second)
		if c.get(t, ask()).status != http.StatusOK {
			t.Error("signed out too early")
		}
		d.clock.Advance(time.Second)
		if c.get(t, ask()).status != http.StatusFound {
			t.Error("still signed in after twelve hours")
		}
	})

	t.Run("no choice of users in production", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		d.Sessions.Choose = false
		b := d.browser(t)
		shown := b.get(t, "/oauth2/signin")
		if shown.says("Choose who you are") || b.post(t, shown, "/oauth2/signin", "user", "200").status != http.StatusUnauthorized {
			t.Error("a user can be chosen")
		}
		if got := b.get(t, "/oauth2/signin/upstream"); got.status != http.StatusNotFound {
			t.Errorf("without a provider: %d", got.status)
		}
		if got := b.get(t, "/oauth2/signin/callback?code=x&state=y"); got.status != http.StatusNotFound {
			t.Errorf("without a provider: %d", got.status)
		}
	})

	t.Run("the cookie is secure over https", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		d.OAuth.Issuer = "https://bellhop.example"
		cookie, err := http.ParseSetCookie(d.browser(t).get(t, "/oauth2/signin").header.Get("Set-Cookie"))
		if err != nil || cookie.Name != "__Host-bellhop" || !cookie.Secure {
			t.Errorf("cookie %+v, %v", cookie, err)
		}
	})
}

func TestDevicePage(t *testing.T) {
	t.Parallel()
	d := open(t)
	echo := oauth.Client{ID: "100", Secrets: []string{"hush"}}
	begin := func(t *testing.T) oauth.Device {
		t.Helper()
		device, err := d.OAuth.AuthorizeDevice(t.Context(), echo, "identify email")
		if err != nil {
			t.Fatal(err)
		}
		return device
	}
	poll := func(t *testing.T, device oauth.Device) error {
		t.Helper()
		_, err := d.OAuth.Token(t.Context(), oauth.TokenRequest{
			Client: echo, GrantType: oauth.DeviceCode, DeviceCode: device.DeviceCode.Reveal(),
		})
		return err
	}
	b := d.browser(t)
	first := begin(t)
	if got := b.get(t, "/oauth2/device?user_code="+first.UserCode); got.status != http.StatusFound || got.onward() != "/oauth2/signin?next="+url.QueryEscape("/oauth2/device?user_code="+first.UserCode) {
		t.Fatalf("%d to %s, want signing in first", got.status, got.onward())
	}
	b.signIn(t, "200")
	empty := b.get(t, "/oauth2/device")
	if wrong := b.post(t, empty, "/oauth2/device", "user_code", "BBBBBBBB"); wrong.status != http.StatusForbidden || !wrong.says("No device waits") {
		t.Errorf("wrong code: %d", wrong.status)
	}
	typed := first.UserCode[:4] + "-" + first.UserCode[4:]
	asked := b.post(t, empty, "/oauth2/device", "user_code", typed)
	for _, text := range []string{`Echo <&> "Co"`, "Go on only if your own device shows this code", "See your email address", typed} {
		if !asked.says(text) {
			t.Errorf("the page does not say %q", text)
		}
	}
	if done := b.post(t, asked, "/oauth2/device", "user_code", typed, "decision", "accept"); done.status != http.StatusOK || !done.says("The device is signed in") {
		t.Errorf("allowed: %d %s", done.status, done.text)
	}
	if err := poll(t, first); err != nil {
		t.Errorf("Token() = %v", err)
	}
	second := begin(t)
	shown := b.get(t, "/oauth2/device?user_code="+second.UserCode)
	if got := b.do(t, http.MethodPost, "/oauth2/device", "decision=accept&user_code="+second.UserCode); got.status != http.StatusForbidden {
		t.Errorf("a form of another session: %d", got.status)
	}
	if done := b.post(t, shown, "/oauth2/device", "user_code", second.UserCode, "decision", "cancel"); done.status != http.StatusOK || !done.says("Nothing was allowed") {
		t.Errorf("declined: %d", done.status)
	}
	if err := poll(t, second); err == nil || err.Error() != "access_denied" {
		t.Errorf("Token() = %v, want access_denied", err)
	}
	if again := b.post(t, shown, "/oauth2/device", "user_code", second.UserCode, "decision", "accept"); again.status != http.StatusForbidden {
		t.Errorf("decided twice: %d", again.status)
	}
}
