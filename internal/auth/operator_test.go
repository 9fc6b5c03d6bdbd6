package auth_test

import (
	"errors"
	"testing"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/store"
)

func TestAuthenticateOperator(t *testing.T) {
	t.Parallel()
	a, _, _ := open(t)
	put(t, a, bot, user, bearer,
		store.Credential{Hash: auth.Hash("admin-token"), Kind: store.AdminToken, Name: "ci", Scopes: []string{auth.OperatorRead}},
		store.Credential{Hash: auth.Hash("old"), Kind: store.AdminToken, Expires: start},
		store.Credential{Hash: auth.Hash("cookie"), Kind: store.AdminToken, Session: true})
	for _, tt := range []struct {
		name   string
		header string
		want   error
	}{
		{"the operator's token", "Bearer admin-token", nil},
		{"scheme in other letters", "bearer admin-token", nil},
		{"as a bot token", "Bot admin-token", auth.ErrUnauthorized},
		{"alone", "admin-token", auth.ErrUnauthorized},
		{"expired", "Bearer old", auth.ErrUnauthorized},
		{"an access token", "Bearer bearer-token", auth.ErrUnauthorized},
		{"a bot's token", "Bearer bot-token", auth.ErrUnauthorized},
		{"a user token", "Bearer user-token", auth.ErrUnauthorized},
		{"an unknown token", "Bearer unknown", auth.ErrUnauthorized},
		{"the secret of a browser", "Bearer cookie", auth.ErrUnauthorized},
		{"nothing", "", auth.ErrUnauthorized},
		{"no token", "Bearer ", auth.ErrUnauthorized},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for range 2 { // from the store, and from the cache
				p, err := a.AuthenticateOperator(t.Context(), tt.header)
				if !errors.Is(err, tt.want) {
					t.Errorf("AuthenticateOperator(%q) = %v, want %v", tt.header, err, tt.want)
				}
				if err == nil && (p.Name != "ci" || !p.IsOperator(auth.OperatorRead) || p.IsOperator(auth.OperatorSecrets)) {
					t.Errorf("AuthenticateOperator(%q) = %+v, want ci with the scope read", tt.header, p)
				}
			}
		})
	}
	for secret, want := range map[string]error{"cookie": nil, "admin-token": auth.ErrUnauthorized, "": auth.ErrUnauthorized} {
		if _, err := a.AuthenticateOperatorSession(t.Context(), secret); !errors.Is(err, want) {
			t.Errorf("AuthenticateOperatorSession(%q) = %v, want %v", secret, err, want)
		}
	}
}
