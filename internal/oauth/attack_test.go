package oauth_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/oauth"
	"github.com/bellhop/bellhop/internal/store"
)

// TestAttacks tries the attacks of RFC 9700 that apply to an authorization server. Each test names the section of the
// attack. The attacks that need a browser are in e2e/signin.
func TestAttacks(t *testing.T) {
	t.Parallel()

	t.Run("4.1 open redirect and similar redirect URIs", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		for _, uri := range []string{
			"https://evil.example/cb", "https://echo.example.evil.example/cb", "https://echo.example/cb/../evil", "https://echo.example/cb%2f..",
			"//echo.example/cb", "javascript:alert(1)//https://echo.example/cb", "data:text/html,x", "https://echo.example\\@evil.example/cb",
		} {
			_, err := d.ParseAuthorization(t.Context(), params("redirect_uri", uri, "scope", "nonsense")) // errors must not redirect either
			redirect := refused(t, err, oauth.InvalidRequest, `Invalid "redirect_uri" in request.`)
			if redirect != "" {
				t.Errorf("%s: redirects to %s", uri, redirect)
			}
		}
	})

	t.Run("4.4 mix-up: every response names its issuer", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		if got := d.accept(t, 200, params()).Get("iss"); got != issuer {
			t.Errorf("code from %q", got)
		}
		if got := d.accept(t, 200, params("response_type", "token")).Get("iss"); got != issuer {
			t.Errorf("token from %q", got)
		}
		_, err := d.ParseAuthorization(t.Context(), params("scope", "nonsense"))
		redirect := refused(t, err, oauth.InvalidScope)
		back, perr := url.Parse(redirect)
		if perr != nil || back.Query().Get("iss") != issuer {
			t.Errorf("error from %s", redirect)
		}
	})

	t.Run("4.5 code injection: a stolen code does not work in another session", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		stolen := d.accept(t, 200, gameParams()).Get("code")
		other := strings.Repeat("attacker-verifier.", 3)
		d.accept(t, 202, gameParams("code_challenge", challengeOf(other))) // the attacker's own session
		_, err := d.Token(t.Context(), oauth.TokenRequest{
			Client: game, GrantType: "authorization_code", Code: stolen, RedirectURI: "http://127.0.0.1:51234/callback", Verifier: other,
		})
		refused(t, err, oauth.InvalidGrant)
		// The code does not work for another client with the verifier either.
		_, err = d.Token(t.Context(), oauth.TokenRequest{
			Client: echo, GrantType: "authorization_code", Code: stolen, RedirectURI: "http://127.0.0.1:51234/callback", Verifier: verifier,
		})
		refused(t, err, oauth.InvalidGrant)
	})

	t.Run("4.8 PKCE downgrade", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		// The challenge is removed from the request. The verifier in the exchange shows it.
		stripped := d.accept(t, 200, params()).Get("code")
		_, err := d.Token(t.Context(), oauth.TokenRequest{
			Client: echo, GrantType: "authorization_code", Code: stripped, RedirectURI: "https://echo.example/cb", Verifier: verifier,
		})
		refused(t, err, oauth.InvalidGrant)
		// The verifier is left out of the exchange.
		bound := d.accept(t, 200, params(pkce...)).Get("code")
		_, err = d.Token(t.Context(), oauth.TokenRequest{
			Client: echo, GrantType: "authorization_code", Code: bound, RedirectURI: "https://echo.example/cb",
		})
		refused(t, err, oauth.InvalidGrant)
		// The method plain is requested, whose challenge is the verifier.
		_, err = d.ParseAuthorization(t.Context(), params("code_challenge", verifier, "code_challenge_method", "plain"))
		refused(t, err, oauth.InvalidRequest)
	})

	t.Run("4.9 data from the store contains no usable token", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		code := d.accept(t, 200, params()).Get("code")
		token := d.exchange(t, code)
		device := d.wait(t)
		var have []store.Grant
		err := d.db.Read(t.Context(), func(r store.Reader) (err error) {
			have, err = r.Grants.Grants(100, 200)
			return err
		})
		if err != nil || len(have) != 1 {
			t.Fatalf("%d grants, %v", len(have), err)
		}
		kept := string(have[0].ID[:]) + string(have[0].Access[:]) + string(have[0].Refresh[:])
		for _, secret := range []string{code, token.AccessToken.Reveal(), token.RefreshToken.Reveal(), device.DeviceCode.Reveal(), device.UserCode} {
			if strings.Contains(kept, secret) {
				t.Error("a secret is stored in plain text")
			}
		}
		for _, stolen := range []store.TokenHash{have[0].ID, have[0].Refresh} {
			_, err := d.Token(t.Context(), oauth.TokenRequest{Client: echo, GrantType: "refresh_token", RefreshToken: string(stolen[:])})
			refused(t, err, oauth.InvalidGrant)
		}
	})

	t.Run("4.14 a stolen refresh token ends the grant", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		token := d.exchange(t, d.accept(t, 200, params()).Get("code"))
		thief := oauth.TokenRequest{Client: echo, GrantType: "refresh_token", RefreshToken: token.RefreshToken.Reveal()}
		loot, err := d.Token(t.Context(), thief)
		if err != nil {
			t.Fatal(err)
		}
		_, err = d.Token(t.Context(), thief) // the owner uses the same token
		refused(t, err, oauth.InvalidGrant)
		if d.accepts(t, loot.AccessToken) {
			t.Error("the stolen token still works")
		}
	})
}
