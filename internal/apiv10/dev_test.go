package apiv10_test

import (
	"net/http"
	"testing"

	"github.com/go-json-experiment/json"
)

// TestDevTokenDefaults uses tokens that were asked for without scopes.
func TestDevTokenDefaults(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, ask, path string }{
		{"an application's own token registers commands", `{"application":"1300000000000000001"}`, commandsPath},
		{"a person's token tells who it is", `{"application":"1300000000000000001","user":"700000000000000001"}`, "/api/v10/users/@me"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := open(t)
			var minted struct {
				AccessToken string `json:"access_token"`
			}
			got := d.ask(t, "nobody", http.MethodPost, "/_dev/token", tt.ask)
			if err := json.Unmarshal([]byte(got.body), &minted); err != nil || minted.AccessToken == "" {
				t.Fatalf("%d %s, %v", got.status, got.body, err)
			}
			if got := d.ask(t, "nobody", http.MethodGet, tt.path, "", "Authorization", "Bearer "+minted.AccessToken); got.status != http.StatusOK {
				t.Errorf("GET %s = %d %s", tt.path, got.status, got.body)
			}
		})
	}
}
