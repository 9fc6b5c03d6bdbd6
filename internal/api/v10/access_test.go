package v10_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/api/admin"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/ratelimit"
)

// TestAccess calls every route that reads the directory as every kind of caller.
func TestAccess(t *testing.T) {
	t.Parallel()
	d := open(t)
	callers := []string{"bot", "person", "signed", "mail", "client", "admin", "anonymous"}
	for _, tt := range []struct {
		method, path, body string
		want               [7]int // by callers
	}{
		{"GET", "/users/@me", "", [7]int{200, 200, 200, 200, 403, 401, 401}},
		{"GET", "/users/700000000000000002", "", [7]int{200, 200, 403, 403, 403, 401, 401}},
		{"GET", "/users/@me/guilds", "", [7]int{200, 200, 403, 200, 403, 401, 401}},
		{"GET", "/users/@me/channels", "", [7]int{403, 200, 403, 403, 403, 401, 401}},
		{"POST", "/users/@me/channels", `{"recipient_id":"700000000000000002"}`, [7]int{200, 200, 401, 401, 401, 401, 401}},
		{"GET", "/applications/@me", "", [7]int{200, 403, 403, 403, 403, 401, 401}},
		{"GET", "/oauth2/applications/@me", "", [7]int{200, 403, 403, 403, 403, 401, 401}},
		{"PATCH", "/applications/@me", `{}`, [7]int{200, 403, 403, 403, 403, 401, 401}},
		{"GET", "/guilds/900000000000000001", "", [7]int{200, 200, 403, 403, 403, 401, 401}},
		{"GET", "/guilds/900000000000000001/channels", "", [7]int{200, 200, 403, 403, 403, 401, 401}},
		{"GET", "/guilds/900000000000000001/roles", "", [7]int{200, 200, 403, 403, 403, 401, 401}},
		{"GET", "/guilds/900000000000000001/roles/900000000000000001", "", [7]int{200, 200, 403, 403, 403, 401, 401}},
		{"GET", "/guilds/900000000000000001/members", "", [7]int{403, 200, 403, 403, 403, 401, 401}},
		{"GET", "/guilds/900000000000000001/members/search?query=a", "", [7]int{200, 200, 403, 403, 403, 401, 401}},
		{"GET", "/guilds/900000000000000001/members/700000000000000001", "", [7]int{200, 200, 403, 403, 403, 401, 401}},
		{"GET", "/channels/900000000000000010", "", [7]int{200, 200, 401, 401, 401, 401, 401}},
	} {
		for i, as := range callers {
			if got := d.ask(t, as, tt.method, "/api/v10"+tt.path, tt.body); got.status != tt.want[i] {
				t.Errorf("%s %s as %s: %d, want %d: %s", tt.method, tt.path, as, got.status, tt.want[i], got.body)
			}
		}
	}
}

// TestAdminAccess calls every route of the admin API without the operator's token.
func TestAdminAccess(t *testing.T) {
	t.Parallel()
	d := open(t)
	called := 0
	for path, item := range describe(t, d, nil).doc.Paths.Map() {
		if !strings.HasPrefix(path, "/admin/") {
			continue
		}
		path = strings.NewReplacer("{", "", "}", "").Replace(path)
		for method := range item.Operations() {
			called++
			for _, as := range []string{"bot", "person", "signed", "mail", "client", "anonymous"} {
				if got := d.ask(t, as, method, path, ""); got.status != http.StatusUnauthorized {
					t.Errorf("%s %s as %s: %d, want 401", method, path, as, got.status)
				}
			}
		}
	}
	if want := 2 + 8*4 + 9 + 6 + 9 + 3 + 2 + 1; called != want {
		t.Errorf("%d routes of the admin API, want %d", called, want)
	}
}

// TestOperatorScopes calls every route of the admin API with each scope of an operator's token.
func TestOperatorScopes(t *testing.T) {
	t.Parallel()
	secrets := []string{
		"admin.applications.pass", "admin.applications.bot-token", "admin.applications.client-secret", "admin.users.pass",
		"admin.operators.put", "admin.operators.delete", "admin.users.identities.put",
	}
	for _, route := range (&admin.API{}).Routes() {
		want := auth.OperatorRead
		switch {
		case strings.HasPrefix(route.Name, "admin.session."):
			want = api.AnyScope
		case slices.Contains(secrets, route.Name):
			want = auth.OperatorSecrets
		case route.Method == http.MethodPut || route.Method == http.MethodDelete:
			want = auth.OperatorDirectory
		}
		t.Run(route.Name, func(t *testing.T) {
			t.Parallel()
			d := open(t)
			for _, scope := range auth.OperatorScopes() {
				got := d.ask(t, "op-"+scope, route.Method, strings.NewReplacer("{", "", "}", "").Replace(route.Path), `{"scopes":["`+scope+`"]}`)
				allowed := got.status != http.StatusForbidden && got.status != http.StatusUnauthorized
				if allowed != (want == scope || want == api.AnyScope) {
					t.Errorf("with the scope %s: %d %s, want the scope %s", scope, got.status, got.body, want)
				}
			}
		})
	}
}

