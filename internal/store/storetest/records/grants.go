package records

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/storetest/check"
	"github.com/bellhop/bellhop/snowflake"
)

var grantRules = []check.Rule{
	{Name: "a code is kept, replaced and deleted with its kind", Run: codeRecord},
	{Name: "a grant is kept, replaced and deleted", Run: grantRecord},
	{Name: "the grants of an application and a user are found", Run: grantsOf},
	{Name: "a consent is kept, replaced and deleted", Run: consentRecord},
	{Name: "a device is kept, replaced and deleted, and found by its user code", Run: deviceRecord},
	{Name: "a user code belongs to one device", Run: userCodeOnce},
	{Name: "signing keys come in the order in which they were made", Run: signingKeys},
	{Name: "a session is kept, replaced and deleted", Run: sessionRecord},
	{Name: "an account is kept under issuer and subject", Run: accountRecord},
	{Name: "what is outdated is removed, so many at a time", Run: outdated},
	{Name: "a user takes along what was granted", Run: grantsGoWith(check.Each(store.Tx.DeleteUser, 200), "100/201", "101/201", "device 100/0", "device 101/0", "device 100/201", "session 201", "account 201", "key")},
	{Name: "an application takes along what it was granted", Run: grantsGoWith(check.Each(store.Tx.DeleteApplication, 100), "101/200", "101/201", "device 101/0", "session 200", "session 201", "account 200", "account 201", "key")},
	{Name: "clear takes all of it", Run: grantsGoWith(store.Tx.Clear)},
}

func codeRecord(t *testing.T, s store.Store) {
	hash := store.TokenHash{0, 1, 255, 31: 7}
	record[store.Code]{
		full: store.Code{
			Hash: hash, Application: 100, User: 200, Scopes: []string{"identify", "bot"}, RedirectURI: "mygame:/authorize/callback",
			Challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", Nonce: "n ☃", Guild: 300, Permissions: 8, SignedIn: check.Noon,
			Expires: check.Noon.Add(time.Minute), Until: check.Noon.Add(time.Hour), Grant: store.TokenHash{9, 31: 1},
		},
		bare:   store.Code{Hash: hash, Application: 100, User: 200},
		put:    store.Tx.PutCode,
		get:    check.By(store.Reader.Code, hash),
		delete: func(tx store.Tx) error { return errors.Join(tx.DeleteCodes(100, 201), tx.DeleteCodes(100, 200)) },
	}.check(t, s)
}

func grantRecord(t *testing.T, s store.Store) {
	id := store.TokenHash{3, 31: 8}
	record[store.Grant]{
		full: store.Grant{
			ID: id, Application: 100, User: 200, Scopes: []string{"identify"}, Access: store.TokenHash{1}, Refresh: store.TokenHash{2}, Made: check.Noon,
		},
		bare:   store.Grant{ID: id},
		put:    store.Tx.PutGrant,
		get:    check.By(store.Reader.Grant, id),
		delete: check.Each(store.Tx.DeleteGrant, id),
	}.check(t, s)
}

func grantsOf(t *testing.T, s store.Store) {
	first, second := store.Grant{ID: store.TokenHash{1}, Application: 100, User: 200}, store.Grant{ID: store.TokenHash{200}, Application: 100, User: 200}
	other := store.Grant{ID: store.TokenHash{3}, Application: 100, User: 201}
	check.Update(t, s, func(tx store.Tx) error {
		return errors.Join(tx.PutGrant(second), tx.PutGrant(other), tx.PutGrant(first))
	})
	for _, tt := range []struct {
		app  snowflake.Application
		user snowflake.User
		want []store.Grant
	}{
		{100, 200, []store.Grant{first, second}},
		{100, 201, []store.Grant{other}},
		{101, 200, nil},
		{100, 0, nil},
	} {
		got := check.Read(t, s, func(r store.Reader) ([]store.Grant, error) { return r.Grants(tt.app, tt.user) })
		check.Same(t, "Grants()", got, tt.want)
	}
}

