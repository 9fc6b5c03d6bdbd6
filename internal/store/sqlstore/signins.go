package sqlstore

import (
	"time"

	"github.com/bellhop/bellhop/internal/store"
)

const (
	selectDevice           = "SELECT hash, doc FROM oauth_devices WHERE hash = ?"
	selectDeviceByUserCode = "SELECT hash, doc FROM oauth_devices WHERE user_code = ?"
	upsertDevice           = "INSERT INTO oauth_devices (hash, user_code, application_id, user_id, until, doc) VALUES (?, ?, ?, ?, ?, ?)" +
		" ON CONFLICT (hash) DO UPDATE SET user_code = excluded.user_code, application_id = excluded.application_id," +
		" user_id = excluded.user_id, until = excluded.until, doc = excluded.doc"
	deleteDevice = "DELETE FROM oauth_devices WHERE hash = ?"

	selectKeys = "SELECT doc FROM oauth_keys ORDER BY made, id"
	upsertKey  = "INSERT INTO oauth_keys (id, made, doc) VALUES (?, ?, ?)" +
		" ON CONFLICT (id) DO UPDATE SET made = excluded.made, doc = excluded.doc"
	deleteKey = "DELETE FROM oauth_keys WHERE id = ?"

	selectSession = "SELECT hash, doc FROM oauth_sessions WHERE hash = ?"
	upsertSession = "INSERT INTO oauth_sessions (hash, user_id, until, doc) VALUES (?, ?, ?, ?)" +
		" ON CONFLICT (hash) DO UPDATE SET user_id = excluded.user_id, until = excluded.until, doc = excluded.doc"
	deleteSession = "DELETE FROM oauth_sessions WHERE hash = ?"

	selectAccount = "SELECT doc FROM oauth_accounts WHERE issuer = ? AND subject = ?"
	upsertAccount = "INSERT INTO oauth_accounts (issuer, subject, user_id, doc) VALUES (?, ?, ?, ?)" +
		" ON CONFLICT (issuer, subject) DO UPDATE SET user_id = excluded.user_id, doc = excluded.doc"
)

// deleteOutdated removes rows whose time is over, the longest outdated first.
var deleteOutdated = []string{
	"DELETE FROM oauth_codes WHERE hash IN (SELECT hash FROM oauth_codes WHERE until < ? ORDER BY until LIMIT ?)",
	"DELETE FROM oauth_devices WHERE hash IN (SELECT hash FROM oauth_devices WHERE until < ? ORDER BY until LIMIT ?)",
	"DELETE FROM oauth_sessions WHERE hash IN (SELECT hash FROM oauth_sessions WHERE until < ? ORDER BY until LIMIT ?)",
}

// Device returns a device that waits.
func (t *Tx) Device(hash store.TokenHash) (store.Device, error) {
	return findHashed(t, deviceHash, selectDevice, hash[:])
}

// DeviceByUserCode finds a device by the code that the user types.
func (t *Tx) DeviceByUserCode(hash store.TokenHash) (store.Device, error) {
	return findHashed(t, deviceHash, selectDeviceByUserCode, hash[:])
}

func deviceHash(d *store.Device) *store.TokenHash { return &d.Hash }

// PutDevice stores a device.
func (t *Tx) PutDevice(d store.Device) error {
	return t.put(upsertDevice, d, d.Hash[:], d.UserCode[:], key(d.Application), key(d.User), micros(d.Until))
}

// DeleteDevice removes a device.
func (t *Tx) DeleteDevice(hash store.TokenHash) error {
	return t.do(deleteDevice, hash[:])
}

// SigningKeys returns the keys of ID tokens.
func (t *Tx) SigningKeys() ([]store.SigningKey, error) { return list[store.SigningKey](t, selectKeys) }

// PutSigningKey stores a key.
func (t *Tx) PutSigningKey(k store.SigningKey) error {
	return t.put(upsertKey, k, k.ID, micros(k.Made))
}

// DeleteSigningKey removes a key.
func (t *Tx) DeleteSigningKey(id string) error {
	return t.do(deleteKey, id)
}

// Session returns a user who has signed in.
func (t *Tx) Session(hash store.TokenHash) (store.Session, error) {
	return findHashed(t, func(s *store.Session) *store.TokenHash { return &s.Hash }, selectSession, hash[:])
}

// PutSession stores a user who has signed in.
func (t *Tx) PutSession(s store.Session) error {
	return t.put(upsertSession, s, s.Hash[:], key(s.User), micros(s.Expires))
}

// DeleteSession removes a user who has signed in.
func (t *Tx) DeleteSession(hash store.TokenHash) error {
	return t.do(deleteSession, hash[:])
}

// Account returns a user at another identity provider.
func (t *Tx) Account(issuer, subject string) (store.Account, error) {
	return find[store.Account](t, selectAccount, issuer, subject)
}

// PutAccount stores a user at another identity provider.
func (t *Tx) PutAccount(a store.Account) error {
	return t.put(upsertAccount, a, a.Issuer, a.Subject, key(a.User))
}

// DeleteOutdated removes codes, devices and sessions whose time is over.
func (t *Tx) DeleteOutdated(now time.Time, limit int) (int, error) {
	if limit <= 0 {
		return 0, t.failed
	}
	total := 0
	for _, q := range deleteOutdated {
		n, err := t.exec(q, micros(now), int64(limit))
		if err != nil {
			return 0, err
		}
		total += int(n)
	}
	return total, nil
}
