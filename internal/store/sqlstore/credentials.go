package sqlstore

import (
	"time"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

const (
	selectByHash     = "SELECT hash, doc FROM credentials WHERE hash = ?"
	selectByOwner    = "SELECT hash, doc FROM credentials WHERE kind = ? AND application_id = ? AND user_id = ? ORDER BY hash"
	upsertCredential = "INSERT INTO credentials (hash, kind, application_id, user_id, expires, doc) VALUES (?, ?, ?, ?, ?, ?)" +
		" ON CONFLICT (hash) DO UPDATE SET kind = excluded.kind, application_id = excluded.application_id," +
		" user_id = excluded.user_id, expires = excluded.expires, doc = excluded.doc"
	deleteCredential = "DELETE FROM credentials WHERE hash = ?"
	deleteExpired    = "DELETE FROM credentials WHERE hash IN" +
		" (SELECT hash FROM credentials WHERE expires < ? ORDER BY expires LIMIT ?)"
)

// Credential returns what a token allows.
func (t *Tx) Credential(hash store.TokenHash) (store.Credential, error) {
	found, err := t.credentials(selectByHash, hash[:])
	if err != nil {
		return store.Credential{}, err
	}
	if len(found) == 0 {
		return store.Credential{}, store.ErrNotFound
	}
	return found[0], nil
}

// Credentials returns those of a kind that belong to an application and a user.
func (t *Tx) Credentials(
	kind store.CredentialKind, app snowflake.Application, user snowflake.User,
) ([]store.Credential, error) {
	return t.credentials(selectByOwner, int64(kind), key(app), key(user))
}

func (t *Tx) credentials(query string, args ...any) ([]store.Credential, error) {
	var found []store.Credential
	err := t.query(query, func(r Row) error {
		var c store.Credential
		copy(c.Hash[:], r.bytes(0))
		if err := decode(r.bytes(1), &c); err != nil {
			return err
		}
		found = append(found, c)
		return nil
	}, args...)
	return found, err
}

// PutCredential stores a credential.
func (t *Tx) PutCredential(c store.Credential) error {
	var expires any // NULL
	if !c.Expires.IsZero() {
		expires = micros(c.Expires)
	}
	return t.put(upsertCredential, c, c.Hash[:], int64(c.Kind), key(c.Application), key(c.User), expires)
}

// DeleteCredential removes a credential.
func (t *Tx) DeleteCredential(hash store.TokenHash) error {
	return t.do(deleteCredential, hash[:])
}

// DeleteExpired removes what expired before now, the longest expired first.
func (t *Tx) DeleteExpired(now time.Time, limit int) (int, error) {
	if limit <= 0 {
		return 0, t.failed
	}
	n, err := t.exec(deleteExpired, micros(now), int64(limit))
	return int(n), err
}
