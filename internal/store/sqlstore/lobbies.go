package sqlstore

import (
	"time"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/lobby"
	"github.com/bellhop/bellhop/snowflake"
)

const (
	selectLobby = "SELECT application_id, revision, due, idle_since, timeout, flags, secret, channel_id, metadata, webhooks_url" +
		" FROM lobbies WHERE id = ?"
	selectLobbyRevision = "SELECT revision FROM lobbies WHERE id = ?"
	selectLinkedLobby   = "SELECT id FROM lobbies WHERE channel_id = ? AND channel_id <> 0"
	selectDueLobbies    = "SELECT id, due FROM lobbies WHERE due IS NOT NULL ORDER BY due LIMIT ?"
	insertLobby         = "INSERT INTO lobbies (idle_since, revision, id, application_id, due, timeout, flags, secret, channel_id," +
		" metadata, webhooks_url) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
	// touchLobby is updateLobby for a lobby of which nothing changes but when it was last active: no index moves.
	touchLobby  = "UPDATE lobbies SET idle_since = ?, revision = ? WHERE id = ? AND revision = ?"
	updateLobby = "UPDATE lobbies SET idle_since = ?, revision = ?, due = ?, timeout = ?, flags = ?, secret = ?, channel_id = ?," +
		" metadata = ?, webhooks_url = ? WHERE id = ? AND revision = ?"

	selectHashed = "SELECT lobby_id, made FROM lobby_secrets WHERE application_id = ? AND hash = ?"
	upsertHashed = "INSERT INTO lobby_secrets (application_id, hash, lobby_id, made) VALUES (?, ?, ?, ?)" +
		" ON CONFLICT (application_id, hash) DO UPDATE SET lobby_id = excluded.lobby_id, made = excluded.made"
)

var deleteLobby = []string{
	"DELETE FROM lobbies WHERE id = ?",
	"DELETE FROM lobby_members WHERE lobby_id = ?",
	"DELETE FROM lobby_messages WHERE lobby_id = ?",
	"DELETE FROM lobby_secrets WHERE lobby_id = ?",
	"DELETE FROM lobby_invites WHERE lobby_id = ?",
}

// selectOwnLobbies looks through all lobbies where no index knows whose they are.
const selectOwnLobbies = "SELECT id FROM lobbies WHERE application_id = ? ORDER BY id"

// deleteLobbies removes many lobbies, each of its statements some of what is in them.
var deleteLobbies = []multi{
	newMulti("DELETE FROM lobby_members WHERE lobby_id IN (", "?", ")"),
	newMulti("DELETE FROM lobby_messages WHERE lobby_id IN (", "?", ")"),
	newMulti("DELETE FROM lobby_invites WHERE lobby_id IN (", "?", ")"),
	newMulti("DELETE FROM lobbies WHERE id IN (", "?", ")"),
}

// deleteLobbies removes the lobbies of an application with what is in them, but for secrets, which know their application.
func (t *Tx) deleteLobbies(app snowflake.Application) error {
	ids, err := t.lobbies(selectOwnLobbies, key(app))
	if err != nil || len(ids) == 0 {
		return err
	}
	for _, m := range deleteLobbies {
		if err := m.all(t, keys(ids)); err != nil {
			return err
		}
	}
	return nil
}

// Lobby returns a lobby with its members.
func (t *Tx) Lobby(id snowflake.Lobby) (store.Lobby, error) {
	var l store.Lobby
	err := t.query(selectLobby, func(r Row) error {
		l.ID, l.Application, l.Revision = id, snowflake.Application(r.int(0)), uint64(r.int(1))
		if r[2] != nil {
			l.Due = fromMicros(r.int(2))
		}
		l.IdleSince, l.IdleTimeout = fromMicros(r.int(3)), time.Duration(r.int(4))*time.Microsecond
		l.Flags, l.Secret, l.Channel = lobby.Flags(r.int(5)), r.int(6) != 0, snowflake.Channel(r.int(7))
		l.Metadata, l.WebhooksURL = lobby.Metadata(r.text(8)), r.text(9)
		return nil
	}, key(id))
	if err == nil && l.Revision == 0 {
		err = store.ErrNotFound
	}
	if err != nil {
		return store.Lobby{}, err
	}
	l.Members, err = t.seats(id)
	return l, err
}

