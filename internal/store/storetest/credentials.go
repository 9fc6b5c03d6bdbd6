package storetest

import (
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

var credentialChecks = []check{
	{"a credential is kept, replaced and deleted", credentialRecord},
	{"those of a kind, an application and a user are found", credentialsOf},
	{"what has expired is removed, so many at a time", expiry},
}

func credentialRecord(t *testing.T, s store.Store) {
	hash := store.TokenHash{0, 1, 255, 31: 7}
	record[store.Credential]{
		full: store.Credential{
			Hash: hash, Kind: store.BearerToken, Application: 100, User: 200, Scopes: []string{"identify", "email"},
			Expires: noon.Add(time.Hour),
		},
		bare:   store.Credential{Hash: hash, Kind: store.AdminToken},
		put:    store.Tx.PutCredential,
		get:    func(r store.Reader) (store.Credential, error) { return r.Credential(hash) },
		delete: func(tx store.Tx) error { return tx.DeleteCredential(hash) },
	}.check(t, s)
}

func putCredentials(list ...store.Credential) func(store.Tx) error {
	return func(tx store.Tx) error {
		for _, c := range list {
			if err := tx.PutCredential(c); err != nil {
				return err
			}
		}
		return nil
	}
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
	update(t, s, putCredentials(both[1], app, bot, user, admin, both[0]))
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
		got := read(t, s, func(r store.Reader) ([]store.Credential, error) {
			return r.Credentials(tt.kind, tt.app, tt.user)
		})
		same(t, "Credentials()", got, tt.want)
	}
}

func expiry(t *testing.T, s store.Store) {
	for i := range 5 {
		update(t, s, putCredentials(store.Credential{
			Hash: store.TokenHash{byte(i)}, Kind: store.BearerToken, Expires: noon.Add(time.Duration(i-4) * time.Minute),
		}))
	}
	update(t, s, putCredentials(
		store.Credential{Hash: store.TokenHash{10}, Kind: store.BearerToken, Expires: noon.Add(time.Microsecond)},
		store.Credential{Hash: store.TokenHash{11}, Kind: store.BearerToken}, // never
	))
	for i, tt := range []struct{ limit, want, left int }{{0, 0, 7}, {-1, 0, 7}, {3, 3, 4}, {3, 1, 3}, {3, 0, 3}} {
		got := told(t, s, func(tx store.Tx) (int, error) { return tx.DeleteExpired(noon, tt.limit) })
		left := read(t, s, func(r store.Reader) ([]store.Credential, error) { return r.Credentials(store.BearerToken, 0, 0) })
		if got != tt.want || len(left) != tt.left {
			t.Errorf("round %d: DeleteExpired() = %d and leaves %d, want %d and %d", i, got, len(left), tt.want, tt.left)
		}
	}
	read(t, s, func(r store.Reader) (store.Credential, error) { return r.Credential(store.TokenHash{4}) }) // expires at noon
	update(t, s, putCredentials(store.Credential{Hash: store.TokenHash{4}, Kind: store.BearerToken}))
	n := told(t, s, func(tx store.Tx) (int, error) { return tx.DeleteExpired(noon.Add(time.Hour), 10) })
	same(t, "DeleteExpired() of what does not stay for ever", n, 1)
}
