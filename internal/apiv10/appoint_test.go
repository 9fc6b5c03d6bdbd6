package apiv10_test

import (
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// appoint gives those who edit permissions their tokens. Carl and Eve come into being where they are needed.
func appoint(t testing.TB, dir *directory.Directory, tokens *auth.Authenticator) {
	t.Helper()
	const echo, game snowflake.Application = 1300000000000000001, 1300000000000000003
	for token, c := range map[string]store.Credential{
		"permit-own":     {Application: echo},
		"permit-ada":     {Application: echo, User: 700000000000000001},
		"permit-bob":     {Application: echo, User: 700000000000000002},
		"permit-carl":    {Application: echo, User: 700000000000000003},
		"permit-eve":     {Application: echo, User: 700000000000000004},
		"permit-of-game": {Application: game, User: 700000000000000001},
	} {
		c.Hash, c.Kind, c.Scopes = auth.Hash(token), store.BearerToken, []string{auth.ScopePermissionsUpdate}
		c.Expires = dir.Clock.Now().Add(time.Hour)
		if err := tokens.Put(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
}
