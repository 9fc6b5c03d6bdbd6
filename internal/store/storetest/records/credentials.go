package records

import (
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/storetest/check"
	"github.com/bellhop/bellhop/snowflake"
)

var credentialRules = []check.Rule{
	{Name: "a credential is kept, replaced and deleted", Run: credentialRecord},
	{Name: "those of a kind, an application and a user are found", Run: credentialsOf},
	{Name: "what has expired is removed, so many at a time", Run: expiry},
}

func credentialRecord(t *testing.T, s store.Store) {
	hash := store.TokenHash{0, 1, 255, 31: 7}
	record[store.Credential]{
		full: store.Credential{
			Hash: hash, Kind: store.BearerToken, Application: 100, User: 200, Scopes: []string{"identify", "email"},
			Expires: check.Noon.Add(time.Hour),
		},
		bare:   store.Credential{Hash: hash, Kind: store.AdminToken},
		put:    store.Tx.PutCredential,
		get:    check.By(store.Reader.Credential, hash),
		delete: check.Each(store.Tx.DeleteCredential, hash),
	}.check(t, s)
}

func putCredentials(list ...store.Credential) func(store.Tx) error {
	return check.Each(store.Tx.PutCredential, list...)
}

func credentialsOf(t *testing.T, s store.Store) {
	both := []store.Credential{
		{Hash: store.TokenHash{1}, Kind: store.BearerToken, Application: 100, User: 200},
		{Hash: store.TokenHash{200}, Kind: store.BearerToken, Application: 100, User: 200},
	}
	app := store.Credential{Hash: store.TokenHash{3}, Kind: store.BearerToken, Application: 100}
	bot := store.Credential{Hash: store.TokenHash{4}, Kind: store.BotToken, Application: 100}
	user := store.Credential{Hash: store.TokenHash{5}, Kind: store.UserToken, User: 200}
	admin := store.Credential{Hash: store.TokenHash{6}, Kind: store.AdminToken}
	check.Update(t, s, putCredentials(both[1], app, bot, user, admin, both[0]))
	for _, tt := range []struct {
		kind store.CredentialKind
		app  snowflake.Application
		user snowflake.User
		want []store.Credential
	}{
		{store.BearerToken, 100, 200, both},
		{store.BearerToken, 100, 0, []store.Credential{app}},
		{store.BearerToken, 0, 200, nil},
		{store.BotToken, 100, 0, []store.Credential{bot}},
		{store.UserToken, 0, 200, []store.Credential{user}},
		{store.AdminToken, 0, 0, []store.Credential{admin}},
		{store.BotToken, 101, 0, nil},
	} {
		got := check.Read(t, s, func(r store.Reader) ([]store.Credential, error) {
			return r.Credentials(tt.kind, tt.app, tt.user)
		})
		check.Same(t, "Credentials()", got, tt.want)
	}
}

func expiry(t *testing.T, s store.Store) {
	for i := range 5 {
		check.Update(t, s, putCredentials(store.Credential{
			Hash: store.TokenHash{byte(i)}, Kind: store.BearerToken, Expires: check.Noon.Add(time.Duration(i-4) * time.Minute),
		}))
	}
	check.Update(t, s, putCredentials(
		store.Credential{Hash: store.TokenHash{10}, Kind: store.BearerToken, Expires: check.Noon.Add(time.Microsecond)},
		store.Credential{Hash: store.TokenHash{11}, Kind: store.BearerToken}, // never
	))
	for i, tt := range []struct{ limit, want, left int }{{0, 0, 7}, {-1, 0, 7}, {3, 3, 4}, {3, 1, 3}, {3, 0, 3}} {
		got := check.Told(t, s, func(tx store.Tx) (int, error) { return tx.DeleteExpired(check.Noon, tt.limit) })
		left := check.Read(t, s, func(r store.Reader) ([]store.Credential, error) { return r.Credentials(store.BearerToken, 0, 0) })
		if got != tt.want || len(left) != tt.left {
			t.Errorf("round %d: DeleteExpired() = %d and leaves %d, want %d and %d", i, got, len(left), tt.want, tt.left)
		}
	}
	check.Read(t, s, check.By(store.Reader.Credential, store.TokenHash{4})) // expires at noon
	check.Update(t, s, putCredentials(store.Credential{Hash: store.TokenHash{4}, Kind: store.BearerToken}))
	n := check.Told(t, s, func(tx store.Tx) (int, error) { return tx.DeleteExpired(check.Noon.Add(time.Hour), 10) })
	check.Same(t, "DeleteExpired() of what does not stay for ever", n, 1)
}
