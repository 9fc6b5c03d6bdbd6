package v10_test

import (
	"strings"
	"testing"
)

// TestSecretsAreNotCached checks that every response that contains a new secret forbids caches to keep it.
func TestSecretsAreNotCached(t *testing.T) {
	t.Parallel()
	d := open(t)
	const (
		app  = "/admin/v1/applications/1300000000000000001"
		form = "grant_type=client_credentials&scope=identify&client_id=1300000000000000002&client_secret=s2"
	)
	for _, tt := range []struct{ caller, method, path, body, member string }{
		{"admin", "POST", app + "/passes", `{}`, "token"},
		{"admin", "POST", app + "/passes", `{"scopes":["identify"]}`, "token"},
		{"admin", "POST", app + "/bot-token", "", "secret"},
		{"admin", "POST", app + "/client-secret", "", "secret"},
		{"admin", "POST", "/admin/v1/users/700000000000000001/passes", "", "token"},
		{"admin", "PUT", "/admin/v1/users/700000000000000009", `{"username":"eve"}`, "token"},
		{"admin", "PUT", "/admin/v1/applications/1300000000000000009", `{"name":"New","owner":"700000000000000001"}`, "bot_token"},
		{"admin", "PUT", "/admin/v1/world", `{"users":[{"id":"700000000000000010","username":"kim"}]}`, "user_tokens"},
		{"anonymous", "POST", "/api/oauth2/token", form, "access_token"},
	} {
		kind := "application/json"
		if tt.caller == "anonymous" {
			kind = "application/x-www-form-urlencoded"
		}
		got := d.ask(t, tt.caller, tt.method, tt.path, tt.body, "Content-Type", kind)
		if got.status/100 != 2 || !strings.Contains(got.body, `"`+tt.member+`":`) {
			t.Errorf("%s %s: %d %s, want a secret", tt.method, tt.path, got.status, got.body)
		}
		if c := got.header.Get("Cache-Control"); c != "no-store" {
			t.Errorf("%s %s: Cache-Control %q, want no-store", tt.method, tt.path, c)
		}
	}
}