func consentRecord(t *testing.T, s store.Store) {
	record[store.Consent]{
		full:   store.Consent{Application: 100, User: 200, Scopes: []string{"openid", "identify"}, Made: check.Noon},
		bare:   store.Consent{Application: 100, User: 200},
		put:    store.Tx.PutConsent,
		get:    func(r store.Reader) (store.Consent, error) { return r.Consent(100, 200) },
		delete: func(tx store.Tx) error { return errors.Join(tx.DeleteConsent(100, 201), tx.DeleteConsent(100, 200)) },
	}.check(t, s)
}

func deviceRecord(t *testing.T, s store.Store) {
	hash, code := store.TokenHash{4, 31: 1}, store.TokenHash{5, 31: 2}
	full := store.Device{
		Hash: hash, UserCode: code, Application: 100, Scopes: []string{"identify"}, User: 200, Decision: store.Denied,
		Interval: 5, Asked: check.Noon, Expires: check.Noon.Add(time.Minute), Until: check.Noon.Add(time.Hour),
	}
	d := record[store.Device]{
		full: full, bare: store.Device{Hash: hash, UserCode: code},
		put:    store.Tx.PutDevice,
		get:    check.By(store.Reader.Device, hash),
		delete: check.Each(store.Tx.DeleteDevice, hash),
	}
	d.check(t, s)
	d.get = check.By(store.Reader.DeviceByUserCode, code)
	d.check(t, s)
}

func userCodeOnce(t *testing.T, s store.Store) {
	check.Update(t, s, func(tx store.Tx) error {
		return tx.PutDevice(store.Device{Hash: store.TokenHash{1}, UserCode: store.TokenHash{7}})
	})
	check.Refused(t, s, store.ErrConflict, func(tx store.Tx) error {
		return tx.PutDevice(store.Device{Hash: store.TokenHash{2}, UserCode: store.TokenHash{7}})
	})
}

func signingKeys(t *testing.T, s store.Store) {
	old, young := store.SigningKey{ID: "z", Private: []byte{0, 1}, Made: check.Noon}, store.SigningKey{ID: "a", Made: check.Noon.Add(time.Hour)}
	keys := store.Reader.SigningKeys
	check.Update(t, s, func(tx store.Tx) error { return errors.Join(tx.PutSigningKey(young), tx.PutSigningKey(old)) })
	check.Shows(t, s, "SigningKeys()", keys, []store.SigningKey{old, young})
	check.Update(t, s, func(tx store.Tx) error { return errors.Join(tx.DeleteSigningKey("z"), tx.DeleteSigningKey("nobody")) })
	check.Shows(t, s, "SigningKeys()", keys, []store.SigningKey{young})
}

func sessionRecord(t *testing.T, s store.Store) {
	hash := store.TokenHash{6, 31: 3}
	record[store.Session]{
		full:   store.Session{Hash: hash, User: 200, Made: check.Noon, Expires: check.Noon.Add(time.Hour)},
		bare:   store.Session{Hash: hash, User: 201},
		put:    store.Tx.PutSession,
		get:    check.By(store.Reader.Session, hash),
		delete: check.Each(store.Tx.DeleteSession, hash),
	}.check(t, s)
}

func accountRecord(t *testing.T, s store.Store) {
	a := store.Account{Issuer: "https://id.example", Subject: "ada ☃", User: 200}
	get := func(issuer, subject string) func(store.Reader) (store.Account, error) {
		return func(r store.Reader) (store.Account, error) { return r.Account(issuer, subject) }
	}
	check.Missing(t, s, get(a.Issuer, a.Subject))
	check.Update(t, s, check.Each(store.Tx.PutAccount, a))
	check.Shows(t, s, "Account()", get(a.Issuer, a.Subject), a)
	check.Missing(t, s, get("https://other.example", a.Subject))
	check.Missing(t, s, get(a.Issuer, "bob"))
}

func outdated(t *testing.T, s store.Store) {
	for i := range 3 {
		at := check.Noon.Add(time.Duration(i-2) * time.Minute) // the last one at noon
		check.Update(t, s, func(tx store.Tx) error {
			return errors.Join(
				tx.PutCode(store.Code{Hash: store.TokenHash{byte(i)}, Until: at}),
				tx.PutDevice(store.Device{Hash: store.TokenHash{byte(i)}, UserCode: store.TokenHash{byte(i)}, Until: at}),
				tx.PutSession(store.Session{Hash: store.TokenHash{byte(i)}, Expires: at}),
			)
		})
	}
	for i, tt := range []struct{ limit, want int }{{0, 0}, {1, 3}, {5, 3}, {5, 0}} {
		n := check.Told(t, s, func(tx store.Tx) (int, error) { return tx.DeleteOutdated(check.Noon, tt.limit) })
		check.Same(t, fmt.Sprintf("DeleteOutdated() in round %d", i), n, tt.want)
	}
	check.Read(t, s, check.By(store.Reader.Code, store.TokenHash{2}))
	check.Read(t, s, check.By(store.Reader.Device, store.TokenHash{2}))
	check.Read(t, s, check.By(store.Reader.Session, store.TokenHash{2}))
}

