package oauth_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/oauth"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-jose/go-jose/v4"
)

func TestCodeIsExchangedOnce(t *testing.T) {
	t.Parallel()
	d := open(t)
	answer := d.accept(t, 200, params())
	if answer.Get("state") != "s t+é" || answer.Get("iss") != issuer {
		t.Errorf("response %v, want the sent state and the issuer", answer)
	}
	token := d.exchange(t, answer.Get("code"))
	p, err := d.auth.Authenticate(t.Context(), "Bearer "+token.AccessToken.Reveal())
	if err != nil || p.User != 200 || p.Application != 100 || !slices.Equal(p.Scopes, []string{"identify"}) || p.Own ||
		!p.Expires.Equal(start.Add(7*24*time.Hour)) {
		t.Errorf("Authenticate() = %+v, %v", p, err)
	}
	if token.IDToken != "" || token.RefreshToken == "" {
		t.Errorf("token %v: want a refresh token and no ID token", token)
	}
	_, err = d.Token(t.Context(), oauth.TokenRequest{
		Client: echo, GrantType: "authorization_code", Code: answer.Get("code"), RedirectURI: "https://echo.example/cb",
	})
	refused(t, err, oauth.InvalidGrant)
	if d.accepts(t, token.AccessToken) {
		t.Error("the token works after the second use of its code")
	}
	_, err = d.Token(t.Context(), oauth.TokenRequest{Client: echo, GrantType: "refresh_token", RefreshToken: token.RefreshToken.Reveal()})
	refused(t, err, oauth.InvalidGrant)
}

func TestExchange(t *testing.T) {
	t.Parallel()
	const invalidCode = `invalid_grant: Invalid "code" in request.`
	const noVerifier = `invalid_grant: Invalid "code_verifier" in request.`
	for _, tt := range []struct {
		name   string
		ask    []string
		wait   time.Duration
		change func(*oauth.TokenRequest)
		want   string // empty: a token
	}{
		{name: "at 99 seconds", wait: 99 * time.Second},
		{name: "at 100 seconds", wait: 100 * time.Second, want: invalidCode},
		{name: "unknown code", change: func(q *oauth.TokenRequest) { q.Code = "unknown" }, want: invalidCode},
		{name: "no code", change: func(q *oauth.TokenRequest) { q.Code = "" }, want: invalidCode},
		{name: "endless code", change: func(q *oauth.TokenRequest) { q.Code = strings.Repeat("x", 4096) }, want: invalidCode},
		{name: "code of another client", change: func(q *oauth.TokenRequest) { q.Client = oauth.Client{ID: "101", Secrets: []string{"s2"}} }, want: invalidCode},
		{
			name: "redirect with a slash more", change: func(q *oauth.TokenRequest) { q.RedirectURI += "/" },
			want: `invalid_request: Invalid "redirect_uri" in request.`,
		},
		{name: "redirect left out", change: func(q *oauth.TokenRequest) { q.RedirectURI = "" }, want: `invalid_request: Invalid "redirect_uri" in request.`},
		{name: "redirect left out in both", ask: []string{"redirect_uri", "-"}, change: func(q *oauth.TokenRequest) { q.RedirectURI = "" }},
		{name: "verifier that answers", ask: pkce, change: func(q *oauth.TokenRequest) { q.Verifier = verifier }},
		{name: "verifier that does not", ask: pkce, change: func(q *oauth.TokenRequest) { q.Verifier = strings.Repeat("a", 43) }, want: noVerifier},
		{name: "verifier left out", ask: pkce, want: noVerifier},
		{name: "challenge as verifier", ask: pkce, change: func(q *oauth.TokenRequest) { q.Verifier = challenge }, want: noVerifier},
		{name: "verifier without a challenge", change: func(q *oauth.TokenRequest) { q.Verifier = verifier }, want: noVerifier},
		{
			name: "verifier that is too short", ask: []string{"code_challenge", challengeOf("short"), "code_challenge_method", "S256"},
			change: func(q *oauth.TokenRequest) { q.Verifier = "short" }, want: noVerifier,
		},
		{name: "wrong secret", change: func(q *oauth.TokenRequest) { q.Client.Secrets = []string{"guess"} }, want: "invalid_client"},
		{name: "no secret", change: func(q *oauth.TokenRequest) { q.Client.Secrets = nil }, want: "invalid_client"},
		{name: "no secret but a verifier", ask: pkce, change: func(q *oauth.TokenRequest) { q.Client.Secrets, q.Verifier = nil, verifier }, want: "invalid_client"},
		{name: "unknown client", change: func(q *oauth.TokenRequest) { q.Client.ID = "999" }, want: "invalid_client"},
		{name: "client that is no id", change: func(q *oauth.TokenRequest) { q.Client.ID = "echo" }, want: "invalid_client"},
		{name: "unknown grant type", change: func(q *oauth.TokenRequest) { q.GrantType = "password" }, want: "unsupported_grant_type: The grant type is missing or not supported."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := open(t)
			code := d.accept(t, 200, params(tt.ask...)).Get("code")
			d.clock.Advance(tt.wait)
			q := oauth.TokenRequest{Client: echo, GrantType: "authorization_code", Code: code, RedirectURI: "https://echo.example/cb"}
			if tt.change != nil {
				tt.change(&q)
			}
			_, err := d.Token(t.Context(), q)
			if got := text(err); got != tt.want {
				t.Errorf("Token() = %q, want %q", got, tt.want)
			}
		})
	}
}

