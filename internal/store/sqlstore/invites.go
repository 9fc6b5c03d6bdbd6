package sqlstore

import (
	"time"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

const (
	selectInvite = "SELECT lobby_id, application_id, channel_id, user_id, expires FROM lobby_invites WHERE hash = ?"
	oldestInvite = "SELECT expires FROM lobby_invites ORDER BY expires LIMIT 1"
	upsertInvite = "INSERT INTO lobby_invites (hash, lobby_id, application_id, channel_id, user_id, expires) VALUES (?, ?, ?, ?, ?, ?)" +
		" ON CONFLICT (hash) DO UPDATE SET lobby_id = excluded.lobby_id, application_id = excluded.application_id," +
		" channel_id = excluded.channel_id, user_id = excluded.user_id, expires = excluded.expires"
	deleteInvite = "DELETE FROM lobby_invites WHERE hash = ?"
	// expireInvites orders what it takes, so that two who clean up at once do not wait for each other in a circle.
	expireInvites = "DELETE FROM lobby_invites WHERE hash IN (SELECT hash FROM lobby_invites WHERE expires <= ? ORDER BY expires, hash LIMIT ?)"
)

// Invite returns an invite.
func (t *Tx) Invite(hash store.SecretHash) (store.Invite, error) {
	i := store.Invite{Hash: hash}
	err := t.query(selectInvite, func(r Row) error {
		i.Lobby, i.Application = snowflake.Lobby(r.int(0)), snowflake.Application(r.int(1))
		i.Channel, i.User, i.Expires = snowflake.Channel(r.int(2)), snowflake.User(r.int(3)), fromMicros(r.int(4))
		return nil
	}, hash[:])
	if err == nil && i.Lobby == 0 {
		err = store.ErrNotFound
	}
	return i, err
}

// OldestInvite returns when the first invite expires.
func (t *Tx) OldestInvite() (expires time.Time, err error) {
	err = t.query(oldestInvite, func(r Row) error {
		expires = fromMicros(r.int(0))
		return nil
	})
	return expires, err
}

// PutInvite stores an invite.
func (t *Tx) PutInvite(i store.Invite) error {
	return t.do(upsertInvite, i.Hash[:], key(i.Lobby), key(i.Application), key(i.Channel), key(i.User), micros(i.Expires))
}

// DeleteInvite removes an invite and reports whether there was one.
func (t *Tx) DeleteInvite(hash store.SecretHash) (bool, error) {
	n, err := t.exec(deleteInvite, hash[:])
	return n > 0, err
}

// ExpireInvites removes invites that have expired.
func (t *Tx) ExpireInvites(now time.Time, limit int) (int, error) {
	if limit <= 0 {
		return 0, t.failed
	}
	n, err := t.exec(expireInvites, micros(now), int64(limit))
	return int(n), err
}