// LobbyRevision returns a lobby's revision.
func (t *Tx) LobbyRevision(id snowflake.Lobby) (uint64, error) {
	var revision uint64
	err := t.query(selectLobbyRevision, func(r Row) error {
		revision = uint64(r.int(0))
		return nil
	}, key(id))
	return revision, err
}

// LinkedLobby returns the lobby that is linked with a channel.
func (t *Tx) LinkedLobby(channel snowflake.Channel) (snowflake.Lobby, error) {
	var id snowflake.Lobby
	err := t.query(selectLinkedLobby, func(r Row) error {
		id = snowflake.Lobby(r.int(0))
		return nil
	}, key(channel))
	if err == nil && id == 0 {
		err = store.ErrNotFound
	}
	return id, err
}

// DueLobbies returns the lobbies with the earliest due times.
func (t *Tx) DueLobbies(limit int) ([]store.DueLobby, error) {
	if limit <= 0 {
		return nil, t.failed
	}
	var due []store.DueLobby
	err := t.query(selectDueLobbies, func(r Row) error {
		due = append(due, store.DueLobby{ID: snowflake.Lobby(r.int(0)), Due: fromMicros(r.int(1))})
		return nil
	}, int64(limit))
	return due, err
}

// PutLobby stores a new lobby.
func (t *Tx) PutLobby(l store.Lobby) error {
	return t.do(insertLobby, micros(l.IdleSince), int64(l.Revision), key(l.ID), key(l.Application), dueOf(&l),
		l.IdleTimeout.Microseconds(), int64(l.Flags), truth(l.Secret), key(l.Channel), string(l.Metadata), l.WebhooksURL)
}

// MoveLobby stores a lobby when its revision is still that of from.
func (t *Tx) MoveLobby(from, to store.Lobby) (bool, error) {
	var n int64
	var err error
	if from.SameSettings(&to.Lobby) && from.Due.Equal(to.Due) {
		n, err = t.exec(touchLobby, micros(to.IdleSince), int64(to.Revision), key(from.ID), int64(from.Revision))
	} else {
		n, err = t.exec(updateLobby, micros(to.IdleSince), int64(to.Revision), dueOf(&to), to.IdleTimeout.Microseconds(),
			int64(to.Flags), truth(to.Secret), key(to.Channel), string(to.Metadata), to.WebhooksURL, key(from.ID), int64(from.Revision))
	}
	return n == 1, err
}

func dueOf(l *store.Lobby) any {
	if l.Due.IsZero() {
		return nil // NULL
	}
	return micros(l.Due)
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// DeleteLobby removes a lobby with all that is in it.
func (t *Tx) DeleteLobby(id snowflake.Lobby) error { return t.execEach(deleteLobby, key(id)) }

// LobbySecret returns where a secret leads.
func (t *Tx) LobbySecret(app snowflake.Application, hash store.SecretHash) (store.LobbySecret, error) {
	s := store.LobbySecret{Application: app, Hash: hash}
	err := t.query(selectHashed, func(r Row) error {
		s.Lobby, s.Made = snowflake.Lobby(r.int(0)), fromMicros(r.int(1))
		return nil
	}, key(app), hash[:])
	if err == nil && s.Lobby == 0 {
		err = store.ErrNotFound
	}
	return s, err
}

// PutLobbySecret stores where a secret leads.
func (t *Tx) PutLobbySecret(s store.LobbySecret) error {
	return t.do(upsertHashed, key(s.Application), s.Hash[:], key(s.Lobby), micros(s.Made))
}
