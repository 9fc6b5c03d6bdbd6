package apiv10_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// introduce gives people tokens that they signed in with, the operator one, and every application a signing key that is
// the same each time.
func introduce(t testing.TB, dir *directory.Directory, tokens *auth.Authenticator) {
	t.Helper()
	const ada, echo = 700000000000000001, 1300000000000000001
	for _, c := range []store.Credential{
		{Hash: auth.Hash("signed-ada"), Kind: store.BearerToken, Application: echo, User: ada, Scopes: []string{"identify"}},
		{Hash: auth.Hash("mail-ada"), Kind: store.BearerToken, Application: echo, User: ada, Scopes: []string{"email", "guilds", "identify"}},
		{Hash: auth.Hash("player-ada"), Kind: store.BearerToken, Application: echo, User: ada, Scopes: []string{"sdk.social_layer"}},
		{Hash: auth.Hash("player-bob"), Kind: store.BearerToken, Application: echo, User: ada + 1, Scopes: []string{"lobbies.write"}},
		{Hash: auth.Hash("other-ada"), Kind: store.BearerToken, Application: echo + 1, User: ada, Scopes: []string{"lobbies.write"}},
		{Hash: auth.Hash("admin"), Kind: store.AdminToken},
	} {
		if c.Kind == store.BearerToken {
			c.Expires = dir.Clock.Now().Add(time.Hour)
		}
		if err := tokens.Put(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	err := store.Decide(t.Context(), dir.Store, func(tx *store.Tx) error {
		for n := range snowflake.Application(3) {
			app, err := tx.Directory.Application(echo + n)
			if err != nil {
				return err
			}
			app.SigningKey = bytes.Repeat([]byte{byte(n)}, 32)
			if err := tx.Put(app); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
