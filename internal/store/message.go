package store

import (
	"errors"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json/jsontext"
)

// Message is a message of a channel. An interaction created it, or a webhook, or a user or bot wrote it: then Interaction
// and Webhook are 0.
type Message struct {
	ID      snowflake.Message `json:"id"`
	Channel snowflake.Channel `json:"channel"`
	Guild   snowflake.Guild   `json:"guild,omitzero"`
	// Application is the app of the interaction, the webhook, or the linked lobby in which a user wrote the message.
	Application snowflake.Application `json:"application,omitzero"`
	Interaction snowflake.Interaction `json:"interaction,omitzero"`
	Webhook     *WebhookAuthor        `json:"webhook,omitzero"` // nil: no webhook wrote it
	User        snowflake.User        `json:"user,omitzero"`    // the user who invoked the interaction, or who wrote the message
	Type        message.Type          `json:"type"`
	Ephemeral   bool                  `json:"ephemeral,omitzero"` // only User can see it
	Edited      time.Time             `json:"edited,omitzero"`
	Reference   snowflake.Message     `json:"reference,omitzero"` // a message of the same channel
	Source      *Reference            `json:"source,omitzero"`    // what the message refers to in another channel
	Snapshot    jsontext.Value        `json:"snapshot,omitzero"`  // the forwarded message; a JSON object
	Metadata    Metadata              `json:"metadata,omitzero"`
	Path        string                `json:"path,omitzero"` // full name of the command that the message answers
	// The users and roles that the text mentions.
	Mentions  []snowflake.User       `json:"mentions,omitzero"`
	Roles     []snowflake.Role       `json:"roles,omitzero"`
	Everyone  bool                   `json:"everyone,omitzero"`
	Content   jsontext.Value         `json:"content"` // a JSON object
	Files     []snowflake.Attachment `json:"files,omitzero"`
	Reactions []ReactionCount        `json:"reactions,omitzero"` // in the order of the first of each emoji
	Pinned    time.Time              `json:"pinned,omitzero"`    // zero: not pinned
	Position  int                    `json:"position,omitzero"`  // in a thread
	Poll      *Poll                  `json:"poll,omitzero"`      // the state of the poll in Content; nil: none
}

// WebhookAuthor is the webhook that wrote a message, and how it called itself.
type WebhookAuthor struct {
	ID     snowflake.Webhook `json:"id"`
	Name   string            `json:"name"`
	Avatar string            `json:"avatar,omitzero"`
}

// Reference is a message or a channel that a message refers to. Message is 0 for a channel.
type Reference struct {
	Type    int               `json:"type,omitzero"` // 1: a forward
	Message snowflake.Message `json:"message,omitzero"`
	Channel snowflake.Channel `json:"channel"`
	Guild   snowflake.Guild   `json:"guild,omitzero"`
}

// ReactionCount is the number of users who reacted to a message with an emoji.
type ReactionCount struct {
	Emoji Emoji `json:"emoji"`
	Count int   `json:"count"`
}

// Poll is the state of a poll.
type Poll struct {
	Ends  time.Time `json:"ends"`
	Ended bool      `json:"ended,omitzero"`
	Votes []int     `json:"votes,omitzero"` // of each answer
}

// SetContent sets the content of the message, its mentions and its files.
func (m *Message) SetContent(c message.Content) {
	mentioned := c.Mentioned()
	m.Mentions, m.Roles, m.Everyone = mentioned.Users, mentioned.Roles, mentioned.Everyone
	m.Content, m.Files = c.Doc(), nil
	for i := range c.Attachments {
		m.Files = append(m.Files, c.Attachments[i].ID)
	}
}

// Author returns the user who wrote the message, or the bot of the application. It is 0 for a webhook.
func (m *Message) Author() snowflake.User {
	switch {
	case m.Webhook != nil:
		return 0
	case m.Interaction == 0:
		return m.User
	}
	return snowflake.User(m.Application)
}

// Subject returns the subject of the message: the messages of its channel, or of an ephemeral message the interaction that
// created it.
func (m *Message) Subject() Subject {
	if m.Ephemeral {
		return InteractionSubject(m.Interaction)
	}
	return MessagesSubject(m.Channel)
}

func (m Message) subjects() []Subject { return []Subject{m.Subject()} }

func (m Message) write(w *writes) {
	for _, id := range m.Files {
		w.put(messageFilesTable, key(id), key(m.ID))
	}
	w.put(messagesTable, key(m.ID), key(m.Channel), flag(m.Ephemeral), w.doc(m))
}

// MessageKey names a message with its files, reactions, votes and pin, also as a copy of a published message. Its deletion changes no revision. The
// caller touches the subject of the message.
func MessageKey(id snowflake.Message) Key {
	return Key{rows: []rowKey{
		{messageFilesTable, []string{"message_id"}, []any{key(id)}},
		{reactionsTable, []string{"message_id"}, []any{key(id)}},
		{pinsTable, []string{"message_id"}, []any{key(id)}},
		{pollsTable, []string{"message_id"}, []any{key(id)}},
		{pollVotesTable, []string{"message_id"}, []any{key(id)}},
		{copiesTable, []string{"message_id"}, []any{key(id)}},
		{messagesTable, []string{"id"}, []any{key(id)}},
	}}
}

// MessageQueries reads messages.
type MessageQueries struct{ *reader }

// Message returns a message.
func (q MessageQueries) Message(id snowflake.Message) (Message, error) {
	m, err := find[Message](q.reader, messagesTable, key(id))
	if err == nil {
		q.read(m.Subject())
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
