package sqlstore

import (
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/lobby"
	"github.com/bellhop/bellhop/snowflake"
)

const (
	messageColumns     = "id, application_id, author_id, channel_id, content, name, moderation"
	selectLobbyMessage = "SELECT " + messageColumns + " FROM lobby_messages WHERE lobby_id = ? AND id = ?"
	selectMessages     = "SELECT " + messageColumns + " FROM lobby_messages WHERE lobby_id = ? AND id > ? ORDER BY id DESC LIMIT ?"
	upsertMessage      = "INSERT INTO lobby_messages (lobby_id, " + messageColumns + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?)" +
		" ON CONFLICT (id) DO UPDATE SET content = excluded.content, moderation = excluded.moderation"
	oldestMessage  = "SELECT id FROM lobby_messages ORDER BY id LIMIT 1"
	deleteMessages = "DELETE FROM lobby_messages WHERE id IN (SELECT id FROM lobby_messages WHERE id < ? ORDER BY id LIMIT ?)"
)

// LobbyMessage returns a message of a lobby.
func (t *Tx) LobbyMessage(l snowflake.Lobby, id snowflake.Message) (lobby.Message, error) {
	found, err := t.messages(selectLobbyMessage, l, key(id))
	if err != nil {
		return lobby.Message{}, err
	}
	if len(found) == 0 {
		return lobby.Message{}, store.ErrNotFound
	}
	return found[0], nil
}

// LobbyMessages returns the newest messages of a lobby.
func (t *Tx) LobbyMessages(l snowflake.Lobby, after snowflake.Message, limit int) ([]lobby.Message, error) {
	if limit <= 0 {
		return nil, t.failed
	}
	return t.messages(selectMessages, l, key(after), int64(limit))
}

func (t *Tx) messages(query string, l snowflake.Lobby, args ...any) ([]lobby.Message, error) {
	var found []lobby.Message
	err := t.query(query, func(r Row) error {
		found = append(found, lobby.Message{
			ID: snowflake.Message(r.int(0)), Lobby: l, Application: snowflake.Application(r.int(1)), Author: snowflake.User(r.int(2)),
			Channel: snowflake.Channel(r.int(3)), Content: r.text(4), AdditionalName: r.text(5), Moderation: lobby.Metadata(r.text(6)),
		})
		return nil
	}, append([]any{key(l)}, args...)...)
	return found, err
}

// OldestLobbyMessage returns the smallest id of a message.
func (t *Tx) OldestLobbyMessage() (id snowflake.Message, err error) {
	err = t.query(oldestMessage, func(r Row) error {
		id = snowflake.Message(r.int(0))
		return nil
	})
	return id, err
}

// PutLobbyMessage stores a message.
func (t *Tx) PutLobbyMessage(m lobby.Message) error {
	return t.do(upsertMessage, key(m.Lobby), key(m.ID), key(m.Application), key(m.Author), key(m.Channel), m.Content,
		m.AdditionalName, string(m.Moderation))
}

// DeleteLobbyMessages removes messages with ids below before.
func (t *Tx) DeleteLobbyMessages(before snowflake.Message, limit int) (int, error) {
	if limit <= 0 {
		return 0, t.failed
	}
	n, err := t.exec(deleteMessages, key(before), int64(limit))
	return int(n), err
}
