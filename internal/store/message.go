package store

import (
	"time"

	"github.com/bellhop/bellhop/message"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json/jsontext"
)

// Message is a message that an interaction made, or that a person wrote in a lobby that is linked with the channel: then
// Interaction is 0, and the application is the lobby's.
type Message struct {
	ID          snowflake.Message     `json:"id"`
	Channel     snowflake.Channel     `json:"channel"`
	Guild       snowflake.Guild       `json:"guild,omitzero"`
	Application snowflake.Application `json:"application"`
	Interaction snowflake.Interaction `json:"interaction"`
	User        snowflake.User        `json:"user"` // who invoked it, or wrote it
	Type        message.Type          `json:"type"`
	Ephemeral   bool                  `json:"ephemeral,omitzero"` // for the eyes of User
	Edited      time.Time             `json:"edited,omitzero"`
	Reference   snowflake.Message     `json:"reference,omitzero"`
	Metadata    Metadata              `json:"metadata"`
	Path        string                `json:"path,omitzero"` // the full name of the command that it answers
	// Whom the text calls.
	Mentions []snowflake.User       `json:"mentions,omitzero"`
	Roles    []snowflake.Role       `json:"roles,omitzero"`
	Everyone bool                   `json:"everyone,omitzero"`
	Content  jsontext.Value         `json:"content"` // a JSON object
	Files    []snowflake.Attachment `json:"files,omitzero"`
}

// Author returns who speaks: the person, or the application's bot.
func (m *Message) Author() snowflake.User {
	if m.Interaction == 0 {
		return m.User
	}
	return snowflake.User(m.Application)
}

// MessageReader reads messages.
type MessageReader interface {
	Message(id snowflake.Message) (Message, error)
	// MessagesBefore returns messages of a channel with ids below before, at most limit, the newest first. Ephemeral ones
	// are not among them.
	MessagesBefore(channel snowflake.Channel, before snowflake.Message, limit int) ([]Message, error)
	// MessagesAfter returns messages of a channel with ids above after, at most limit, the oldest first. Ephemeral ones
	// are not among them.
	MessagesAfter(channel snowflake.Channel, after snowflake.Message, limit int) ([]Message, error)
	// EphemeralMessages returns ephemeral messages of all channels with ids below before, at most limit, the oldest first.
	EphemeralMessages(before snowflake.Message, limit int) ([]Message, error)
	// FilesInUse returns those of the files that messages have, or had before they were changed.
	FilesInUse(ids ...snowflake.Attachment) ([]snowflake.Attachment, error)
}

// MessageWriter changes messages.
type MessageWriter interface {
	// PutMessage stores a message in place of the one with the same id. What its channel is and whether it is ephemeral
	// does not change.
	PutMessage(m Message) error
	DeleteMessages(ids ...snowflake.Message) error
}