// grantsGoWith checks what is left of two applications, two users and what each granted each.
func grantsGoWith(do func(store.Tx) error, left ...string) func(*testing.T, store.Store) {
	return func(t *testing.T, s store.Store) {
		t.Helper()
		check.Update(t, s, func(tx store.Tx) error { return errors.Join(World(tx), putGrants(tx)) })
		check.Update(t, s, do)
		var c counter
		check.View(t, s, func(r store.Reader) error {
			c.grants(r)
			return errors.Join(c.errs...)
		})
		want := map[string]bool{}
		for _, line := range left {
			want[line] = true
		}
		for _, line := range c.lines {
			if !want[line] {
				t.Errorf("%s is left", line)
			}
			delete(want, line)
		}
		for line := range want {
			t.Errorf("%s is gone", line)
		}
	}
}

// grantHash is a hash that tells what belongs to whom.
func grantHash(app snowflake.Application, user snowflake.User) store.TokenHash {
	return store.TokenHash{byte(app), byte(user)}
}

func putGrants(tx store.Tx) error {
	errs := []error{tx.PutSigningKey(store.SigningKey{ID: "key", Made: check.Noon})}
	for _, user := range worldUsers[:2] {
		errs = append(errs, tx.PutSession(store.Session{Hash: grantHash(0, user), User: user}),
			tx.PutAccount(store.Account{Issuer: "i", Subject: user.String(), User: user}))
	}
	for _, app := range worldApps {
		errs = append(errs, tx.PutDevice(store.Device{Hash: grantHash(app, 0), UserCode: grantHash(app, 0), Application: app}))
		for _, user := range worldUsers[:2] {
			h := grantHash(app, user)
			errs = append(errs, tx.PutCode(store.Code{Hash: h, Application: app, User: user}),
				tx.PutGrant(store.Grant{ID: h, Application: app, User: user}),
				tx.PutConsent(store.Consent{Application: app, User: user}))
		}
	}
	decided := store.Device{Hash: grantHash(100, 201), UserCode: grantHash(100, 201), Application: 100, User: 201}
	return errors.Join(append(errs, tx.PutDevice(decided))...)
}

// grants notes a pair of application and user when it has a code, a grant and a consent, and what only one of them has.
func (c *counter) grants(r store.Reader) {
	keys, err := r.SigningKeys()
	add(c, keys, err, func(k store.SigningKey) string { return k.ID })
	for _, user := range worldUsers[:2] {
		sessions, err := one(r.Session(grantHash(0, user)))
		add(c, sessions, err, func(s store.Session) string { return fmt.Sprintf("session %d", s.User) })
		accounts, err := one(r.Account("i", user.String()))
		add(c, accounts, err, func(a store.Account) string { return fmt.Sprintf("account %d", a.User) })
	}
	for _, app := range worldApps {
		for _, user := range []snowflake.User{0, 200, 201} {
			devices, err := one(r.Device(grantHash(app, user)))
			add(c, devices, err, func(d store.Device) string { return fmt.Sprintf("device %d/%d", d.Application, d.User) })
			if user == 0 {
				continue
			}
			codes, codeErr := one(r.Code(grantHash(app, user)))
			grants, grantErr := r.Grants(app, user)
			consents, consentErr := one(r.Consent(app, user))
			c.errs = append(c.errs, codeErr, grantErr, consentErr)
			switch {
			case len(codes)+len(grants)+len(consents) == 3:
				c.lines = append(c.lines, fmt.Sprintf("%d/%d", app, user))
			case len(codes)+len(grants)+len(consents) > 0:
				c.lines = append(c.lines, fmt.Sprintf("a part of %d/%d", app, user))
			}
		}
	}
}
