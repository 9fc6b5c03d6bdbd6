package oauth_test

import (
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/oauth"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

func TestParseAuthorization(t *testing.T) {
	t.Parallel()
	d := open(t)
	for _, tt := range []struct {
		name  string
		q     url.Values
		check func(*oauth.AuthorizationRequest) bool
	}{
		{"first redirect when none is given", params("redirect_uri", "-"), func(a *oauth.AuthorizationRequest) bool { return a.RedirectURI == "https://echo.example/cb" }},
		{"scopes once and in order", params("scope", "guilds  identify guilds"), func(a *oauth.AuthorizationRequest) bool {
			return strings.Join(a.Scopes, " ") == "guilds identify"
		}},
		{"default install link", url.Values{"client_id": {"100"}}, func(a *oauth.AuthorizationRequest) bool {
			return a.Response == oauth.NoResponse && a.InGuild() && strings.Join(a.Scopes, " ") == "applications.commands" && a.TypeOpen
		}},
		{"app for users alone", url.Values{"client_id": {"102"}}, func(a *oauth.AuthorizationRequest) bool {
			return a.Type == oauth.UserInstall && !a.TypeOpen && !a.InGuild()
		}},
		{"bot without a response type", params("response_type", "-", "scope", "bot", "permissions", "8"), func(a *oauth.AuthorizationRequest) bool {
			return a.Bot() && a.Response == oauth.NoResponse && a.Permissions == permission.Administrator && !a.TypeOpen
		}},
		{"permissions without a bot", params("permissions", "8"), func(a *oauth.AuthorizationRequest) bool { return a.Permissions == 0 }},
		{"unknown parameters", params("channel_id", "1", "x", "y"), func(*oauth.AuthorizationRequest) bool { return true }},
		{"prompt none", params("prompt", "none"), func(a *oauth.AuthorizationRequest) bool { return a.Silent }},
		{"prompt none with an install", params("prompt", "none", "scope", "identify applications.commands"), func(a *oauth.AuthorizationRequest) bool { return !a.Silent }},
		{"guild that is fixed", params("scope", "bot", "guild_id", "300", "disable_guild_select", "true"), func(a *oauth.AuthorizationRequest) bool { return a.GuildFixed && a.Guild == 300 }},
		{"no guild to be fixed", params("scope", "bot", "disable_guild_select", "true"), func(a *oauth.AuthorizationRequest) bool { return !a.GuildFixed }},
		{"integration type without an install", gameParams("integration_type", "0"), func(a *oauth.AuthorizationRequest) bool { return !a.Installs() }},
		{"deep link with a challenge", gameParams("redirect_uri", "discord-101:/authorize/callback"), func(a *oauth.AuthorizationRequest) bool { return a.RedirectURI != "" }},
	} {
		a, err := d.ParseAuthorization(t.Context(), tt.q)
		if err != nil || !tt.check(a) {
			t.Errorf("%s: %+v, %v", tt.name, a, err)
		}
	}
}

func TestParseAuthorizationErrors(t *testing.T) {
	t.Parallel()
	d := open(t)
	for _, tt := range []struct {
		name string
		q    url.Values
		want string
		back bool // the error has a redirect URL
	}{
		{"client that is no id", params("client_id", "echo"), "invalid_request", false},
		{"unknown client", params("client_id", "999"), "invalid_request", false},
		{"redirect of another client", gameParams("redirect_uri", "https://echo.example/cb"), "invalid_request", false},
		{"empty redirect", params("redirect_uri", ""), "invalid_request", false},
		{"app without redirects", url.Values{"client_id": {"102"}, "response_type": {"code"}, "scope": {"identify"}}, "invalid_request", false},
		{"deep link without a challenge", gameParams("redirect_uri", "discord-101:/authorize/callback", "code_challenge", "-", "code_challenge_method", "-"), "invalid_request", false},
		{"empty response type", params("response_type", ""), "invalid_request", true},
		{"no response type with more than an install", params("response_type", "-", "scope", "bot identify"), "invalid_request", true},
		{"part of an umbrella", params("scope", "lobbies.write"), "invalid_scope", true},
		{"scope out of reach", params("scope", "webhook.incoming"), "invalid_scope", true},
		{"challenge of another length", params("code_challenge", "abc", "code_challenge_method", "S256"), "invalid_request", true},
		{"role connections with a token", params("response_type", "token", "scope", "identify role_connections.write"), "invalid_scope", true},
		{"challenge with a token", params("response_type", "token", "code_challenge", challenge, "code_challenge_method", "S256"), "invalid_request", true},
		{"method in small letters", params("code_challenge", challenge, "code_challenge_method", "s256"), "invalid_request", true},
		{"endless state", params("state", strings.Repeat("x", 2049)), "invalid_request", true},
		{"unknown prompt", params("prompt", "login"), "invalid_request", true},
		{"unknown integration type", params("scope", "applications.commands", "integration_type", "2"), "invalid_request", true},
		{"permissions that are no number", params("scope", "bot", "permissions", "x"), "invalid_request", true},
		{"unknown permissions", params("scope", "bot", "permissions", "18446744073709551615"), "invalid_request", true},
		{"guild that is no id", params("scope", "bot", "guild_id", "lab"), "invalid_request", true},
	} {
		_, err := d.ParseAuthorization(t.Context(), tt.q)
		e, ok := errors.AsType[*oauth.Error](err)
		if !ok || e.Code != tt.want || (e.Redirect != "") != tt.back {
			t.Errorf("%s: %v (redirect to %q), want %s", tt.name, err, e.Redirect, tt.want)
			continue
		}
		if tt.back && !strings.Contains(e.Redirect, "error="+tt.want) {
			t.Errorf("%s: redirect to %s", tt.name, e.Redirect)
		}
	}
}

func TestDecide(t *testing.T) {
	t.Parallel()
	few := permission.SendMessages
	for _, tt := range []struct {
		name   string
		q      url.Values
		choice oauth.Choice
		want   error
		where  snowflake.Guild // 0: for the user
		scopes string
		bits   permission.Bits
	}{
		{"commands alone", params("response_type", "-", "scope", "applications.commands"), oauth.Choice{User: 200, Guild: 300}, nil, 300, "applications.commands", 0},
		{"a bot brings its commands", params("response_type", "-", "scope", "bot", "permissions", "2048"), oauth.Choice{User: 200, Guild: 300}, nil, 300, "applications.commands bot", 2048},
		{"less than was asked for", params("scope", "bot", "permissions", "3072"), oauth.Choice{User: 200, Guild: 300, Permissions: &few}, nil, 300, "applications.commands bot", 2048},
		{"the guild that was asked for", params("scope", "bot", "guild_id", "301"), oauth.Choice{User: 200}, nil, 301, "applications.commands bot", 0},
		{"the account", params("scope", "identify applications.commands", "integration_type", "1"), oauth.Choice{User: 202}, nil, 0, "applications.commands", 0},
		{"no guild", params("scope", "bot"), oauth.Choice{User: 200}, oauth.ErrNoGuild, 0, "", 0},
		{"a guild without the permission", params("scope", "bot"), oauth.Choice{User: 201, Guild: 300}, oauth.ErrMayNotInstall, 300, "", 0},
		{"a guild of others", params("scope", "bot"), oauth.Choice{User: 201, Guild: 301}, directory.ErrHidden, 301, "", 0},
		{"a guild that is nowhere", params("scope", "bot"), oauth.Choice{User: 200, Guild: 999}, directory.ErrHidden, 999, "", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := open(t)
			ask, err := d.ParseAuthorization(t.Context(), tt.q)
			if err != nil {
				t.Fatal(err)
			}
			tt.choice.Accept = true
			out, err := d.Decide(t.Context(), ask, tt.choice)
			if !errors.Is(err, tt.want) || out.Guild != tt.where && tt.want == nil {
				t.Fatalf("Decide() = %+v, %v, want %v", out, err, tt.want)
			}
			if tt.where == 0 && tt.want == nil {
				if in, err := d.Directory.Users.Install(t.Context(), tt.choice.User, 100); err != nil || strings.Join(in.Scopes, " ") != tt.scopes {
					t.Errorf("install %+v, %v", in, err)
				}
				return
			}
			in, err := d.Directory.Guilds.Install(t.Context(), tt.where, 100)
			if (err == nil) != (tt.want == nil) || strings.Join(in.Scopes, " ") != tt.scopes || in.Permissions != tt.bits {
				t.Errorf("install %+v, %v", in, err)
			}
		})
	}
}

