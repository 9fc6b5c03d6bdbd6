package signin_test

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/authorization"
	"github.com/zitadel/oidc/v3/pkg/client/rp"
	"github.com/zitadel/oidc/v3/pkg/oidc"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

// token sends a request to the token endpoint and returns the response.
func (s *service) token(t *testing.T, form url.Values, status int) map[string]any {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.api("/oauth2/token"), strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var answer map[string]any
	if err := json.Unmarshal(data, &answer); err != nil || resp.StatusCode != status {
		t.Fatalf("token endpoint: %s, %s, want %d", resp.Status, data, status)
	}
	return answer
}

// TestClients completes every grant with independent clients.
func TestClients(t *testing.T) {
	t.Parallel()
	s := start(t)
	t.Run("x/oauth2 exchanges a code and refreshes", func(t *testing.T) { byOAuth2(t, s) })
	t.Run("x/oauth2 gets a client-credentials token", func(t *testing.T) { clientCredentialsByOAuth2(t, s) })
	t.Run("x/oauth2 waits as a device", func(t *testing.T) { deviceByOAuth2(t, s) })
	t.Run("zitadel/oidc signs in, refreshes and revokes", func(t *testing.T) { byRelyingParty(t, s) })
	t.Run("authorization signs in, refreshes and revokes", func(t *testing.T) { byAuthorizationPackage(t, s) })
	t.Run("examples/signin", func(t *testing.T) { bySigninExample(t, s) })
}

func (s *service) oauth2(scopes ...string) *oauth2.Config {
	return &oauth2.Config{
		ClientID: echo, ClientSecret: secret, RedirectURL: "http://127.0.0.1:4711/callback", Scopes: scopes,
		Endpoint: oauth2.Endpoint{
			AuthURL: s.origin + "/oauth2/authorize", TokenURL: s.origin + "/api/oauth2/token",
			DeviceAuthURL: s.origin + "/api/oauth2/device/authorize",
		},
	}
}

func byOAuth2(t *testing.T, s *service) {
	for _, style := range []oauth2.AuthStyle{oauth2.AuthStyleInHeader, oauth2.AuthStyleInParams} {
		c := s.oauth2("identify", "email")
		c.Endpoint.AuthStyle = style
		verifier := oauth2.GenerateVerifier()
		back := s.consent(t, "e2e-ada", c.AuthCodeURL("state", oauth2.S256ChallengeOption(verifier)), "")
		token, err := c.Exchange(t.Context(), back.Query().Get("code"), oauth2.VerifierOption(verifier))
		if err != nil {
			t.Fatal(err)
		}
		if left := time.Until(token.Expiry); left < 6*24*time.Hour || token.Extra("scope") != "identify email" {
			t.Errorf("token for %v with %v", left, token.Extra("scope"))
		}
		if status := s.call(t, http.MethodGet, "/users/@me", "Bearer "+token.AccessToken, "", nil); status != http.StatusOK {
			t.Errorf("users/@me: %d", status)
		}
		old := token.AccessToken
		token.Expiry = time.Now().Add(-time.Minute)
		fresh, err := c.TokenSource(t.Context(), token).Token()
		if err != nil || fresh.AccessToken == old {
			t.Fatalf("refresh: %v", err)
		}
		_, err = c.TokenSource(t.Context(), token).Token() // the refresh token was used
		if failed, ok := errors.AsType[*oauth2.RetrieveError](err); !ok || failed.ErrorCode != "invalid_grant" {
			t.Errorf("second refresh: %v, want invalid_grant", err)
		}
	}
}

