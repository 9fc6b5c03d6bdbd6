package store

import (
	"errors"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json/jsontext"
)

// Message is a message that an interaction created, or that a user wrote in a lobby that is linked with the channel. In
// the second case Interaction is 0, and Application is the application of the lobby.
type Message struct {
	ID          snowflake.Message     `json:"id"`
	Channel     snowflake.Channel     `json:"channel"`
	Guild       snowflake.Guild       `json:"guild,omitzero"`
	Application snowflake.Application `json:"application"`
	Interaction snowflake.Interaction `json:"interaction"`
	User        snowflake.User        `json:"user"` // the user who invoked the interaction or wrote the message
	Type        message.Type          `json:"type"`
	Ephemeral   bool                  `json:"ephemeral,omitzero"` // only User can see it
	Edited      time.Time             `json:"edited,omitzero"`
	Reference   snowflake.Message     `json:"reference,omitzero"`
	Metadata    Metadata              `json:"metadata"`
	Path        string                `json:"path,omitzero"` // full name of the command that the message answers
	// The users and roles that the text mentions.
	Mentions []snowflake.User       `json:"mentions,omitzero"`
	Roles    []snowflake.Role       `json:"roles,omitzero"`
	Everyone bool                   `json:"everyone,omitzero"`
	Content  jsontext.Value         `json:"content"` // a JSON object
	Files    []snowflake.Attachment `json:"files,omitzero"`
}

// Author returns the user who wrote the message, or the bot of the application.
func (m *Message) Author() snowflake.User {
	if m.Interaction == 0 {
		return m.User
	}
	return snowflake.User(m.Application)
}

// subjects returns the interaction that created the message. A message from a linked lobby never changes.
func (m Message) subjects() []Subject {
	if m.Interaction == 0 {
		return nil
	}
	return []Subject{InteractionSubject(m.Interaction)}
}

func (m Message) write(w *writes) {
	for _, id := range m.Files {
		w.put(messageFilesTable, key(id), key(m.ID))
	}
	w.put(messagesTable, key(m.ID), key(m.Channel), flag(m.Ephemeral), w.doc(m))
}

// MessageKey names a message with the list of its files. Its deletion changes no revision, because ephemeral messages
// stay stored longer than their interaction. A caller that deletes a message of a stored interaction touches the
// interaction.
func MessageKey(id snowflake.Message) Key {
	return Key{rows: []rowKey{
		{messageFilesTable, []string{"message_id"}, []any{key(id)}},
		{messagesTable, []string{"id"}, []any{key(id)}},
	}}
}

// MessageQueries reads messages.
type MessageQueries struct{ *reader }

// Message returns a message.
func (q MessageQueries) Message(id snowflake.Message) (Message, error) {
	m, err := find[Message](q.reader, messagesTable, key(id))
	if err == nil && m.Interaction != 0 {
		q.read(InteractionSubject(m.Interaction))
	}
	return m, err
}

// Before returns up to limit messages of a channel with ids below before, newest first, without ephemeral messages.
func (q MessageQueries) Before(channel snowflake.Channel, before snowflake.Message, limit int) ([]Message, error) {
	return q.messages(" WHERE channel_id = ? AND id < ? AND ephemeral = 0 ORDER BY id DESC", limit, key(channel), key(before))
}

// After returns up to limit messages of a channel with ids above after, oldest first, without ephemeral messages.
func (q MessageQueries) After(channel snowflake.Channel, after snowflake.Message, limit int) ([]Message, error) {
	return q.messages(" WHERE channel_id = ? AND id > ? AND ephemeral = 0 ORDER BY id", limit, key(channel), key(after))
}

// Ephemeral returns up to limit ephemeral messages of all channels with ids below before, oldest first.
func (q MessageQueries) Ephemeral(before snowflake.Message, limit int) ([]Message, error) {
	return q.messages(" WHERE ephemeral <> 0 AND id < ? ORDER BY id", limit, key(before))
}

// InChannel returns up to limit messages of a channel.
func (q MessageQueries) InChannel(channel snowflake.Channel, limit int) ([]snowflake.Message, error) {
	return ids[snowflake.Message](q.reader, "SELECT id FROM messages WHERE channel_id = ? LIMIT ?", key(channel), int64(max(limit, 0)))
}

// messages returns up to limit messages that a condition selects, without damaged ones.
func (q MessageQueries) messages(condition string, limit int, args ...any) ([]Message, error) {
	rows, err := q.limited(messagesTable, limit, messagesTable.all+condition, args)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	found := make([]Message, len(rows))
	for i, row := range rows {
		if err := decode(row.bytes(3), &found[i]); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// FilesInUse returns the given files that stored messages have, or had before they were edited. A file whose row is
// damaged counts as in use.
func (q MessageQueries) FilesInUse(files ...snowflake.Attachment) ([]snowflake.Attachment, error) {
	var used []snowflake.Attachment
	for _, id := range files {
		_, err := q.row(messageFilesTable, key(id))
		if err == nil || errors.Is(err, ErrDamaged) {
			used = append(used, id)
		} else if !errors.Is(err, ErrNotFound) {
			return nil, err
		}
	}
	slices.Sort(used)
	return used, nil
}