func TestDecideKeepsInstalledScopes(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.accept(t, 200, params("scope", "bot identify", "permissions", "2048", "guild_id", "300"))
	d.accept(t, 200, params("scope", "applications.commands identify", "guild_id", "300"))
	in, err := d.Directory.Guilds.Install(t.Context(), 300, 100)
	if err != nil || strings.Join(in.Scopes, " ") != "applications.commands bot" || in.Permissions != permission.SendMessages {
		t.Errorf("install %+v, %v: the scope bot was removed", in, err)
	}
	code := d.accept(t, 200, params("scope", "bot identify", "permissions", "1024", "guild_id", "300"))
	if code.Get("guild_id") != "300" || code.Get("permissions") != "1024" {
		t.Errorf("response %v", code)
	}
	if token := d.exchange(t, code.Get("code")); token.Guild != 300 {
		t.Errorf("token of guild %d, want 300", token.Guild)
	}
	if in, _ = d.Directory.Guilds.Install(t.Context(), 300, 100); in.Permissions != permission.ViewChannel {
		t.Errorf("permissions %d, want the new ones", in.Permissions)
	}
}

func TestImplicit(t *testing.T) {
	t.Parallel()
	d := open(t)
	answer := d.accept(t, 200, params("response_type", "token"))
	if answer.Get("token_type") != "Bearer" || answer.Get("expires_in") != "604800" || answer.Get("scope") != "identify" || answer.Get("state") != "s t+é" ||
		answer.Has("refresh_token") || answer.Has("code") {
		t.Errorf("response %v", answer)
	}
	if !d.accepts(t, auth.Secret(answer.Get("access_token"))) {
		t.Error("the token is not accepted")
	}
	ask, err := d.ParseAuthorization(t.Context(), params("response_type", "token"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = d.Decide(t.Context(), ask, oauth.Choice{User: 200})
	if e, ok := errors.AsType[*oauth.Error](err); !ok || !strings.HasPrefix(e.Redirect, "https://echo.example/cb#error=access_denied&") {
		t.Errorf("declined: %v", err)
	}
}

// TestSilent checks which clients get an answer without consent: those that no other program can pretend to be.
func TestSilent(t *testing.T) {
	t.Parallel()
	d := open(t)
	put(t, d, `{id: "101", name: Game, owner: "201", public_client: true, redirect_uris: ["http://127.0.0.1/callback", "http://127.0.0.1:9000/callback", "discord-101:/authorize/callback", "https://game.example/cb"]}`)
	for _, tt := range []struct {
		name string
		q    url.Values
		want bool
	}{
		{"a client with a secret", params("prompt", "none"), true},
		{"a client with a secret and a loopback address", params("prompt", "none", "redirect_uri", "http://127.0.0.1:5/callback"), true},
		{"a client with a secret, a loopback address and a token", params("prompt", "none", "redirect_uri", "http://127.0.0.1:5/callback", "response_type", "token"), false},
		{"a public client on any port", gameParams("prompt", "none"), false},
		{"a public client on a registered port", gameParams("prompt", "none", "redirect_uri", "http://127.0.0.1:9000/callback"), false},
		{"a public client with a custom scheme", gameParams("prompt", "none", "redirect_uri", "discord-101:/authorize/callback"), false},
		{"a public client with an https address", gameParams("prompt", "none", "redirect_uri", "https://game.example/cb"), true},
	} {
		a, err := d.ParseAuthorization(t.Context(), tt.q)
		if err != nil || a.Silent != tt.want {
			t.Errorf("%s: silent %v, %v, want %v", tt.name, a != nil && a.Silent, err, tt.want)
		}
	}
}

// put writes an application of a world file.
func put(t *testing.T, d *fixture, application string) {
	t.Helper()
	w, err := world.Parse("app.yaml", []byte("users: [{id: \"200\", username: ada}, {id: \"201\", username: bob}]\napplications:\n  - "+application))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.provision().PutApplication(t.Context(), w.Applications[0]); err != nil {
		t.Fatal(err)
	}
}

// TestGrantTypes checks that an application uses only the grant types of its settings.
func TestGrantTypes(t *testing.T) {
	t.Parallel()
	const callback = "https://echo.example/cb"
	uses := map[string]func(*testing.T, *fixture) error{
		"authorization_code": func(t *testing.T, d *fixture) error {
			t.Helper()
			_, err := d.ParseAuthorization(t.Context(), params())
			return err
		},
		"implicit": func(t *testing.T, d *fixture) error {
			t.Helper()
			_, err := d.ParseAuthorization(t.Context(), params("response_type", "token"))
			return err
		},
		"client_credentials": func(t *testing.T, d *fixture) error {
			t.Helper()
			_, err := d.Token(t.Context(), oauth.TokenRequest{Client: echo, GrantType: "client_credentials"})
			return err
		},
		"device_code": func(t *testing.T, d *fixture) error {
			t.Helper()
			_, err := d.AuthorizeDevice(t.Context(), echo, "identify")
			return err
		},
	}
	for _, tt := range []struct{ name, setting, allowed string }{
		{"the default", "", "authorization_code client_credentials device_code"},
		{"codes alone", "grant_types: [authorization_code], ", "authorization_code"},
		{"the implicit grant alone", "grant_types: [implicit], ", "implicit"},
		{"client credentials and devices", "grant_types: [device_code, client_credentials], ", "client_credentials device_code"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := open(t)
			put(t, d, `{id: "100", name: Echo, owner: "200", client_secret: hush, `+tt.setting+`redirect_uris: ["`+callback+`"]}`)
			for grant, use := range uses {
				err := use(t, d)
				if slices.Contains(strings.Fields(tt.allowed), grant) {
					if err != nil {
						t.Errorf("%s: %v", grant, err)
					}
					continue
				}
				refused(t, err, oauth.UnauthorizedClient)
			}
		})
	}
}

// TestGrantTypesOfTokens checks the token endpoint after the settings of an application changed.
func TestGrantTypesOfTokens(t *testing.T) {
	t.Parallel()
	d := open(t)
	token := d.exchange(t, d.accept(t, 200, params()).Get("code"))
	code := d.accept(t, 200, params()).Get("code")
	put(t, d, `{id: "100", name: Echo, owner: "200", grant_types: [authorization_code], redirect_uris: ["https://echo.example/cb"]}`)
	_, err := d.Token(t.Context(), oauth.TokenRequest{Client: echo, GrantType: "refresh_token", RefreshToken: token.RefreshToken.Reveal()})
	refused(t, err, oauth.UnauthorizedClient)
	if got := d.exchange(t, code); got.RefreshToken != "" {
		t.Error("an application without the refresh_token grant got a refresh token")
	}
	put(t, d, `{id: "100", name: Echo, owner: "200", grant_types: [device_code], redirect_uris: ["https://echo.example/cb"]}`)
	_, err = d.Token(t.Context(), oauth.TokenRequest{Client: echo, GrantType: "authorization_code", Code: code, RedirectURI: "https://echo.example/cb"})
	refused(t, err, oauth.UnauthorizedClient)
}

// TestRequirePKCE checks which codes need a challenge.
func TestRequirePKCE(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, setting string
		needed        bool
	}{
		{"a client with a secret", "", false},
		{"a client that requires it", "require_pkce: true, ", true},
		{"a public client", "public_client: true, ", true},
	} {
		d := open(t)
		put(t, d, `{id: "100", name: Echo, owner: "200", `+tt.setting+`redirect_uris: ["https://echo.example/cb"]}`)
		_, err := d.ParseAuthorization(t.Context(), params())
		if (err != nil) != tt.needed {
			t.Errorf("%s without a challenge: %v", tt.name, err)
		}
		if _, err := d.ParseAuthorization(t.Context(), params("code_challenge", challenge, "code_challenge_method", "S256")); err != nil {
			t.Errorf("%s with a challenge: %v", tt.name, err)
		}
	}
}

func TestConsented(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.accept(t, 201, gameParams())
	for _, tt := range []struct {
		name string
		user snowflake.User
		q    url.Values
		want bool
	}{
		{"the same", 201, gameParams(), true},
		{"included scopes", 201, gameParams("scope", "identify guilds"), true},
		{"more", 201, gameParams("scope", "identify email"), false},
		{"another user", 200, gameParams(), false},
		{"another app", 201, params(), false},
	} {
		ask, err := d.ParseAuthorization(t.Context(), tt.q)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := d.Consented(t.Context(), ask, tt.user); err != nil || got != tt.want {
			t.Errorf("%s: Consented() = %v, %v", tt.name, got, err)
		}
	}
}
