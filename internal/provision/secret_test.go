package provision_test

import (
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/world"
)

// TestWeakSecrets checks that production refuses tokens and secrets that can be guessed, with their paths.
func TestWeakSecrets(t *testing.T) {
	t.Parallel()
	const strong = "oVzq7cKfJ2mX4sTn8bYd1aLe"
	for _, tt := range []struct {
		name, user, bot, client string
		want                    []string // paths
	}{
		{"none given", "", "", "", nil},
		{"random ones", strong + "1", strong + "2", strong + "3", nil},
		{"one character", "x", "y", "z", []string{"users.0.token", "applications.0.bot_token", "applications.0.client_secret"}},
		{"the names of a tutorial", "dev-user-ada", strong, "dev-secret-echo", []string{"users.0.token", "applications.0.client_secret"}},
		{"one character again and again", strings.Repeat("a", 100), strong, strong, []string{"users.0.token"}},
		{"a word again and again", "passwordpasswordpasswordpassword", strong, strong, []string{"users.0.token"}},
		{"digits in order", "0123456789012345678901234567890123456789", strong, strong, []string{"users.0.token"}},
		{"rows of the keyboard", "qwertyuiopasdfghjklzxcvbnm1234567890", strong, strong, []string{"users.0.token"}},
		{
			"the demo's", strong, "MTEwMDAwMDAwMDAwMDAwMDEwMA.ZGVtbw.a-public-token-for-your-own-machine-only", strong,
			[]string{"applications.0.bot_token"},
		},
		{"two characters", strings.Repeat("ab", 39), strong, strong, []string{"users.0.token"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := open(t)
			w, err := world.World{
				Users:        []world.User{{ID: 200, Username: "ada", Token: tt.user}},
				Applications: []world.Application{{ID: 100, Name: "Echo", Owner: 200, BotToken: tt.bot, ClientSecret: tt.client}},
			}.Complete()
			if err != nil {
				t.Fatal(err)
			}
			strict := *d.Provisioner
			strict.StrongSecrets = true
			_, err = strict.Apply(t.Context(), w)
			if (err != nil) != (tt.want != nil) {
				t.Fatalf("Apply() = %v", err)
			}
			for _, path := range tt.want {
				if !strings.Contains(err.Error(), path) {
					t.Errorf("Apply() = %v, want a problem at %s", err, path)
				}
			}
			if users, err := d.Users.List(t.Context(), 0, 10); err != nil || (len(users) == 0) != (tt.want != nil) {
				t.Errorf("%d users, %v: a refused world changed something", len(users), err)
			}
			if _, err := d.Apply(t.Context(), w); err != nil {
				t.Errorf("in development: %v", err)
			}
		})
	}
}