// clientKey is a public key in JSON.
const clientKey = `"-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----\n"`

// TestReceiversOfTokensNeedTheScopeSecrets checks that an operator without the scope secrets cannot change who gets the
// codes, tokens and interactions of an application, and can write the other members.
func TestReceiversOfTokensNeedTheScopeSecrets(t *testing.T) {
	t.Parallel()
	d := open(t)
	const path, plain = "/admin/v1/applications/1300000000000000009", `"name":"New","owner":"700000000000000001"`
	for _, member := range []string{
		`"redirect_uris":["https://evil.example/cb"]`, `"post_logout_redirect_uris":["https://evil.example/out"]`,
		`"public_client":true`, `"interactions_endpoint_url":"https://evil.example/interactions"`, `"event_webhooks_url":"https://evil.example/events"`,
		`"provisional_accounts":{"issuer":"https://evil.example","client_id":"game"}`,
	} {
		if got := d.ask(t, "op-directory", "PUT", path, "{"+plain+","+member+"}"); got.status != http.StatusForbidden {
			t.Errorf("a new application with %s: %d %s, want 403", member, got.status, got.body)
		}
		world := `{"applications":[{"id":"1300000000000000009",` + plain + "," + member + "}]}"
		if got := d.ask(t, "op-directory", "PUT", "/admin/v1/world", world); got.status != http.StatusForbidden {
			t.Errorf("a world with %s: %d %s, want 403", member, got.status, got.body)
		}
		if got := d.ask(t, "admin", "PUT", path, "{"+plain+","+member+"}"); got.status >= 300 {
			t.Errorf("an operator with all scopes sets %s: %d %s", member, got.status, got.body)
		}
		if got := d.ask(t, "op-directory", "PUT", path, "{"+plain+`,"description":"Changed",`+member+"}"); got.status != http.StatusOK {
			t.Errorf("an unchanged %s: %d %s, want 200", member, got.status, got.body)
		}
		if got := d.ask(t, "op-directory", "PUT", path, "{"+plain+"}"); got.status != http.StatusForbidden {
			t.Errorf("%s is removed: %d %s, want 403", member, got.status, got.body)
		}
		if got := d.ask(t, "admin", "DELETE", path, ""); got.status != http.StatusNoContent {
			t.Fatalf("DELETE: %d %s", got.status, got.body)
		}
	}
}

// TestSecretsNeedTheirScope writes records with secrets as an operator without the scope secrets.
func TestSecretsNeedTheirScope(t *testing.T) {
	t.Parallel()
	d := open(t)
	for path, body := range map[string]string{
		"/admin/v1/users/700000000000000001":         `{"username":"ada","token":"taken-over-by-the-operator"}`,
		"/admin/v1/applications/1300000000000000001": `{"name":"Echo","owner":"700000000000000001","bot_token":"taken-over-by-the-operator"}`,
		"/admin/v1/applications/1300000000000000002": `{"name":"Other","owner":"700000000000000001","client_keys":[` + clientKey + `]}`,
		"/admin/v1/world":                            `{"users":[{"id":"700000000000000001","username":"ada","token":"taken-over-by-the-operator"}]}`,
	} {
		if got := d.ask(t, "op-directory", "PUT", path, body); got.status != http.StatusForbidden {
			t.Errorf("PUT %s with a secret: %d, want 403", path, got.status)
		}
	}
	made := d.ask(t, "op-directory", "PUT", "/admin/v1/users/700000000000000009", `{"username":"eve"}`)
	if made.status != http.StatusCreated || strings.Contains(made.body, "token") {
		t.Errorf("a new user: %d %s, want no token", made.status, made.body)
	}
	if got := d.ask(t, "op-directory", "PUT", "/admin/v1/world", `{"users":[{"id":"700000000000000010","username":"mal"}]}`); !strings.Contains(got.body, `"user_tokens":{}`) {
		t.Errorf("a new user in a world file: %d %s, want no token", got.status, got.body)
	}
}

