package store

import (
	"time"

	"github.com/bellhop/bellhop/snowflake"
)

// TokenHash is the SHA-256 of a token. Tokens are never stored.
type TokenHash [32]byte

// CredentialKind is the kind of a token.
type CredentialKind uint8

// The kinds of tokens.
const (
	BotToken    CredentialKind = 1 // an application's bot
	UserToken   CredentialKind = 2 // a user's client
	BearerToken CredentialKind = 3 // an OAuth2 access token
	AdminToken  CredentialKind = 4 // an operator
)

// Credential is a stored token.
type Credential struct {
	Hash        TokenHash             `json:"-"`
	Kind        CredentialKind        `json:"kind"`
	Application snowflake.Application `json:"application,omitzero"` // of bot and bearer tokens
	User        snowflake.User        `json:"user,omitzero"`        // of user tokens, and of bearer tokens that act for a user
	Scopes      []string              `json:"scopes,omitzero"`      // of bearer tokens and operator tokens
	Expires     time.Time             `json:"expires,omitzero"`     // zero means never
	Name        string                `json:"name,omitzero"`        // of operator tokens
	Created     time.Time             `json:"created,omitzero"`     // of operator tokens
	Session     bool                  `json:"session,omitzero"`     // of operator tokens: valid only as the cookie of a browser
	Browser     TokenHash             `json:"browser,omitzero"`     // the browser session that a temporary user token ends with
	Used        time.Time             `json:"used,omitzero"`        // of sessions of operators: roughly when the browser last used it
	Provider    ProviderSession       `json:"provider,omitzero"`    // of sessions of operators who signed in at an identity provider
}

// lasting reports whether tokens of the kind are valid until they are replaced.
func (k CredentialKind) lasting() bool { return k != BearerToken }

func (c Credential) subjects() []Subject {
	subjects := []Subject{CredentialSubject(c.Hash)}
	if c.Kind.lasting() {
		subjects = append(subjects, TokensSubject(c.Application, c.User))
	}
	return subjects
}

func (c Credential) write(w *writes) {
	w.put(credentialsTable, c.Hash[:], int64(c.Kind), key(c.Application), key(c.User), microsOrNull(c.Expires), w.doc(c))
}

// CredentialKey names a token.
func CredentialKey(hash TokenHash) Key {
	return Key{ends: []Subject{CredentialSubject(hash)}, rows: []rowKey{{credentialsTable, []string{"hash"}, []any{hash[:]}}}}
}

// CredentialQueries reads tokens.
type CredentialQueries struct{ *reader }

func credentialHash(c *Credential) *TokenHash { return &c.Hash }

// Credential returns a token.
func (q CredentialQueries) Credential(hash TokenHash) (Credential, error) {
	q.read(CredentialSubject(hash))
	return findHashed(q.reader, credentialHash, credentialsTable, []string{"hash"}, hash[:])
}

// Credentials returns the tokens of a kind that belong to an application and a user. An id of 0 matches only tokens
// without one.
func (q CredentialQueries) Credentials(kind CredentialKind, app snowflake.Application, user snowflake.User) ([]Credential, error) {
	if kind.lasting() {
		q.read(TokensSubject(app, user))
	}
	return listHashed(q.reader, credentialHash, credentialsTable, []string{"kind", "application_id", "user_id"}, int64(kind), key(app), key(user))
}

// OfApplication returns up to limit tokens of an application.
func (q CredentialQueries) OfApplication(app snowflake.Application, limit int) ([]TokenHash, error) {
	return q.hashes("SELECT hash FROM credentials WHERE application_id = ? LIMIT ?", key(app), int64(limit))
}

// OfUser returns up to limit tokens of a user.
func (q CredentialQueries) OfUser(user snowflake.User, limit int) ([]TokenHash, error) {
	return q.hashes("SELECT hash FROM credentials WHERE user_id = ? LIMIT ?", key(user), int64(limit))
}

// Expired returns up to limit tokens that expired before now, oldest first.
func (q CredentialQueries) Expired(now time.Time, limit int) ([]TokenHash, error) {
	return q.hashes("SELECT hash FROM credentials WHERE expires < ? ORDER BY expires LIMIT ?", micros(now), int64(limit))
}

// hashes returns the hashes that a query selects.
func (r *reader) hashes(query string, args ...any) ([]TokenHash, error) {
	var found []TokenHash
	err := r.q.Query(query, args, func(row Row) error {
		var h TokenHash
		copy(h[:], row.bytes(0))
		found = append(found, h)
		return nil
	})
	return found, err
}
