package v10_test

import (
	"bytes"
	"crypto/ed25519"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// addCredentials stores the tokens that the world file cannot contain: access tokens, and the operator's token. The
// users Carl and Eve are created by the tests that need them.
func addCredentials(t testing.TB, db store.Store, now time.Time) {
	t.Helper()
	const (
		ada, bob, carl, eve snowflake.User        = 700000000000000001, 700000000000000002, 700000000000000003, 700000000000000004
		echo, other, game   snowflake.Application = 1300000000000000001, 1300000000000000002, 1300000000000000003
	)
	bearer := func(token string, app snowflake.Application, user snowflake.User, life time.Duration, scopes ...string) store.Credential {
		return store.Credential{
			Hash: auth.Hash(token), Kind: store.BearerToken, Application: app, User: user, Scopes: scopes, Expires: now.Add(life),
		}
	}
	err := store.Decide(t.Context(), db, func(tx *store.Tx) error {
		return tx.Put(
			bearer("client-echo", echo, 0, time.Hour, auth.ScopeCommandsUpdate),
			bearer("weak-echo", echo, 0, time.Hour, auth.ScopeIdentify),
			bearer("old-echo", echo, 0, -time.Hour, auth.ScopeCommandsUpdate),
			bearer("signed-ada", echo, ada, time.Hour, auth.ScopeIdentify),
			bearer("mail-ada", echo, ada, time.Hour, auth.ScopeEmail, auth.ScopeGuilds, auth.ScopeIdentify, auth.ScopeMembersRead),
			bearer("player-ada", echo, ada, time.Hour, auth.ScopeSocialLayer),
			bearer("player-bob", echo, bob, time.Hour, auth.ScopeLobbies),
			bearer("shopper-bob", echo, bob, time.Hour, auth.ScopeEntitlements),
			bearer("linked-bob", echo, bob, time.Hour, auth.ScopeRoleConnections),
			bearer("other-ada", other, ada, time.Hour, auth.ScopeLobbies),
			bearer("permit-own", echo, 0, time.Hour, auth.ScopePermissionsUpdate),
			bearer("permit-ada", echo, ada, time.Hour, auth.ScopePermissionsUpdate),
			bearer("permit-bob", echo, bob, time.Hour, auth.ScopePermissionsUpdate),
			bearer("permit-carl", echo, carl, time.Hour, auth.ScopePermissionsUpdate),
			bearer("permit-eve", echo, eve, time.Hour, auth.ScopePermissionsUpdate),
			bearer("permit-of-game", game, ada, time.Hour, auth.ScopePermissionsUpdate),
			bearer("join-eve", game, 700000000000000005, time.Hour, "guilds.join"),
			operator("admin", auth.OperatorScopes()...),
			operator("op-read", auth.OperatorRead),
			operator("op-directory", auth.OperatorDirectory),
			operator("op-secrets", auth.OperatorSecrets),
		)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// setSigningKeys gives every application a signing key that is the same in every run.
func setSigningKeys(t testing.TB, db store.Store) {
	t.Helper()
	err := store.Decide(t.Context(), db, func(tx *store.Tx) error {
		for n := range snowflake.Application(3) {
			app, err := tx.Directory.Application(1300000000000000001 + n)
			if err != nil {
				return err
			}
			app.SigningKey = bytes.Repeat([]byte{byte(n)}, 32)
			app.VerifyKey = ed25519.NewKeyFromSeed(app.SigningKey)[ed25519.PublicKeySize:]
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

// operator returns the token of an operator, which is the same as its name.
func operator(name string, scopes ...string) store.Credential {
	return store.Credential{
		Hash: auth.Hash(name), Kind: store.AdminToken, Name: name, Scopes: scopes, Created: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC),
	}
}