// TestOperatorCookie uses the cookie of an operator's browser as pages of this and of other sites can.
func TestOperatorCookie(t *testing.T) {
	t.Parallel()
	d := open(t)
	begun := d.ask(t, "admin", "POST", "/admin/v1/session", "")
	cookie, err := http.ParseSetCookie(begun.header.Get("Set-Cookie"))
	if err != nil || begun.status != http.StatusOK {
		t.Fatalf("POST /admin/v1/session: %d %v", begun.status, err)
	}
	if !cookie.Secure || cookie.Name != "__Host-bellhop-operator" {
		t.Errorf("cookie %v of a service with an https URL, want Secure and __Host-", cookie)
	}
	if !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode || cookie.Path != "/" || cookie.MaxAge <= 0 || cookie.Value == "admin" {
		t.Errorf("cookie %v, want HttpOnly, SameSite=Strict, another secret than the token", cookie)
	}
	const user = "/admin/v1/users/700000000000000009"
	send := func(method, path string, headers ...string) int {
		r := httptest.NewRequest(method, path, strings.NewReader(`{"username":"eve"}`))
		r.Header.Set("Content-Type", "application/json")
		r.AddCookie(cookie)
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		w := httptest.NewRecorder()
		d.ServeHTTP(w, r)
		return w.Code
	}
	for _, tt := range []struct {
		name    string
		method  string
		headers []string
		want    int
	}{
		{"read", "GET", nil, 404},
		{"read from a page of this site", "GET", []string{"Sec-Fetch-Site", "same-origin"}, 404},
		{"write by a program", "PUT", nil, 201},
		{"write from another site", "PUT", []string{"Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example"}, 403},
		{"write from another site, old browser", "PUT", []string{"Origin", "https://evil.example"}, 403},
		{"write from another port of the host", "PUT", []string{"Sec-Fetch-Site", "same-site", "Origin", "http://example.com:81"}, 403},
		{"write from another port, old browser", "PUT", []string{"Origin", "http://example.com:81"}, 403},
		{"write from a sandboxed page", "PUT", []string{"Origin", "null"}, 403},
		{"write from a page of this site", "PUT", []string{"Sec-Fetch-Site", "same-origin", "Origin", "http://example.com"}, 200},
		{"write from a page of this site, old browser", "PUT", []string{"Origin", "http://example.com"}, 200},
	} {
		if got := send(tt.method, user, tt.headers...); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
	if got := send("DELETE", "/admin/v1/session", "Origin", "http://example.com"); got != http.StatusNoContent {
		t.Fatalf("end of the session: %d", got)
	}
	if got := send("GET", user); got != http.StatusUnauthorized {
		t.Errorf("after the end of the session: %d, want 401", got)
	}
}

// TestOperatorIsNotLimited sends more requests than the rate limits of other callers allow.
func TestOperatorIsNotLimited(t *testing.T) {
	t.Parallel()
	d := openWith(t, ratelimit.Default())
	for i := range 200 {
		if got := d.ask(t, "admin", "GET", "/admin/v1/users?limit=1", ""); got.status != 200 || got.header.Get("X-RateLimit-Limit") != "" {
			t.Fatalf("request %d of the operator: %d with limit %q", i+1, got.status, got.header.Get("X-RateLimit-Limit"))
		}
	}
	limited := false
	for range 200 {
		limited = limited || d.ask(t, "wrong", "GET", "/admin/v1/users", "").status == http.StatusTooManyRequests
	}
	if !limited {
		t.Error("guesses at the operator's token are not limited")
	}
}

// TestPathSpellings requests paths in the spellings of client libraries.
func TestPathSpellings(t *testing.T) {
	t.Parallel()
	d := open(t)
	for _, path := range []string{
		"/api/v10/users/%40me", "/api/v9/users/@me", "/api/users/@me", "/api/v10//users/@me", "/api/v10/users/@me?",
		"/api/v10/applications/%40me", "/api/v9/oauth2/applications/%40me", "/api/v10/users/%40me/guilds",
	} {
		if got := d.ask(t, "bot", "GET", path, ""); got.status != 200 {
			t.Errorf("GET %s: %d %s", path, got.status, got.body)
		}
	}
}

// TestSecretsAreShownOnce writes records without secrets. Only the first response contains the new secrets.
func TestSecretsAreShownOnce(t *testing.T) {
	t.Parallel()
	d := open(t)
	const user, app = "/admin/v1/users/700000000000000009", "/admin/v1/applications/1300000000000000009"
	for path, tt := range map[string]struct {
		body    string
		secrets []string
	}{
		user: {`{"username":"eve"}`, []string{`"token":"`}},
		app:  {`{"name":"Dice","owner":"700000000000000001"}`, []string{`"bot_token":"`, `"client_secret":"`}},
	} {
		made, again, read := d.ask(t, "admin", "PUT", path, tt.body), d.ask(t, "admin", "PUT", path, tt.body), d.ask(t, "admin", "GET", path, "")
		if made.status != 201 || again.status != 200 || read.status != 200 {
			t.Fatalf("%s: %d, %d, %d, want 201, 200, 200", path, made.status, again.status, read.status)
		}
		for _, secret := range tt.secrets {
			if !strings.Contains(made.body, secret) {
				t.Errorf("no %s in %s", secret, made.body)
			}
			if strings.Contains(again.body+read.body, secret) {
				t.Errorf("%s is shown again: %s %s", secret, again.body, read.body)
			}
		}
		if strings.Contains(d.log.String(), "token\":\"") {
			t.Error("a secret is in the log")
		}
	}
}

// TestNothingStaleAfterDelete deletes records that were read, and creates new ones with the same ids.
func TestNothingStaleAfterDelete(t *testing.T) {
	t.Parallel()
	const (
		guild    = "/admin/v1/guilds/900000000000000001"
		app      = "/admin/v1/applications/1300000000000000001"
		commands = "/api/v10/applications/1300000000000000001/guilds/900000000000000001/commands"
		global   = "/api/v10/applications/1300000000000000001/commands"
		lab      = `{"name":"Lab","owner":"700000000000000001","channels":[{"id":"900000000000000010"}],"installs":[{"application":"1300000000000000001"}]}`
		echo     = `{"name":"Echo","owner":"700000000000000001","bot_token":"bot-echo","client_secret":"s1"}`
	)
	d := open(t)
	must := func(as, method, path, body string, want int) string {
		t.Helper()
		got := d.ask(t, as, method, path, body)
		if got.status != want {
			t.Fatalf("%s %s: %d, want %d: %s", method, path, got.status, want, got.body)
		}
		return got.body
	}
	must("bot", "POST", commands, `{"name":"here","description":"x"}`, 201)
	must("bot", "POST", global, `{"name":"there","description":"x"}`, 201)
	must("bot", "GET", commands, "", 200)
	must("bot", "GET", "/api/v10/channels/900000000000000010", "", 200)

	must("admin", "DELETE", guild, "", 204)
	must("bot", "GET", commands, "", 403)
	must("bot", "GET", "/api/v10/guilds/900000000000000001", "", 404)
	must("bot", "GET", "/api/v10/channels/900000000000000010", "", 404)
	must("person", "GET", "/api/v10/guilds/900000000000000001", "", 404)
	must("admin", "PUT", guild, lab, 201)
	if body := must("bot", "GET", commands, "", 200); body != "[]" {
		t.Errorf("a new guild has the commands of the old one: %s", body)
	}

	must("admin", "DELETE", app, "", 204)
	must("bot", "GET", global, "", 401)
	must("client", "GET", global, "", 401)
	must("person", "GET", "/api/v10/users/1300000000000000001", "", 404)
	must("admin", "PUT", app, echo, 201)
	if body := must("bot", "GET", global, "", 200); body != "[]" {
		t.Errorf("a new application has the commands of the old one: %s", body)
	}
	must("bot", "GET", commands, "", 403)
}

// TestTimeout checks the permissions of a member in timeout, during and after the timeout.
func TestTimeout(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.ask(t, "admin", "PUT", "/admin/v1/guilds/900000000000000001/members/700000000000000002", `{"communication_disabled_until":"2026-05-01T13:00:00Z"}`)
	guilds := func() string { return d.ask(t, "bob", "GET", "/api/v10/users/@me/guilds", "").body }
	if got := guilds(); !strings.Contains(got, `"permissions":"66560"`) {
		t.Errorf("in timeout: %s", got)
	}
	if _, err := d.dev.Advance(t.Context(), time.Hour); err != nil {
		t.Fatal(err)
	}
	if got := guilds(); !strings.Contains(got, `"permissions":"2107735977479745"`) {
		t.Errorf("after the timeout: %s", got)
	}
}