func clientCredentialsByOAuth2(t *testing.T, s *service) {
	c := clientcredentials.Config{
		ClientID: echo, ClientSecret: secret, TokenURL: s.api("/oauth2/token"), Scopes: []string{"applications.commands.update"},
	}
	token, err := c.Token(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	bearer := "Bearer " + token.AccessToken
	if status := s.call(t, http.MethodPost, "/applications/"+echo+"/commands", bearer, `{"name":"ping","description":"Ping"}`, nil); status != http.StatusCreated {
		t.Errorf("create a command: %d, want 201", status)
	}
	if status := s.call(t, http.MethodGet, "/applications/"+game+"/commands", bearer, "", nil); status != http.StatusForbidden {
		t.Errorf("commands of another application: %d, want 403", status)
	}
	c.ClientSecret = "guess"
	_, err = c.Token(t.Context())
	if failed, ok := errors.AsType[*oauth2.RetrieveError](err); !ok || failed.ErrorCode != "invalid_client" {
		t.Errorf("wrong secret: %v", err)
	}
}

// approve signs a user in on the pages and approves a device, without a browser.
func (s *service) approve(t *testing.T, userCode string) {
	t.Helper()
	pages := s.pageClient(t)
	pages.send(t, "/oauth2/signin", "/oauth2/signin", "token", "e2e-bob")
	page := pages.send(t, "/oauth2/device?user_code="+userCode, "/oauth2/device", "user_code", userCode, "decision", "accept")
	if !strings.Contains(page, "The device is signed in") {
		t.Errorf("allow a device: %s", page)
	}
}

func deviceByOAuth2(t *testing.T, s *service) {
	c := s.oauth2("identify")
	c.ClientID, c.ClientSecret = game, "" // the library sends no secret here
	waiting, err := c.DeviceAuth(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.approve(t, waiting.UserCode)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	token, err := c.DeviceAccessToken(ctx, waiting)
	if err != nil || token.RefreshToken == "" {
		t.Errorf("DeviceAccessToken() = %v", err)
	}
}

func byRelyingParty(t *testing.T, s *service) {
	party, err := rp.NewRelyingPartyOIDC(t.Context(), s.origin, game, "", "http://127.0.0.1:4711/callback",
		[]string{"openid", "identify"}, rp.WithSigningAlgsFromDiscovery(),
		rp.WithVerifierOpts(rp.WithNonce(func(context.Context) string { return "n-once" })))
	if err != nil {
		t.Fatal(err)
	}
	verifier := rand.Text() + rand.Text()
	page := rp.AuthURL("state", party, rp.WithCodeChallenge(oidc.NewSHACodeChallenge(verifier)), rp.AuthURLOpt(rp.WithURLParam("nonce", "n-once")))
	code := s.consent(t, "e2e-bob", page, "").Query().Get("code")
	tokens, err := rp.CodeExchange[*oidc.IDTokenClaims](t.Context(), code, party, rp.WithCodeVerifier(verifier))
	if err != nil {
		t.Fatal(err)
	}
	if tokens.IDTokenClaims.Subject != bob || tokens.IDTokenClaims.Nonce != "n-once" {
		t.Errorf("claims %+v", tokens.IDTokenClaims)
	}
	info, err := rp.Userinfo[*oidc.UserInfo](t.Context(), tokens.AccessToken, "Bearer", bob, party)
	if err != nil || info.PreferredUsername != "bob" || info.Nickname != "Bob" {
		t.Errorf("Userinfo() = %+v, %v", info, err)
	}
	fresh, err := rp.RefreshTokens[*oidc.IDTokenClaims](t.Context(), party, tokens.RefreshToken, "", "")
	if err != nil && !errors.Is(err, rp.ErrMissingIDToken) {
		t.Fatal(err)
	}
	if fresh == nil {
		return
	}
	if err := rp.RevokeToken(t.Context(), party, fresh.AccessToken, "access_token"); err != nil {
		t.Errorf("RevokeToken() = %v", err)
	}
	if status := s.call(t, http.MethodGet, "/oauth2/@me", "Bearer "+fresh.AccessToken, "", nil); status != http.StatusUnauthorized {
		t.Errorf("revoked: %d", status)
	}

	// The library rejects an ID token with another nonce.
	page = rp.AuthURL("state", party, rp.WithCodeChallenge(oidc.NewSHACodeChallenge(verifier)), rp.AuthURLOpt(rp.WithURLParam("nonce", "other")))
	code = s.consent(t, "e2e-bob", page, "").Query().Get("code")
	if _, err := rp.CodeExchange[*oidc.IDTokenClaims](t.Context(), code, party, rp.WithCodeVerifier(verifier)); err == nil {
		t.Error("an ID token with another nonce was accepted")
	}
}

func byAuthorizationPackage(t *testing.T, s *service) {
	client := s.client(func(ctx context.Context, page string) error {
		back := s.consent(t, "e2e-bob", page, "")
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, back.String(), nil)
		if err != nil {
			return err
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		return resp.Body.Close()
	})
	verifier := client.NewCodeVerifier()
	args := authorization.NewArgs()
	args.SetScopes(client.DefaultPresenceScopes())
	args.SetCodeChallenge(verifier.Challenge())
	args.SetNonce("n")
	args.SetIntegrationType(authorization.GuildInstall)
	grant, err := client.Authorize(t.Context(), args)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Exchange(t.Context(), grant, client.NewCodeVerifier()); err == nil {
		t.Error("a code was exchanged with another verifier")
	}
	token, err := client.Exchange(t.Context(), grant, verifier)
	if err != nil || token.Scopes != "openid sdk.social_layer_presence" || token.ExpiresIn != 7*24*time.Hour || token.IDToken == "" {
		t.Fatalf("Exchange() = %+v, %v", token, err)
	}
	fresh, err := client.Refresh(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Revoke(t.Context(), fresh); err != nil {
		t.Error(err)
	}
	if _, err := client.Refresh(t.Context(), fresh); err == nil {
		t.Error("a revoked token was refreshed")
	}
}

// bySigninExample runs examples/signin and opens the address that it prints.
func bySigninExample(t *testing.T, s *service) {
	binary := filepath.Join(t.TempDir(), "signin")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "./examples/signin")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	for _, tt := range []struct {
		name  string
		flags []string
		want  string
	}{
		{"by browser", []string{"--print", "--refresh", "--revoke"}, "signed in as \"bob\" with openid sdk.social_layer for 168h0m0s\nrevoked\n"},
		{"by device", []string{"--device"}, "signed in as \"bob\" with openid sdk.social_layer for 168h0m0s\n"},
	} {
		cmd := exec.CommandContext(t.Context(), binary,
			append([]string{"--app", game, "--api-base", s.origin + "/api/v10", "--web-base", s.origin}, tt.flags...)...)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		var printed strings.Builder
		for lines := bufio.NewScanner(out); lines.Scan(); {
			words := strings.Fields(lines.Text())
			switch {
			case words[0] != "open":
				printed.WriteString(lines.Text() + "\n")
			case strings.Contains(words[1], "/oauth2/device"):
				s.approve(t, words[len(words)-1])
			default:
				s.follow(t, s.consent(t, "e2e-bob", words[1], ""))
			}
		}
		if err := cmd.Wait(); err != nil || printed.String() != tt.want {
			t.Errorf("%s: %v, %q, want %q", tt.name, err, printed.String(), tt.want)
		}
	}
}

// follow opens an address and follows redirects like a browser.
func (s *service) follow(t *testing.T, to *url.URL) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, to.String(), nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if err := resp.Body.Close(); err != nil {
		t.Error(err)
	}
}