var pkce = []string{"code_challenge", challenge, "code_challenge_method", "S256"}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestPublicClient(t *testing.T) {
	t.Parallel()
	d := open(t)
	code := d.accept(t, 201, gameParams("nonce", "n-1")).Get("code")
	q := oauth.TokenRequest{Client: game, GrantType: "authorization_code", Code: code, RedirectURI: "http://127.0.0.1:51234/callback"}
	_, err := d.Token(t.Context(), q)
	refused(t, err, oauth.InvalidClient) // no verifier
	q.Verifier = verifier
	q.Client.Secrets = []string{"guess"}
	_, err = d.Token(t.Context(), q)
	refused(t, err, oauth.InvalidClient) // a wrong secret
	q.Client.Secrets = nil
	token, err := d.Token(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(token.Scopes, " "); got != "openid sdk.social_layer" {
		t.Errorf("scopes %q: want the name of the requested scope", got)
	}
	p, err := d.auth.Authenticate(t.Context(), "Bearer "+token.AccessToken.Reveal())
	if err != nil || !p.HasScope("lobbies.write") || !p.HasScope("identify") || !p.HasScope("gateway.connect") || p.HasScope("email") {
		t.Errorf("Authenticate() = %+v, %v: want the included scopes", p, err)
	}
	d.checkIDToken(t, token, "n-1")
	_, err = d.Token(t.Context(), oauth.TokenRequest{Client: game, GrantType: "client_credentials"})
	refused(t, err, oauth.InvalidClient)
	next, err := d.Token(t.Context(), oauth.TokenRequest{Client: game, GrantType: "refresh_token", RefreshToken: token.RefreshToken.Reveal()})
	if err != nil || next.IDToken != "" {
		t.Errorf("refresh = %v, %v", next, err)
	}
	if err := d.Revoke(t.Context(), game, next.AccessToken.Reveal()); err != nil || d.accepts(t, next.AccessToken) {
		t.Errorf("Revoke() = %v", err)
	}
}

// checkIDToken verifies an ID token with the published keys.
func (d *fixture) checkIDToken(t *testing.T, token oauth.Token, nonce string) {
	t.Helper()
	set, err := d.KeySet(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	signed, err := jose.ParseSigned(token.IDToken.Reveal(), []jose.SignatureAlgorithm{jose.RS256})
	if err != nil {
		t.Fatal(err)
	}
	payload, err := signed.Verify(set)
	if err != nil {
		t.Fatalf("ID token: %v", err)
	}
	var claims map[string]any
	if err := json.Unmarshal(payload, &claims); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"iss": issuer, "sub": "201", "aud": "101", "iat": float64(start.Unix()), "exp": float64(start.Unix() + 3600),
		"auth_time": float64(start.Unix()), "nonce": nonce,
	}
	for name, value := range want {
		if claims[name] != value {
			t.Errorf("claim %s = %v, want %v", name, claims[name], value)
		}
	}
	if hash, _ := claims["at_hash"].(string); hash == "" || len(claims) != len(want)+1 {
		t.Errorf("claims %v: want at_hash and nothing else", claims)
	}
}

func TestClientCredentials(t *testing.T) {
	t.Parallel()
	d := open(t)
	for _, tt := range []struct {
		name, scope, want string // scopes, or the error
	}{
		{"for commands", "applications.commands.update", "applications.commands.update"},
		{"each scope once", "identify  applications.commands.update identify", "identify applications.commands.update"},
		{"nothing said", "", "identify"},
		{"for permissions", "applications.commands.permissions.update", "applications.commands.permissions.update"},
		{"a bot", "bot", "invalid_scope"},
		{"openid", "openid", "invalid_scope"},
		{"the documentation's example", "identify connections", "identify connections"},
		{"unknown", "identify everything", "invalid_scope"},
		{"a webhook", "webhook.incoming", "invalid_scope"},
		{"a part of an umbrella", "lobbies.write", "invalid_scope"},
	} {
		token, err := d.Token(t.Context(), oauth.TokenRequest{Client: echo, GrantType: "client_credentials", Scope: tt.scope})
		if e, ok := errors.AsType[*oauth.Error](err); ok {
			if e.Code != tt.want {
				t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		p, err := d.auth.Authenticate(t.Context(), "Bearer "+token.AccessToken.Reveal())
		if got := strings.Join(token.Scopes, " "); err != nil || got != tt.want || !p.Own || p.User != 200 || token.RefreshToken != "" {
			t.Errorf("%s: %q for %+v, want %q for the owner and no refresh token", tt.name, got, p, tt.want)
		}
	}
}

func TestRefresh(t *testing.T) {
	t.Parallel()
	refresh := func(d *fixture, who oauth.Client, token auth.Secret) (oauth.Token, error) {
		return d.Token(t.Context(), oauth.TokenRequest{Client: who, GrantType: "refresh_token", RefreshToken: token.Reveal()})
	}

	t.Run("rotates both tokens", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		first := d.exchange(t, d.accept(t, 200, params()).Get("code"))
		d.clock.Advance(29 * 24 * time.Hour)
		second, err := refresh(d, echo, first.RefreshToken)
		if err != nil || second.RefreshToken == first.RefreshToken || d.accepts(t, first.AccessToken) || !d.accepts(t, second.AccessToken) {
			t.Fatalf("refresh = %v", err)
		}
		third, err := refresh(d, echo, second.RefreshToken)
		if err != nil || !d.accepts(t, third.AccessToken) {
			t.Fatalf("refresh = %v", err)
		}
	})

	t.Run("a used token ends the grant, however late", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		first := d.exchange(t, d.accept(t, 200, params()).Get("code"))
		other := d.exchange(t, d.accept(t, 200, params()).Get("code"))
		last := first
		for range 5 {
			var err error
			if last, err = refresh(d, echo, last.RefreshToken); err != nil {
				t.Fatal(err)
			}
		}
		_, err := refresh(d, echo, first.RefreshToken)
		refused(t, err, oauth.InvalidGrant, `Invalid "refresh_token" in request`)
		if _, err = refresh(d, echo, last.RefreshToken); d.accepts(t, last.AccessToken) {
			t.Error("the access token is still accepted")
		}
		refused(t, err, oauth.InvalidGrant)
		if !d.accepts(t, other.AccessToken) {
			t.Error("another grant of the same user ended too")
		}
	})

	t.Run("a token of another client changes nothing", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		token := d.exchange(t, d.accept(t, 200, params()).Get("code"))
		_, err := refresh(d, oauth.Client{ID: "101", Secrets: []string{"s2"}}, token.RefreshToken)
		refused(t, err, oauth.InvalidGrant)
		if _, err := refresh(d, echo, token.RefreshToken); err != nil {
			t.Errorf("refresh = %v", err)
		}
	})

	t.Run("invalid tokens are refused", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		for _, s := range []auth.Secret{"", "x", auth.NewRefreshToken(), auth.Secret(strings.Repeat("y", 9999))} {
			_, err := refresh(d, echo, s)
			refused(t, err, oauth.InvalidGrant)
		}
	})
}

