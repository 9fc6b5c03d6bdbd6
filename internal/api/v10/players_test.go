package v10_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/go-json-experiment/json"
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

// TestPlayersBelongToOneApplication checks that an application reaches no player of another one: the same name is another player, and
// neither tokens nor merges nor unmerges cross.
func TestPlayersBelongToOneApplication(t *testing.T) {
	t.Parallel()
	const ada = "700000000000000001"
	d := open(t)
	addPortal(t, d)
	a := checkedClient{d, describe(t, d, &coverage{})}
	portalToken, portalUser := a.named(t, "p-1")
	made := a.ask(t, "game", http.MethodPost, "/api/v10/partner-sdk/token/bot", `{"external_user_id":"p-1"}`)
	gameToken := made["access_token"].(string)
	if user := a.bearer(t, "/api/v10/users/@me", gameToken)["id"]; user == portalUser {
		t.Errorf("both applications sign in user %s", user)
	}
	lobby := strings.Split(d.ask(t, "game", http.MethodPost, "/api/v10/lobbies", `{}`).body, `"`)[3]
	for _, tt := range []struct{ method, path, body string }{
		{http.MethodGet, "/api/v10/lobbies/" + lobby, ""},
		{http.MethodPost, "/api/v10/lobbies/" + lobby + "/messages", `{"content":"hi"}`},
		{http.MethodGet, "/api/v10/applications/1300000000000000003/entitlements", ""},
		{http.MethodGet, "/api/v10/users/@me/applications/1300000000000000003/entitlements", ""},
		{http.MethodPut, "/api/v10/users/@me/applications/1300000000000000003/role-connection", `{}`},
	} {
		if got := d.ask(t, "anonymous", tt.method, tt.path, tt.body, "Authorization", "Bearer "+portalToken); got.status/100 != 4 {
			t.Errorf("a player of another application: %s %s: %d %s", tt.method, tt.path, got.status, got.body)
		}
	}
	code := a.code(t, "person")
	if got := a.exchange(t, code, "DISCORD_BOT_ISSUED_ACCESS_TOKEN", gameToken); !strings.Contains(got.body, `"code":50025`) {
		t.Errorf("a merge with the player of another application: %d %s, want 50025", got.status, got.body)
	}
	if got := a.exchange(t, code, "DISCORD_BOT_ISSUED_ACCESS_TOKEN", portalToken); got.status != http.StatusOK {
		t.Fatalf("a merge: %d %s", got.status, got.body)
	}
	unmerge := d.ask(t, "game", http.MethodPost, "/api/v10/partner-sdk/provisional-accounts/unmerge/bot", `{"external_user_id":"p-1"}`)
	if unmerge.status/100 != 4 {
		t.Errorf("another application takes the accounts apart: %d %s", unmerge.status, unmerge.body)
	}
	if got := d.ask(t, "anonymous", http.MethodPost, "/api/v10/partner-sdk/token/bot", `{"external_user_id":"p-1"}`, "Authorization", "Bot bot-portal"); !strings.Contains(got.body, `"user_id":"`+ada+`"`) {
		t.Errorf("the player is merged no longer: %d %s", got.status, got.body)
	}
}

// TestMergeByDevice merges a provisional account with the account of a user who signs a device in. The account page shows the
// account in the game, and takes both apart.
func TestMergeByDevice(t *testing.T) {
	t.Parallel()
	d := open(t)
	addPortal(t, d)
	form := func(path string, pairs ...string) map[string]any {
		t.Helper()
		got := d.ask(t, "anonymous", http.MethodPost, path, formOf(pairs...), "Content-Type", "application/x-www-form-urlencoded")
		var object map[string]any
		if err := json.Unmarshal([]byte(got.body), &object); err != nil || got.status != http.StatusOK {
			t.Fatalf("%s: %d %s, %v", path, got.status, got.body, err)
		}
		return object
	}
	signIn := func() answer {
		t.Helper()
		return d.ask(t, "anonymous", http.MethodPost, "/api/v10/partner-sdk/token/bot", `{"external_user_id":"p-1"}`, "Authorization", "Bot bot-portal")
	}
	var player struct {
		Token string `json:"access_token"`
	}
	if err := json.Unmarshal([]byte(signIn().body), &player); err != nil {
		t.Fatal(err)
	}
	device := form("/api/v10/oauth2/device/authorize", "client_id", portal, "scope", "sdk.social_layer")
	b := &browser{service: d}
	b.send(t, b.visit(t, http.MethodGet, "/oauth2/signin", "", http.StatusOK), "/oauth2/signin", "user=700000000000000001&next=%2F", http.StatusOK)
	if page := b.visit(t, http.MethodGet, "/oauth2/account", "", http.StatusOK); strings.Contains(page.body, "Accounts in games") {
		t.Errorf("the page shows accounts in games before the merge: %s", page.body)
	}
	b.send(t, b.visit(t, http.MethodGet, "/oauth2/device", "", http.StatusOK), "/oauth2/device", "decision=accept&user_code="+device["user_code"].(string), http.StatusOK)
	form("/api/v10/oauth2/token", "grant_type", "urn:ietf:params:oauth:grant-type:device_code", "client_id", portal, "device_code", device["device_code"].(string),
		"external_auth_type", "DISCORD_BOT_ISSUED_ACCESS_TOKEN", "external_auth_token", player.Token)
	if got := signIn(); !strings.Contains(got.body, `"code":530010,"user_id":"700000000000000001"`) {
		t.Errorf("the merged player signs in: %d %s, want 530010", got.status, got.body)
	}
	page := b.visit(t, http.MethodGet, "/oauth2/account", "", http.StatusOK)
	if !strings.Contains(page.body, "Accounts in games") || !strings.Contains(page.body, "named by the game") || !strings.Contains(page.body, `aria-label="Unlink Portal"`) {
		t.Errorf("the page does not show the account in the game: %s", page.body)
	}
	done := b.send(t, page, "/oauth2/account", "player="+portal, http.StatusOK)
	if !strings.Contains(done.body, "The account in the game is on its own again.") || strings.Contains(done.body, "Accounts in games") {
		t.Errorf("after the accounts were taken apart the page is %s", done.body)
	}
	if got := signIn(); got.status != http.StatusOK {
		t.Errorf("the player signs in again: %d %s", got.status, got.body)
	}
}
