package v10_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
)

// lobbyWith waits until a lobby has a member, and returns the lobby.
func (a checkedClient) lobbyWith(t *testing.T, lobby, member string) string {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); ; clock.Pause(t.Context(), 5*time.Millisecond) {
		got := a.service.ask(t, "anonymous", http.MethodGet, "/api/v10/lobbies/"+lobby, "", "Authorization", "Bot bot-portal").body
		if strings.Contains(got, `{"id":"`+member+`"`) {
			return got
		}
		if time.Now().After(end) {
			t.Fatalf("user %s does not become a member, the lobby is %s", member, got)
		}
	}
}

// named signs in a player whom the application names, and returns the answer and the user.
func (a checkedClient) named(t *testing.T, player string) (token, user string) {
	t.Helper()
	made := a.ask(t, "anonymous", http.MethodPost, "/api/v10/partner-sdk/token/bot", `{"external_user_id":"`+player+`"}`, "Authorization", "Bot bot-portal")
	token = made["access_token"].(string)
	return token, a.bearer(t, "/api/v10/users/@me", token)["id"].(string)
}

// code returns an authorization code of a user.
func (a checkedClient) code(t *testing.T, as string) string {
	t.Helper()
	asks := strings.Replace(portalAsks, "openid+identify+email", "openid+sdk.social_layer", 1)
	back, err := url.Parse(a.ask(t, as, http.MethodPost, "/api/v10/oauth2/authorize"+asks, `{"authorize":true}`)["url"].(string))
	if err != nil {
		t.Fatal(err)
	}
	return back.Query().Get("code")
}

// exchange exchanges a code and merges a player.
func (a checkedClient) exchange(t *testing.T, code, kind, proof string) answer {
	t.Helper()
	got := a.service.ask(t, "anonymous", http.MethodPost, "/api/v10/oauth2/token", formOf("grant_type", "authorization_code", "client_id", portal,
		"code", code, "redirect_uri", "http://127.0.0.1:4711/callback", "code_verifier", verifier, "external_auth_type", kind, "external_auth_token", proof),
		"Content-Type", "application/x-www-form-urlencoded")
	a.described.check(t, http.MethodPost, "/api/v10/oauth2/token", got)
	return got
}

// players merges a provisional account with a user and takes both apart again.
func players(t *testing.T, met *coverage) {
	t.Helper()
	const ada, bob = "700000000000000001", "700000000000000002"
	d := open(t)
	addPortal(t, d)
	a := checkedClient{d, describe(t, d, met)}
	token, made := a.named(t, "p-1")
	lobby := a.ask(t, "anonymous", http.MethodPut, "/api/v10/lobbies", `{"secret":"round","member_metadata":{"team":"red"}}`, "Authorization", "Bearer "+token)["id"].(string)

	code := a.code(t, "person")
	for _, wrong := range [][3]string{
		{"DISCORD_BOT_ISSUED_ACCESS_TOKEN", "nothing", `"code":50025`}, {"CARDS", "x", `"code":50035`}, {"OIDC", "valid p", `"code":50025`},
	} {
		if got := a.exchange(t, code, wrong[0], wrong[1]); !strings.Contains(got.body, wrong[2]) {
			t.Errorf("merge with %s %s: %d %s, want %s", wrong[0], wrong[1], got.status, got.body, wrong[2])
		}
	}
	if got := a.exchange(t, code, "DISCORD_BOT_ISSUED_ACCESS_TOKEN", token); got.status != http.StatusOK {
		t.Fatalf("merge: %d %s", got.status, got.body)
	}
	if got := a.lobbyWith(t, lobby, ada); strings.Contains(got, made) || !strings.Contains(got, `"team":"red"`) {
		t.Errorf("after the merge the lobby is %s", got)
	}
	if got := d.ask(t, "anonymous", http.MethodGet, "/api/v10/users/@me", "", "Authorization", "Bearer "+token); got.status != http.StatusUnauthorized {
		t.Errorf("the token of the merged account: %d", got.status)
	}
	again := d.ask(t, "anonymous", http.MethodPost, "/api/v10/partner-sdk/token/bot", `{"external_user_id":"p-1"}`, "Authorization", "Bot bot-portal")
	a.described.check(t, http.MethodPost, "/api/v10/partner-sdk/token/bot", again)
	if want := `"code":530010,"user_id":"` + ada + `","provider_type":"DISCORD_BOT","provider_id":null,"provider_issued_user_id":"p-1"`; !strings.Contains(again.body, want) {
		t.Errorf("a merged player signs in: %d %s, want %s", again.status, again.body, want)
	}
	second, _ := a.named(t, "p-2")
	if got := a.exchange(t, a.code(t, "person"), "DISCORD_BOT_ISSUED_ACCESS_TOKEN", second); !strings.Contains(got.body, `"code":530023`) {
		t.Errorf("a second merge: %d %s, want 530023", got.status, got.body)
	}
	unmerge := d.ask(t, "anonymous", http.MethodPost, "/api/v10/partner-sdk/provisional-accounts/unmerge/bot", `{"external_user_id":"p-1"}`, "Authorization", "Bot bot-portal")
	a.described.check(t, http.MethodPost, "/api/v10/partner-sdk/provisional-accounts/unmerge/bot", unmerge)
	if unmerge.status != http.StatusNoContent {
		t.Fatalf("unmerge: %d %s", unmerge.status, unmerge.body)
	}
	_, next := a.named(t, "p-1")
	if next == made || next == ada {
		t.Errorf("after the unmerge the player is user %s, as before", next)
	}
	if got := a.lobbyWith(t, lobby, next); strings.Contains(got, ada) {
		t.Errorf("after the unmerge the lobby is %s", got)
	}

	// A player of a provider links the account at once, and unmerges with an ID token.
	const proof = `{"client_id":"1300000000000000003","client_secret":"s3","external_auth_type":"OIDC","external_auth_token":"valid p-3"}`
	set := a.described
	if got := d.ask(t, "admin", http.MethodPut, "/admin/v1/applications/"+portal, `{"name":"Portal","owner":"`+ada+`","public_client":true,"integration_types":[0,1],
		"redirect_uris":["http://127.0.0.1/callback"],"provisional_accounts":{"issuer":"https://id.example.com","client_id":"game"}}`); got.status != http.StatusOK {
		t.Fatal(got.body)
	}
	if got := a.exchange(t, a.code(t, "bob"), "OIDC", "valid p-3"); got.status != http.StatusOK {
		t.Fatalf("merge with an ID token: %d %s", got.status, got.body)
	}
	got := d.ask(t, "anonymous", http.MethodPost, "/api/v10/partner-sdk/provisional-accounts/unmerge", strings.NewReplacer("1300000000000000003", portal, "s3", "s9").Replace(proof))
	set.check(t, http.MethodPost, "/api/v10/partner-sdk/provisional-accounts/unmerge", got)
	if got.status != http.StatusNoContent {
		t.Errorf("unmerge with an ID token: %d %s", got.status, got.body)
	}
	if got := d.ask(t, "bob", http.MethodGet, "/api/v10/users/"+bob, ""); got.status != http.StatusOK {
		t.Errorf("the user after the unmerge: %d", got.status)
	}
}
