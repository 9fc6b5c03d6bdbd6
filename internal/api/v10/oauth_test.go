package v10_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/world"
)

// portal is an application with redirect URIs, a public client.
const portal = "1300000000000000009"

// Verifier and challenge of RFC 7636, appendix B.
const (
	verifier  = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
	challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
)

const portalAsks = "?client_id=" + portal + "&response_type=code&scope=openid+identify+email&redirect_uri=http%3A%2F%2F127.0.0.1%3A4711%2Fcallback" +
	"&state=x&nonce=n&code_challenge=" + challenge + "&code_challenge_method=S256"

// addPortal adds the application.
func addPortal(t *testing.T, d *service) {
	t.Helper()
	_, err := d.dev.Provision.PutApplication(t.Context(), world.Application{
		ID: 1300000000000000009, Name: "Portal", Owner: 700000000000000001, BotToken: "bot-portal", ClientSecret: "s9", PublicClient: true,
		IntegrationTypes: []int{0, 1}, RedirectURIs: []string{"http://127.0.0.1/callback", "https://portal.example/cb"},
	})
	if err != nil {
		t.Fatal(err)
	}
}

// checkedClient sends requests and checks each response against /openapi.json.
type checkedClient struct {
	*service

	described *description
}

func (a checkedClient) ask(t *testing.T, as, method, path, body string, headers ...string) map[string]any {
	t.Helper()
	got := a.service.ask(t, as, method, path, body, headers...)
	a.described.check(t, method, path, got)
	if got.status != http.StatusOK {
		t.Fatalf("%s %s answers %d: %s", method, path, got.status, got.body)
	}
	var answer map[string]any
	if err := json.Unmarshal([]byte(got.body), &answer); err != nil {
		t.Fatal(err)
	}
	return answer
}

// form posts a form.
func (a checkedClient) form(t *testing.T, path string, pairs ...string) map[string]any {
	t.Helper()
	return a.ask(t, "anonymous", http.MethodPost, path, formOf(pairs...), "Content-Type", "application/x-www-form-urlencoded")
}

func formOf(pairs ...string) string {
	values := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		values.Set(pairs[i], pairs[i+1])
	}
	return values.Encode()
}

// bearer sends a GET with an access token.
func (a checkedClient) bearer(t *testing.T, path, token string) map[string]any {
	t.Helper()
	return a.ask(t, "anonymous", http.MethodGet, path, "", "Authorization", "Bearer "+token)
}

