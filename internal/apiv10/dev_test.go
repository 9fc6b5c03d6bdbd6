package apiv10_test

import (
	"net/http"
	"testing"

	"github.com/go-json-experiment/json"
)

// TestDevTokenDefaults uses tokens that were issued without scopes in the request.
func TestDevTokenDefaults(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, ask, path string }{
		{"a client-credentials token registers commands", `{"application":"1300000000000000001"}`, commandsPath},
		{"a token for a user reads the user", `{"application":"1300000000000000001","user":"700000000000000001"}`, "/api/v10/users/@me"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := open(t)
			var issued struct {
				AccessToken string `json:"access_token"`
			}
			got := d.ask(t, "nobody", http.MethodPost, "/_dev/token", tt.ask)
			if err := json.Unmarshal([]byte(got.body), &issued); err != nil || issued.AccessToken == "" {
				t.Fatalf("%d %s, %v", got.status, got.body, err)
			}
			if got := d.ask(t, "nobody", http.MethodGet, tt.path, "", "Authorization", "Bearer "+issued.AccessToken); got.status != http.StatusOK {
				t.Errorf("GET %s = %d %s", tt.path, got.status, got.body)
			}
		})
	}
}
