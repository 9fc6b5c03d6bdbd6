package sqlstore

import (
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

const (
	selectPost       = "SELECT doc FROM messages WHERE id = ?"
	selectPostsDown  = "SELECT doc FROM messages WHERE channel_id = ? AND id < ? AND ephemeral = 0 ORDER BY id DESC LIMIT ?"
	selectPostsUp    = "SELECT doc FROM messages WHERE channel_id = ? AND id > ? AND ephemeral = 0 ORDER BY id LIMIT ?"
	selectEphemerals = "SELECT doc FROM messages WHERE ephemeral <> 0 AND id < ? ORDER BY id LIMIT ?"
	upsertPost       = "INSERT INTO messages (id, channel_id, ephemeral, doc) VALUES (?, ?, ?, ?)" +
		" ON CONFLICT (id) DO UPDATE SET doc = excluded.doc"
)

var deletePosts = newMulti("DELETE FROM messages WHERE id IN (", "?", ")")

// Message returns a message.
func (t *tx) Message(id snowflake.Message) (store.Message, error) {
	return find[store.Message](t, selectPost, key(id))
}

// MessagesBefore returns the newest messages of a channel below an id.
func (t *tx) MessagesBefore(c snowflake.Channel, before snowflake.Message, limit int) ([]store.Message, error) {
	return page[store.Message](t, limit, selectPostsDown, key(c), key(before))
}

// MessagesAfter returns the oldest messages of a channel above an id.
func (t *tx) MessagesAfter(c snowflake.Channel, after snowflake.Message, limit int) ([]store.Message, error) {
	return page[store.Message](t, limit, selectPostsUp, key(c), key(after))
}

// EphemeralMessages returns the oldest ephemeral messages below an id.
func (t *tx) EphemeralMessages(before snowflake.Message, limit int) ([]store.Message, error) {
	return page[store.Message](t, limit, selectEphemerals, key(before))
}

// PutMessage stores a message.
func (t *tx) PutMessage(m store.Message) error {
	return t.put(upsertPost, m, key(m.ID), key(m.Channel), truth(m.Ephemeral))
}

// DeleteMessages removes messages.
func (t *tx) DeleteMessages(ids ...snowflake.Message) error {
	args := make([]any, len(ids))
	for i, id := range ids {
		args[i] = key(id)
	}
	_, err := deletePosts.run(args, t.execArgs)
	return err
}