// TestRefreshIdle checks that a refresh token expires when it is not used, and that each use starts the time again.
func TestRefreshIdle(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for _, tt := range []struct {
		name string
		idle time.Duration // 0: the default
		wait []time.Duration
		want bool
	}{
		{"a little less than 30 days", 0, []time.Duration{30*day - time.Second}, true},
		{"30 days", 0, []time.Duration{30 * day}, false},
		{"used every 20 days", 0, []time.Duration{20 * day, 20 * day, 20 * day}, true},
		{"a shorter time", time.Hour, []time.Duration{time.Hour}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := open(t)
			d.RefreshIdle = tt.idle
			token := d.exchange(t, d.accept(t, 200, params()).Get("code"))
			var err error
			for _, wait := range tt.wait {
				d.clock.Advance(wait)
				token, err = d.Token(t.Context(), oauth.TokenRequest{Client: echo, GrantType: "refresh_token", RefreshToken: token.RefreshToken.Reveal()})
			}
			if tt.want {
				if err != nil {
					t.Errorf("Token() = %v", err)
				}
				return
			}
			refused(t, err, oauth.InvalidGrant)
		})
	}
}

func TestRevoke(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		who  oauth.Client
		pick func(oauth.Token) string
		ends bool
	}{
		{"by access token", echo, func(k oauth.Token) string { return k.AccessToken.Reveal() }, true},
		{"by refresh token", echo, func(k oauth.Token) string { return k.RefreshToken.Reveal() }, true},
		{"unknown token", echo, func(oauth.Token) string { return "unknown" }, false},
		{"by another client", oauth.Client{ID: "101", Secrets: []string{"s2"}}, func(k oauth.Token) string { return k.RefreshToken.Reveal() }, false},
		{"by a bot token", echo, func(oauth.Token) string { return "bot-echo" }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := open(t)
			mine := []oauth.Token{d.exchange(t, d.accept(t, 200, params()).Get("code")), d.exchange(t, d.accept(t, 200, params()).Get("code"))}
			pending := d.accept(t, 200, params()).Get("code")
			bobs := d.exchange(t, d.accept(t, 201, params()).Get("code"))
			if err := d.Revoke(t.Context(), tt.who, tt.pick(mine[0])); err != nil {
				t.Fatalf("Revoke() = %v", err)
			}
			for _, k := range mine {
				if d.accepts(t, k.AccessToken) == tt.ends {
					t.Errorf("access token accepted: %v", !tt.ends)
				}
				_, err := d.Token(t.Context(), oauth.TokenRequest{Client: echo, GrantType: "refresh_token", RefreshToken: k.RefreshToken.Reveal()})
				if (err == nil) == tt.ends {
					t.Errorf("refresh = %v", err)
				}
			}
			_, err := d.Token(t.Context(), oauth.TokenRequest{Client: echo, GrantType: "authorization_code", Code: pending, RedirectURI: "https://echo.example/cb"})
			if (err == nil) == tt.ends {
				t.Errorf("an unused code: %v", err)
			}
			if !d.accepts(t, bobs.AccessToken) {
				t.Error("another user's token was revoked")
			}
			if _, err := d.auth.Authenticate(t.Context(), "Bot bot-echo"); err != nil {
				t.Errorf("the bot token was revoked: %v", err)
			}
			ask, err := d.ParseAuthorization(t.Context(), params())
			if err != nil {
				t.Fatal(err)
			}
			if was, err := d.Consented(t.Context(), ask, 200); err != nil || was == tt.ends {
				t.Errorf("Consented() = %v, %v", was, err)
			}
		})
	}
	d := open(t)
	refused(t, d.Revoke(t.Context(), oauth.Client{ID: "100"}, "x"), oauth.InvalidClient)
}

func TestGrantLimit(t *testing.T) {
	t.Parallel()
	d := open(t)
	first := d.exchange(t, d.accept(t, 200, params()).Get("code"))
	for range 100 {
		d.clock.Advance(time.Second)
		d.exchange(t, d.accept(t, 200, params()).Get("code"))
	}
	var have []store.Grant
	err := d.db.Read(t.Context(), func(r store.Reader) (err error) {
		have, err = r.Grants.Grants(snowflake.Application(100), 200)
		return err
	})
	if err != nil || len(have) != 100 || d.accepts(t, first.AccessToken) {
		t.Errorf("%d grants (%v), want 100 without the first", len(have), err)
	}
}
