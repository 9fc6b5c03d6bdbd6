package v10_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/credentials"
	"github.com/go-json-experiment/json"
)

// TestTemporaryTokens issues temporary tokens, uses each, and checks that it expires.
func TestTemporaryTokens(t *testing.T) {
	t.Parallel()
	const app = "/admin/v1/applications/1300000000000000001"
	for _, tt := range []struct{ name, who, path, body, opens string }{
		{"bot token", "admin", app + "/passes", `{}`, commandsPath},
		{"access token", "admin", app + "/passes", `{"scopes":["identify"],"user":"700000000000000001"}`, "/api/v10/users/@me"},
		{"user token", "admin", "/admin/v1/users/700000000000000001/passes", ``, "/api/v10/users/@me/guilds"},
		{"operator's token of the dev controls", "anonymous", "/_dev/console", ``, "/admin/v1/users"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := open(t)
			var pass struct {
				Token   string `json:"token"`
				Type    string `json:"token_type"`
				Expires int    `json:"expires_in"`
			}
			got := d.ask(t, tt.who, http.MethodPost, tt.path, tt.body)
			if err := json.Unmarshal([]byte(got.body), &pass); err != nil || pass.Token == "" {
				t.Fatalf("%d %s, %v", got.status, got.body, err)
			}
			header := pass.Token
			if pass.Type != "" {
				header = pass.Type + " " + pass.Token
			}
			open := func() int { return d.ask(t, "anonymous", http.MethodGet, tt.opens, "", "Authorization", header).status }
			if got := open(); got != http.StatusOK {
				t.Errorf("GET %s = %d", tt.opens, got)
			}
			life := time.Duration(pass.Expires) * time.Second
			if life < credentials.TemporaryTokenLife {
				t.Fatalf("it is valid for %s", life)
			}
			if _, err := d.dev.Advance(t.Context(), life); err != nil {
				t.Fatal(err)
			}
			if got := open(); got != http.StatusUnauthorized {
				t.Errorf("after %s: %d", life, got)
			}
		})
	}
}

// TestNewSecrets replaces the secrets of an application. The old bot token and temporary tokens stop working.
func TestNewSecrets(t *testing.T) {
	t.Parallel()
	d := open(t)
	const app = "/admin/v1/applications/1300000000000000001"
	secret := func(path string) string {
		t.Helper()
		var made struct {
			Secret string `json:"secret"`
		}
		got := d.ask(t, "admin", http.MethodPost, app+path, "")
		if err := json.Unmarshal([]byte(got.body), &made); err != nil || made.Secret == "" {
			t.Fatalf("%s: %d %s, %v", path, got.status, got.body, err)
		}
		return made.Secret
	}
	token := secret("/bot-token")
	if got := d.ask(t, "anonymous", http.MethodGet, commandsPath, "", "Authorization", "Bot "+token); got.status != http.StatusOK {
		t.Errorf("the new token: %d %s", got.status, got.body)
	}
	if got := d.ask(t, "bot", http.MethodGet, commandsPath, ""); got.status != http.StatusUnauthorized {
		t.Errorf("the old token: %d %s", got.status, got.body)
	}
	if first, second := secret("/client-secret"), secret("/client-secret"); first == second {
		t.Error("the secret did not change")
	}
}
