package storetest

import (
	"fmt"
	"strconv"
	"time"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

func grantQueryCases() []queryCase {
	bearer := func(n byte, app snowflake.Application, user snowflake.User, minutes int) store.Credential {
		c := store.Credential{Hash: store.TokenHash{n}, Kind: store.BearerToken, Application: app, User: user}
		if minutes > 0 {
			c.Expires = noon.Add(time.Duration(minutes) * time.Minute)
		}
		return c
	}
	bot := store.Credential{Hash: store.TokenHash{4}, Kind: store.BotToken, Application: 100}
	credentials := func(kind store.CredentialKind, app snowflake.Application, user snowflake.User, want ...store.Credential) query {
		return q(fmt.Sprint("Credentials() ", kind, app, user), want, func(r store.Reader) ([]store.Credential, error) {
			return r.Credentials.Credentials(kind, app, user)
		})
	}
	hashes := func(name string, get func(store.Reader) ([]store.TokenHash, error), want ...byte) query {
		return snapshotQuery(name, want, func(r store.Reader) ([]byte, error) {
			list, err := get(r)
			var first []byte
			for _, h := range list {
				first = append(first, h[0])
			}
			return first, err
		})
	}
	grant := func(n byte, user snowflake.User) store.Grant {
		return store.Grant{ID: store.TokenHash{n}, Application: 100, User: user}
	}
	session := func(n byte, issuer, id string) store.Session {
		return store.Session{Hash: store.TokenHash{n}, User: 200, Provider: store.ProviderSession{Issuer: issuer, Subject: "s", ID: id}}
	}
	granted := func(n byte, app snowflake.Application, user snowflake.User, until time.Time) []store.Record {
		h := store.TokenHash{n}
		return []store.Record{
			store.Code{Hash: h, Application: app, User: user, Until: until},
			store.Grant{ID: h, Application: app, User: user, Until: until},
			store.Assertion{Hash: h, Application: app, Until: until},
			store.Consent{Application: app, User: user},
			store.Device{Hash: h, UserCode: h, Application: app, User: user, Until: until},
			store.Session{Hash: h, User: user, Expires: until},
			store.Account{Issuer: "i", Subject: strconv.Itoa(int(n)), User: user},
		}
	}
	keys := func(name string, want int, get func(store.Reader) ([]store.Key, error)) query {
		return snapshotQuery(name, want, func(r store.Reader) (int, error) { return length(get(r)) })
	}
	return []queryCase{
		{
			name:   "tokens",
			put:    []store.Record{bearer(200, 100, 200, 3), bearer(3, 100, 0, 1), bot, bearer(1, 100, 200, 2), bearer(7, 101, 200, 0), bearer(8, 100, 200, 1)},
			delete: []store.Key{store.CredentialKey(store.TokenHash{8})},
			queries: []query{
				credentials(store.BearerToken, 100, 200, bearer(1, 100, 200, 2), bearer(200, 100, 200, 3)), credentials(store.BearerToken, 100, 0, bearer(3, 100, 0, 1)),
				credentials(store.BearerToken, 0, 200), credentials(store.BotToken, 100, 0, bot), credentials(store.UserToken, 0, 200),
				hashes("Expired()", func(r store.Reader) ([]store.TokenHash, error) {
					return r.Credentials.Expired(noon.Add(3*time.Minute), 9)
				}, 3, 1),
				hashes("Expired() of one", func(r store.Reader) ([]store.TokenHash, error) { return r.Credentials.Expired(noon.Add(time.Hour), 1) }, 3),
				snapshotQuery("OfApplication()", 3, func(r store.Reader) (int, error) { return length(r.Credentials.OfApplication(100, 3)) }),
				snapshotQuery("OfUser()", 3, func(r store.Reader) (int, error) { return length(r.Credentials.OfUser(200, 9)) }),
			},
		},
		{
			name: "grants and signing keys",
			put: []store.Record{
				grant(200, 200),
				store.SigningKey{ID: "a", Created: noon.Add(time.Hour)},
				grant(3, 201),
				store.SigningKey{ID: "z", Created: noon},
				grant(1, 200), grant(9, 200),
				store.ServiceKey{Name: "hooks", Created: noon},
			},
			delete: []store.Key{store.GrantKey(store.TokenHash{9}), store.SigningKeyKey("unknown")},
			queries: []query{
				q("Grants()", []store.Grant{grant(1, 200), grant(200, 200)}, func(r store.Reader) ([]store.Grant, error) { return r.Grants.Grants(100, 200) }),
				q("Grants() of another", nil, func(r store.Reader) ([]store.Grant, error) { return r.Grants.Grants(101, 200) }),
				q("ServiceKeys()", []store.ServiceKey{{Name: "hooks", Created: noon}},
					func(r store.Reader) ([]store.ServiceKey, error) { return r.Grants.ServiceKeys() }),
				q("SigningKeys()", []store.SigningKey{{ID: "z", Created: noon}, {ID: "a", Created: noon.Add(time.Hour)}},
					func(r store.Reader) ([]store.SigningKey, error) { return r.Grants.SigningKeys() }),
			},
		},
		{
			name: "sessions of providers",
			put: []store.Record{
				session(1, "i", "sid"), session(2, "i", "sid"), session(3, "other", "sid"), session(4, "i", ""), session(5, "i", "sid"), store.Session{Hash: store.TokenHash{6}, User: 200},
			},
			delete: []store.Key{store.SessionKey(store.TokenHash{5})},
			queries: []query{
				q("SessionsOfProvider()", []store.Session{session(1, "i", "sid"), session(2, "i", "sid")}, func(r store.Reader) ([]store.Session, error) {
					return r.Grants.SessionsOfProvider("i", "sid")
				}),
				q("SessionsOfProvider() of none", nil, func(r store.Reader) ([]store.Session, error) { return r.Grants.SessionsOfProvider("i", "x") }),
			},
		},
		{
			name: "keys of grants",
			put:  append(granted(1, 100, 200, noon), append(granted(2, 101, 200, noon.Add(time.Hour)), granted(3, 100, 201, noon.Add(time.Minute))...)...),
			queries: []query{
				q("Codes()", 1, func(r store.Reader) (int, error) { return length(r.Grants.Codes(100, 201)) }),
				q("Sessions()", 2, func(r store.Reader) (int, error) { return length(r.Grants.Sessions(200)) }),
				q("Accounts()", 2, func(r store.Reader) (int, error) { return length(r.Grants.Accounts(200)) }),
				q("ConsentsOfUser()", []store.Consent{{Application: 101, User: 200}}, func(r store.Reader) ([]store.Consent, error) {
					return r.Grants.ConsentsOfUser(200, 100, 9)
				}),
				q("ConsentsOfUser() of one", 1, func(r store.Reader) (int, error) { return length(r.Grants.ConsentsOfUser(200, 0, 1)) }),
				q("ConsentsOfApplication()", []store.Consent{{Application: 100, User: 201}}, func(r store.Reader) ([]store.Consent, error) {
					return r.Grants.ConsentsOfApplication(100, 200, 9)
				}),
				keys("OfApplication()", 8, func(r store.Reader) ([]store.Key, error) { return r.Grants.OfApplication(100, 9) }),
				keys("OfApplication() with a limit", 4, func(r store.Reader) ([]store.Key, error) { return r.Grants.OfApplication(100, 1) }),
				keys("OfUser()", 12, func(r store.Reader) ([]store.Key, error) { return r.Grants.OfUser(200, 9) }),
				keys("Outdated()", 10, func(r store.Reader) ([]store.Key, error) { return r.Grants.Outdated(noon.Add(2*time.Minute), 9) }),
				keys("Outdated() with a limit", 5, func(r store.Reader) ([]store.Key, error) { return r.Grants.Outdated(noon.Add(2*time.Minute), 1) }),
			},
		},
	}
}
