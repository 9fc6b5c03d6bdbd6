package lobby

import (
	"errors"
	"strconv"
	"time"

	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/internal/message"
	"github.com/bellhop/bellhop/snowflake"
)

// ErrEmptyMessage says that a message has no content.
var ErrEmptyMessage = errors.New("empty message")

// What is kept of messages and how much of it is shown at once.
const (
	MaxContent      = 2000 // code points
	MessageLife     = 72 * time.Hour
	DefaultMessages = 50
	MaxMessages     = 200
)

// Message is what a member wrote in a lobby.
type Message struct {
	ID          snowflake.Message
	Lobby       snowflake.Lobby
	Channel     snowflake.Channel     // 0: none but the lobby itself
	Application snowflake.Application // 0: it was written in the linked channel
	Author      snowflake.User
	Content     string
	// AdditionalName is the author's when the message was sent.
	AdditionalName string
	// Metadata goes to those who are there and is not kept.
	Metadata   Metadata
	Moderation Metadata
	// Edited is when the text was last changed, as only applications do in the linked channel; zero: never.
	Edited time.Time
}

// ReadMessage reads the body of a request to send a message: its content and metadata.
func ReadMessage(body jsonbody.Value) (Message, error) {
	var t jsonbody.Tree
	var m Message
	if _, ok := jsonbody.AsObject(&t, body); !ok {
		return m, t.Err()
	}
	if v := body.Get("content"); v.IsSet() {
		s, ok := jsonbody.AsString(t.At("content"), v)
		if ok && jsonbody.Len(s) > MaxContent {
			t.At("content").Length(1, MaxContent)
		}
		m.Content = s
	}
	if v := body.Get("metadata"); v.IsSet() {
		m.Metadata = readMetadata(t.At("metadata"), v, metadataBounds)
	}
	if v := body.Get("flags"); v.IsSet() {
		jsonbody.AsInt(t.At("flags"), v, 0, 1<<32-1)
	}
	if err := t.Err(); err != nil {
		return m, err
	}
	if m.Content == "" {
		return m, ErrEmptyMessage
	}
	return m, nil
}

// ReadModeration reads what an application notes about a message.
func ReadModeration(body jsonbody.Value) (Metadata, error) {
	var t jsonbody.Tree
	if _, ok := jsonbody.AsObject(&t, body); !ok {
		return "", t.Err()
	}
	m := readMetadata(&t, body, moderationBounds)
	return m, t.Err()
}

// AppendJSON appends the message as it goes on the wire. author is the user in its own form.
func (m *Message) AppendJSON(b, author []byte) []byte { return append(m.open(b, author), '}') }

// timeLayout is how moments are written.
const timeLayout = "2006-01-02T15:04:05.000000-07:00"

// AppendUpdate appends the message as the event shows it that tells of a change to it.
func (m *Message) AppendUpdate(b, author []byte) []byte {
	b = append(m.open(b, author), `,"timestamp":"`...)
	b = m.ID.Time().UTC().AppendFormat(b, timeLayout)
	if m.Edited.IsZero() {
		return append(b, `","edited_timestamp":null}`...)
	}
	b = m.Edited.UTC().AppendFormat(append(b, `","edited_timestamp":"`...), timeLayout)
	return append(b, `"}`...)
}

func (m *Message) open(b, author []byte) []byte {
	b = append(b, `{"id":"`...)
	b = m.ID.Append(b)
	b = append(b, `","type":0,"content":`...)
	b = appendText(b, m.Content)
	b = append(b, `,"lobby_id":"`...)
	b = m.Lobby.Append(b)
	b = append(b, `","channel_id":"`...)
	if m.Channel != 0 {
		b = m.Channel.Append(b)
	} else {
		b = m.Lobby.Append(b)
	}
	b = append(append(b, `","author":`...), author...)
	if m.AdditionalName != "" {
		b = append(appendText(append(b, `,"lobby_member":{"additional_name":`...), m.AdditionalName), '}')
	}
	if m.Metadata != "" {
		b = m.Metadata.AppendJSON(append(b, `,"metadata":`...))
	}
	if m.Moderation != "" {
		b = m.Moderation.AppendJSON(append(b, `,"moderation_metadata":`...))
	}
	if m.Application == 0 {
		return append(b, `,"flags":0`...)
	}
	b = append(b, `,"flags":`...)
	b = strconv.AppendUint(b, uint64(message.FromSocialLayer), 10)
	b = append(b, `,"application_id":"`...)
	b = m.Application.Append(b)
	return append(b, '"')
}