// authorizations sends all OAuth2 requests of a client.
func authorizations(t *testing.T, met *coverage) {
	t.Helper()
	d := open(t)
	addPortal(t, d)
	a := checkedClient{d, describe(t, d, met)}

	preview := a.ask(t, "person", http.MethodGet, "/api/v10/oauth2/authorize"+portalAsks, "")
	if preview["authorized"] != false || preview["redirect_uri"] != "http://127.0.0.1:4711/callback" {
		t.Errorf("preview %v", preview)
	}
	page := d.ask(t, "anonymous", http.MethodGet, "/api/v10/oauth2/authorize"+portalAsks, "")
	a.described.check(t, http.MethodGet, "/api/v10/oauth2/authorize", page)
	if page.status != http.StatusFound || page.header.Get("Location") != "/oauth2/authorize"+portalAsks {
		t.Errorf("without a token: %d to %s, want the consent page", page.status, page.header.Get("Location"))
	}

	back, err := url.Parse(a.ask(t, "person", http.MethodPost, "/api/v10/oauth2/authorize"+portalAsks, `{"authorize":true}`)["url"].(string))
	if err != nil || back.Query().Get("state") != "x" || back.Query().Get("iss") != "https://bellhop.example" {
		t.Fatalf("redirect to %v, %v", back, err)
	}
	token := a.form(t, "/api/v10/oauth2/token", "grant_type", "authorization_code", "client_id", portal,
		"code", back.Query().Get("code"), "redirect_uri", "http://127.0.0.1:4711/callback", "code_verifier", verifier)
	if token["scope"] != "openid identify email" || token["id_token"] == nil || token["expires_in"] != 604800.0 || token["token_type"] != "Bearer" {
		t.Errorf("token %v", token)
	}
	access := token["access_token"].(string)
	me := a.bearer(t, "/api/v10/oauth2/@me", access)
	if user, ok := me["user"].(map[string]any); !ok || user["username"] != "ada" || me["expires"] != "2026-05-08T12:00:00.000000+00:00" {
		t.Errorf("@me %v", me)
	}
	info := a.bearer(t, "/api/v10/oauth2/userinfo", access)
	if info["sub"] != "700000000000000001" || info["preferred_username"] != "ada" || info["email"] != nil || info["email_verified"] != false {
		t.Errorf("userinfo %v", info)
	}
	state := a.form(t, "/api/v10/oauth2/token/introspect", "client_id", portal, "client_secret", "s9", "token", access)
	if state["active"] != true || state["sub"] != "700000000000000001" || state["scope"] != "openid identify email" {
		t.Errorf("introspection %v", state)
	}
	next := a.form(t, "/api/oauth2/token", "grant_type", "refresh_token", "client_id", portal, "refresh_token", token["refresh_token"].(string))
	if next["id_token"] != nil || next["access_token"] == access {
		t.Errorf("refreshed %v", next)
	}
	a.form(t, "/api/v10/oauth2/token/revoke", "client_id", portal, "token", next["refresh_token"].(string))
	if got := d.ask(t, "anonymous", http.MethodGet, "/api/v10/oauth2/@me", "", "Authorization", "Bearer "+next["access_token"].(string)); got.status != http.StatusUnauthorized {
		t.Errorf("revoked token: %d", got.status)
	}

	device := a.form(t, "/api/v10/oauth2/device/authorize", "client_id", portal, "scope", "identify")
	if device["verification_uri"] != "https://bellhop.example/oauth2/device" || device["interval"] != 5.0 || device["expires_in"] != 300.0 {
		t.Errorf("device %v", device)
	}
	if keys := a.ask(t, "anonymous", http.MethodGet, "/api/v10/oauth2/keys", "")["keys"].([]any); len(keys) != 1 {
		t.Errorf("%d keys, want 1", len(keys))
	}
	for _, path := range []string{"/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"} {
		found := a.ask(t, "anonymous", http.MethodGet, path, "")
		if found["issuer"] != "https://bellhop.example" || found["token_endpoint"] != "https://bellhop.example/api/oauth2/token" {
			t.Errorf("%s: %v", path, found)
		}
	}
}

func TestTokenByBasic(t *testing.T) {
	t.Parallel()
	d := open(t)
	const body = "grant_type=client_credentials&scope=applications.commands.update"
	for _, tt := range []struct {
		name, id, secret, more string
		status                 int
	}{
		{"right", portal, "s9", "", 200},
		{"the same in the form", portal, "s9", "&client_id=" + portal + "&client_secret=s9", 200},
		{"another secret in the form", portal, "s9", "&client_secret=s8", 401},
		{"another client in the form", portal, "s9", "&client_id=1300000000000000001", 401},
		{"wrong secret", portal, "s8", "", 401},
		{"no secret", portal, "", "", 401},
	} {
		addPortal(t, d)
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "/api/v10/oauth2/token", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.SetBasicAuth(tt.id, tt.secret)
		got := d.ask(t, "anonymous", http.MethodPost, "/api/v10/oauth2/token", body+tt.more,
			"Content-Type", "application/x-www-form-urlencoded", "Authorization", req.Header.Get("Authorization"))
		if got.status != tt.status || got.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d %s, want %d", tt.name, got.status, got.body, tt.status)
		}
		if challenged := got.header.Get("Www-Authenticate") != ""; challenged != (tt.status == 401) {
			t.Errorf("%s: challenge %v", tt.name, challenged)
		}
	}
}
