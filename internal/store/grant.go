package store

import (
	"crypto/sha256"
	"slices"
	"strconv"
	"time"

	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// Code is an authorization code. It stays stored for a while after its use, so that a second use is detected.
type Code struct {
	Hash        TokenHash             `json:"-"`
	Application snowflake.Application `json:"application"`
	User        snowflake.User        `json:"user"`
	Scopes      []string              `json:"scopes"`
	RedirectURI string                `json:"redirect_uri,omitzero"` // as the client sent it; may be empty
	Challenge   string                `json:"challenge,omitzero"`
	Nonce       string                `json:"nonce,omitzero"`
	Guild       snowflake.Guild       `json:"guild,omitzero"` // the guild that the user added the bot to
	Permissions permission.Bits       `json:"permissions,omitzero"`
	SignedIn    time.Time             `json:"signed_in,omitzero"`
	Expires     time.Time             `json:"expires"`
	Until       time.Time             `json:"until"` // when the record may be deleted
	// Grant is the grant that the code was exchanged for; zero before its use.
	Grant TokenHash `json:"grant,omitzero"`
}

// Grant is an access token and the refresh token that is exchanged for the next pair.
type Grant struct {
	// ID is the hash of the part that all refresh tokens of the grant share.
	ID          TokenHash             `json:"-"`
	Application snowflake.Application `json:"application"`
	User        snowflake.User        `json:"user"`
	Scopes      []string              `json:"scopes"`
	Access      TokenHash             `json:"access"`  // of the credential
	Refresh     TokenHash             `json:"refresh"` // of the only valid refresh token
	Created     time.Time             `json:"created"`
	Used        time.Time             `json:"used,omitzero"` // when the current pair of tokens was issued
	Until       time.Time             `json:"until"`         // when the refresh token expires
}

// Consent holds all scopes that a user has granted to an application.
type Consent struct {
	Application snowflake.Application `json:"application"`
	User        snowflake.User        `json:"user"`
	Scopes      []string              `json:"scopes"`
	Created     time.Time             `json:"created"`
}

// Decision is a user's decision about a device.
type Decision uint8

// The decisions.
const (
	Undecided Decision = 0
	Approved  Decision = 1
	Denied    Decision = 2
)

// Device is a device that waits until a user enters its code on another device.
type Device struct {
	Hash        TokenHash             `json:"-"`         // of the code that the device holds
	UserCode    TokenHash             `json:"user_code"` // of the code that the user enters
	Application snowflake.Application `json:"application"`
	Scopes      []string              `json:"scopes"`
	User        snowflake.User        `json:"user,omitzero"` // the user who decided
	Decision    Decision              `json:"decision,omitzero"`
	Interval    int                   `json:"interval,omitzero"` // minimum number of seconds between two requests of the device
	Asked       time.Time             `json:"asked,omitzero"`
	Expires     time.Time             `json:"expires"`
	Until       time.Time             `json:"until"` // when the record may be deleted
}

// SigningKey signs ID tokens.
type SigningKey struct {
	ID      string    `json:"id"`
	Private []byte    `json:"private"`         // PKCS #8
	Sealed  string    `json:"sealed,omitzero"` // name of the key that Private is encrypted with; empty: not encrypted
	Created time.Time `json:"created"`
}

// Session is a browser session of a signed-in user.
type Session struct {
	Hash    TokenHash      `json:"-"`
	User    snowflake.User `json:"user"`
	Agent   string         `json:"agent,omitzero"` // the browser, as its User-Agent header says
	For     string         `json:"for,omitzero"`   // hash of the path and query that the user signed in for
	Created time.Time      `json:"created"`
	Used    time.Time      `json:"used,omitzero"` // roughly when the browser last used it; zero: when it was created
	Expires time.Time      `json:"expires"`
	// Provider is the sign-in that the session began with; zero: the user signed in without an identity provider.
	Provider ProviderSession `json:"provider,omitzero"`
}

// ProviderSession is the sign-in of a user or an operator at an identity provider.
type ProviderSession struct {
	Issuer  string `json:"issuer"`
	Subject string `json:"subject"`
	ID      string `json:"id,omitzero"` // the sid of the provider's session; empty: the provider names none
}

// hash returns the value of the column provider, nil without an id.
func (p ProviderSession) hash() any {
	if p.ID == "" {
		return nil
	}
	sum := sha256.Sum256([]byte(strconv.Itoa(len(p.Issuer)) + " " + p.Issuer + p.ID))
	return sum[:]
}

// Assertion is a signed client assertion that was used. It is stored until it expires, so that it is used once.
type Assertion struct {
	Hash        TokenHash             `json:"-"` // of the application and the id of the assertion
	Application snowflake.Application `json:"application"`
	Until       time.Time             `json:"until"` // when the assertion expires
}

// Account is a user at another identity provider.
type Account struct {
	Issuer  string         `json:"issuer"`
	Subject string         `json:"subject"`
	User    snowflake.User `json:"user"`
}

func (c Code) subjects() []Subject { return []Subject{CodeSubject(c.Hash)} }

func (c Code) write(w *writes) {
	w.put(codesTable, c.Hash[:], key(c.Application), key(c.User), micros(c.Until), w.doc(c))
}

// CodeKey names an authorization code.
func CodeKey(hash TokenHash) Key {
	return Key{ends: []Subject{CodeSubject(hash)}, rows: []rowKey{{codesTable, []string{"hash"}, []any{hash[:]}}}}
}

func (g Grant) subjects() []Subject { return []Subject{GrantSubject(g.ID)} }

func (g Grant) write(w *writes) {
	w.put(grantsTable, g.ID[:], key(g.Application), key(g.User), micros(g.Until), w.doc(g))
}

// GrantKey names a grant.
func GrantKey(id TokenHash) Key {
	return Key{ends: []Subject{GrantSubject(id)}, rows: []rowKey{{grantsTable, []string{"id"}, []any{id[:]}}}}
}

func (c Consent) subjects() []Subject { return []Subject{ConsentSubject(c.Application, c.User)} }

func (c Consent) write(w *writes) {
	w.put(consentsTable, key(c.Application), key(c.User), w.doc(c))
}

// ConsentKey names the consent of a user to an application.
func ConsentKey(app snowflake.Application, user snowflake.User) Key {
	return Key{
		ends: []Subject{ConsentSubject(app, user)},
		rows: []rowKey{{consentsTable, []string{"application_id", "user_id"}, []any{key(app), key(user)}}},
	}
}

func (d Device) subjects() []Subject { return []Subject{DeviceSubject(d.Hash)} }

func (d Device) write(w *writes) {
	w.put(devicesTable, d.Hash[:], d.UserCode[:], key(d.Application), key(d.User), micros(d.Until), w.doc(d))
}

// DeviceKey names a device.
func DeviceKey(hash TokenHash) Key {
	return Key{ends: []Subject{DeviceSubject(hash)}, rows: []rowKey{{devicesTable, []string{"hash"}, []any{hash[:]}}}}
}

func (k SigningKey) subjects() []Subject { return []Subject{KeysSubject()} }

func (k SigningKey) write(w *writes) {
	w.put(keysTable, k.ID, micros(k.Created), w.doc(k))
}

// SigningKeyKey names a signing key.
func SigningKeyKey(id string) Key {
	return Key{subs: []Subject{KeysSubject()}, rows: []rowKey{{keysTable, []string{"id"}, []any{id}}}}
}

func (s Session) subjects() []Subject { return []Subject{SessionSubject(s.Hash)} }

func (s Session) write(w *writes) {
	w.put(sessionsTable, s.Hash[:], key(s.User), micros(s.Expires), w.doc(s), s.Provider.hash())
}

// SessionKey names a session.
func SessionKey(hash TokenHash) Key {
	return Key{ends: []Subject{SessionSubject(hash)}, rows: []rowKey{{sessionsTable, []string{"hash"}, []any{hash[:]}}}}
}

func (a Assertion) subjects() []Subject { return []Subject{AssertionSubject(a.Hash)} }

func (a Assertion) write(w *writes) {
	w.put(assertionsTable, a.Hash[:], micros(a.Until), w.doc(a))
}

// AssertionKey names a used client assertion.
func AssertionKey(hash TokenHash) Key {
	return Key{ends: []Subject{AssertionSubject(hash)}, rows: []rowKey{{assertionsTable, []string{"hash"}, []any{hash[:]}}}}
}

func (a Account) subjects() []Subject { return []Subject{AccountSubject(a.Issuer, a.Subject)} }

func (a Account) write(w *writes) {
	w.put(accountsTable, a.Issuer, a.Subject, key(a.User), w.doc(a))
}

// AccountKey names a user at another identity provider.
func AccountKey(issuer, subject string) Key {
	return Key{
		ends: []Subject{AccountSubject(issuer, subject)},
		rows: []rowKey{{accountsTable, []string{"issuer", "subject"}, []any{issuer, subject}}},
	}
}

// GrantQueries reads codes, grants, consents, devices, signing keys, sessions, assertions and accounts.
type GrantQueries struct{ *reader }

func codeHash(c *Code) *TokenHash       { return &c.Hash }
func grantID(g *Grant) *TokenHash       { return &g.ID }
func deviceHash(d *Device) *TokenHash   { return &d.Hash }
func sessionHash(s *Session) *TokenHash { return &s.Hash }

func assertionHash(a *Assertion) *TokenHash { return &a.Hash }

// Code returns an authorization code.
func (q GrantQueries) Code(hash TokenHash) (Code, error) {
	q.read(CodeSubject(hash))
	return findHashed(q.reader, codeHash, codesTable, []string{"hash"}, hash[:])
}

// Codes returns the codes of an application and a user.
func (q GrantQueries) Codes(app snowflake.Application, user snowflake.User) ([]Code, error) {
	return listHashed(q.reader, codeHash, codesTable, []string{"application_id", "user_id"}, key(app), key(user))
}

// Grant returns a grant.
func (q GrantQueries) Grant(id TokenHash) (Grant, error) {
	q.read(GrantSubject(id))
	return findHashed(q.reader, grantID, grantsTable, []string{"id"}, id[:])
}

// Grants returns the grants of an application and a user, in the order of their ids.
func (q GrantQueries) Grants(app snowflake.Application, user snowflake.User) ([]Grant, error) {
	return listHashed(q.reader, grantID, grantsTable, []string{"application_id", "user_id"}, key(app), key(user))
}

// ConsentsOfUser returns a page of the consents of a user, ordered by application.
func (q GrantQueries) ConsentsOfUser(user snowflake.User, after snowflake.Application, limit int) ([]Consent, error) {
	return list[Consent](q.reader, consentsTable, page{"application_id", key(after), limit}, []string{"user_id"}, key(user))
}

// ConsentsOfApplication returns a page of the consents to an application, ordered by user.
func (q GrantQueries) ConsentsOfApplication(app snowflake.Application, after snowflake.User, limit int) ([]Consent, error) {
	return list[Consent](q.reader, consentsTable, page{"user_id", key(after), limit}, []string{"application_id"}, key(app))
}

// Consent returns the consent of a user to an application.
func (q GrantQueries) Consent(app snowflake.Application, user snowflake.User) (Consent, error) {
	q.read(ConsentSubject(app, user))
	return find[Consent](q.reader, consentsTable, key(app), key(user))
}

// Device returns a device.
func (q GrantQueries) Device(hash TokenHash) (Device, error) {
	q.read(DeviceSubject(hash))
	return findHashed(q.reader, deviceHash, devicesTable, []string{"hash"}, hash[:])
}

// DeviceByUserCode finds a device by the hash of the code that the user enters.
func (q GrantQueries) DeviceByUserCode(hash TokenHash) (Device, error) {
	d, err := findHashed(q.reader, deviceHash, devicesTable, []string{"user_code"}, hash[:])
	if err == nil {
		q.read(DeviceSubject(d.Hash))
	}
	return d, err
}

// Devices counts the devices of an application, up to most.
func (q GrantQueries) Devices(app snowflake.Application, most int) (int, error) {
	n, err := q.number("SELECT COUNT(*) FROM (SELECT 1 FROM oauth_devices WHERE application_id = ? LIMIT ?) AS found", key(app), int64(most))
	return int(n), err
}

// SigningKeys returns the keys, oldest first.
func (q GrantQueries) SigningKeys() ([]SigningKey, error) {
	q.read(KeysSubject())
	keys, err := list[SigningKey](q.reader, keysTable, page{}, nil)
	slices.SortStableFunc(keys, func(a, b SigningKey) int { return a.Created.Compare(b.Created) })
	return keys, err
}

// Session returns a session.
func (q GrantQueries) Session(hash TokenHash) (Session, error) {
	q.read(SessionSubject(hash))
	return findHashed(q.reader, sessionHash, sessionsTable, []string{"hash"}, hash[:])
}

// Sessions returns the sessions of a user, in the order of their hashes.
func (q GrantQueries) Sessions(user snowflake.User) ([]Session, error) {
	return listHashed(q.reader, sessionHash, sessionsTable, []string{"user_id"}, key(user))
}

// SessionsOfProvider returns the sessions that began with a session at an identity provider. The id of that session is not empty.
func (q GrantQueries) SessionsOfProvider(issuer, id string) ([]Session, error) {
	return listHashed(q.reader, sessionHash, sessionsTable, []string{"provider"}, ProviderSession{Issuer: issuer, ID: id}.hash())
}

// Assertion returns a used client assertion.
func (q GrantQueries) Assertion(hash TokenHash) (Assertion, error) {
	q.read(AssertionSubject(hash))
	return findHashed(q.reader, assertionHash, assertionsTable, []string{"hash"}, hash[:])
}

// Accounts returns the identities of a user at other providers.
func (q GrantQueries) Accounts(user snowflake.User) ([]Account, error) {
	return list[Account](q.reader, accountsTable, page{}, []string{"user_id"}, key(user))
}

// Account returns a user at another identity provider.
func (q GrantQueries) Account(issuer, subject string) (Account, error) {
	q.read(AccountSubject(issuer, subject))
	return find[Account](q.reader, accountsTable, issuer, subject)
}

// Outdated returns the keys of codes, devices, sessions, assertions and grants that may be deleted at now, up to limit of
// each.
func (q GrantQueries) Outdated(now time.Time, limit int) ([]Key, error) {
	var keys []Key
	for _, t := range []struct {
		selecting string
		key       func(TokenHash) Key
	}{
		{"SELECT hash FROM oauth_codes", CodeKey},
		{"SELECT hash FROM oauth_devices", DeviceKey},
		{"SELECT hash FROM oauth_sessions", SessionKey},
		{"SELECT hash FROM oauth_assertions", AssertionKey},
		{"SELECT id FROM oauth_grants", GrantKey},
	} {
		hashes, err := q.hashes(t.selecting+" WHERE until < ? ORDER BY until LIMIT ?", micros(now), int64(limit))
		if err != nil {
			return nil, err
		}
		for _, h := range hashes {
			keys = append(keys, t.key(h))
		}
	}
	return keys, nil
}

// OfApplication returns the keys of the codes, devices, grants and consents of an application, up to limit of each.
func (q GrantQueries) OfApplication(app snowflake.Application, limit int) ([]Key, error) {
	return q.belonging("application_id", key(app), limit, false)
}

// OfUser returns the keys of the codes, devices, grants, consents, sessions and accounts of a user, up to limit of
// each.
func (q GrantQueries) OfUser(user snowflake.User, limit int) ([]Key, error) {
	return q.belonging("user_id", key(user), limit, true)
}

func (q GrantQueries) belonging(column string, id int64, limit int, user bool) ([]Key, error) {
	condition := " WHERE " + column + " = ? LIMIT ?"
	tables := []struct {
		selecting string
		key       func(Row) Key
	}{
		{"SELECT hash FROM oauth_codes", func(r Row) Key { return CodeKey(TokenHash(r.bytes(0))) }},
		{"SELECT hash FROM oauth_devices", func(r Row) Key { return DeviceKey(TokenHash(r.bytes(0))) }},
		{"SELECT id FROM oauth_grants", func(r Row) Key { return GrantKey(TokenHash(r.bytes(0))) }},
		{"SELECT application_id, user_id FROM oauth_consents", func(r Row) Key {
			return ConsentKey(snowflake.Application(r.int(0)), snowflake.User(r.int(1)))
		}},
		{"SELECT hash FROM oauth_sessions", func(r Row) Key { return SessionKey(TokenHash(r.bytes(0))) }},
		{"SELECT issuer, subject FROM oauth_accounts", func(r Row) Key { return AccountKey(r.text(0), r.text(1)) }},
	}
	if !user {
		tables = tables[:4] // applications have no sessions and accounts
	}
	var keys []Key
	for _, t := range tables {
		err := q.q.Query(t.selecting+condition, []any{id, int64(limit)}, func(row Row) error {
			keys = append(keys, t.key(row))
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return keys, nil
}
