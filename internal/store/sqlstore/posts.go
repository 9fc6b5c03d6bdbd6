package sqlstore

import (
	"slices"

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

var (
	deletePosts     = newMulti("DELETE FROM messages WHERE id IN (", "?", ")")
	deletePostFiles = newMulti("DELETE FROM message_files WHERE message_id IN (", "?", ")")
	insertPostFiles = newMulti("INSERT INTO message_files (attachment_id, message_id) VALUES ", "(?, ?)", " ON CONFLICT (attachment_id) DO NOTHING")
	selectPostFiles = newMulti("SELECT attachment_id FROM message_files WHERE attachment_id IN (", "?", ")")
)

// Message returns a message.
func (t *Tx) Message(id snowflake.Message) (store.Message, error) {
	return find[store.Message](t, selectPost, key(id))
}

// MessagesBefore returns the newest messages of a channel below an id.
func (t *Tx) MessagesBefore(c snowflake.Channel, before snowflake.Message, limit int) ([]store.Message, error) {
	return page[store.Message](t, limit, selectPostsDown, key(c), key(before))
}

// MessagesAfter returns the oldest messages of a channel above an id.
func (t *Tx) MessagesAfter(c snowflake.Channel, after snowflake.Message, limit int) ([]store.Message, error) {
	return page[store.Message](t, limit, selectPostsUp, key(c), key(after))
}

// EphemeralMessages returns the oldest ephemeral messages below an id.
func (t *Tx) EphemeralMessages(before snowflake.Message, limit int) ([]store.Message, error) {
	return page[store.Message](t, limit, selectEphemerals, key(before))
}

// FilesInUse returns those of the files that a message has.
func (t *Tx) FilesInUse(ids ...snowflake.Attachment) ([]snowflake.Attachment, error) {
	var used []snowflake.Attachment
	_, err := selectPostFiles.run(keys(ids), func(query string, args []any) (int64, error) {
		return 0, t.query(query, func(r Row) error {
			used = append(used, snowflake.Attachment(r.int(0)))
			return nil
		}, args...)
	})
	slices.Sort(used)
	return used, err
}

// PutMessage stores a message.
func (t *Tx) PutMessage(m store.Message) error {
	if err := t.put(upsertPost, m, key(m.ID), key(m.Channel), truth(m.Ephemeral)); err != nil {
		return err
	}
	args := make([]any, 0, 2*len(m.Files))
	for _, id := range m.Files {
		args = append(args, key(id), key(m.ID))
	}
	return insertPostFiles.all(t, args)
}

// DeleteMessages removes messages.
func (t *Tx) DeleteMessages(ids ...snowflake.Message) error {
	if err := deletePostFiles.all(t, keys(ids)); err != nil {
		return err
	}
	return deletePosts.all(t, keys(ids))
}

// keys returns ids as they are stored.
func keys[ID ~uint64](ids []ID) []any {
	args := make([]any, len(ids))
	for i, id := range ids {
		args[i] = key(id)
	}
	return args
}
