package sqlstore

import (
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

const (
	selectCode = "SELECT hash, doc FROM oauth_codes WHERE hash = ?"
	upsertCode = "INSERT INTO oauth_codes (hash, application_id, user_id, until, doc) VALUES (?, ?, ?, ?, ?)" +
		" ON CONFLICT (hash) DO UPDATE SET application_id = excluded.application_id, user_id = excluded.user_id," +
		" until = excluded.until, doc = excluded.doc"
	deleteCodes = "DELETE FROM oauth_codes WHERE application_id = ? AND user_id = ?"

	selectGrant  = "SELECT id, doc FROM oauth_grants WHERE id = ?"
	selectGrants = "SELECT id, doc FROM oauth_grants WHERE application_id = ? AND user_id = ? ORDER BY id"
	upsertGrant  = "INSERT INTO oauth_grants (id, application_id, user_id, doc) VALUES (?, ?, ?, ?)" +
		" ON CONFLICT (id) DO UPDATE SET application_id = excluded.application_id, user_id = excluded.user_id, doc = excluded.doc"
	deleteGrant = "DELETE FROM oauth_grants WHERE id = ?"

	selectConsent = "SELECT doc FROM oauth_consents WHERE application_id = ? AND user_id = ?"
	upsertConsent = "INSERT INTO oauth_consents (application_id, user_id, doc) VALUES (?, ?, ?)" +
		" ON CONFLICT (application_id, user_id) DO UPDATE SET doc = excluded.doc"
	deleteConsent = "DELETE FROM oauth_consents WHERE application_id = ? AND user_id = ?"
)

// Code returns an authorization code.
func (t *Tx) Code(hash store.TokenHash) (store.Code, error) {
	return findHashed(t, func(c *store.Code) *store.TokenHash { return &c.Hash }, selectCode, hash[:])
}

// PutCode stores an authorization code.
func (t *Tx) PutCode(c store.Code) error {
	return t.put(upsertCode, c, c.Hash[:], key(c.Application), key(c.User), micros(c.Until))
}

// DeleteCodes removes the codes of an application and a user.
func (t *Tx) DeleteCodes(app snowflake.Application, user snowflake.User) error {
	return t.do(deleteCodes, key(app), key(user))
}

// Grant returns a grant.
func (t *Tx) Grant(id store.TokenHash) (store.Grant, error) {
	return findHashed(t, grantID, selectGrant, id[:])
}

// Grants returns the grants of an application and a user.
func (t *Tx) Grants(app snowflake.Application, user snowflake.User) ([]store.Grant, error) {
	return listHashed(t, grantID, selectGrants, key(app), key(user))
}

func grantID(g *store.Grant) *store.TokenHash { return &g.ID }

// PutGrant stores a grant.
func (t *Tx) PutGrant(g store.Grant) error {
	return t.put(upsertGrant, g, g.ID[:], key(g.Application), key(g.User))
}

// DeleteGrant removes a grant.
func (t *Tx) DeleteGrant(id store.TokenHash) error {
	return t.do(deleteGrant, id[:])
}

// Consent returns what a user has allowed an application.
func (t *Tx) Consent(app snowflake.Application, user snowflake.User) (store.Consent, error) {
	return find[store.Consent](t, selectConsent, key(app), key(user))
}

// PutConsent stores what a user has allowed an application.
func (t *Tx) PutConsent(c store.Consent) error {
	return t.put(upsertConsent, c, key(c.Application), key(c.User))
}

// DeleteConsent removes what a user has allowed an application.
func (t *Tx) DeleteConsent(app snowflake.Application, user snowflake.User) error {
	return t.do(deleteConsent, key(app), key(user))
}

// listHashed returns the records whose hash and document a query selects; the document does not hold the hash.
func listHashed[T any](t *Tx, hash func(*T) *store.TokenHash, query string, args ...any) ([]T, error) {
	var records []T
	err := t.query(query, func(r Row) error {
		var record T
		copy(hash(&record)[:], r.bytes(0))
		if err := decode(r.bytes(1), &record); err != nil {
			return err
		}
		records = append(records, record)
		return nil
	}, args...)
	return records, err
}

// findHashed returns the first record whose hash and document a query selects.
func findHashed[T any](t *Tx, hash func(*T) *store.TokenHash, query string, args ...any) (T, error) {
	found, err := listHashed(t, hash, query, args...)
	if err == nil && len(found) == 0 {
		err = store.ErrNotFound
	}
	if err != nil {
		var none T
		return none, err
	}
	return found[0], nil
}
