package lobby

import (
	"cmp"
	"errors"
	"time"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/snowflake"
)

// ErrEmptyMessage means that a message has no content.
var ErrEmptyMessage = errors.New("empty message")

// Limits of messages.
const (
	MaxContent      = 2000 // code points
	MessageLife     = 72 * time.Hour
	DefaultMessages = 50
	MaxMessages     = 200
)

// Message is a message in a lobby.
type Message struct {
	ID          snowflake.Message
	Lobby       snowflake.Lobby
	Channel     snowflake.Channel     // 0 if the message is only in the lobby
	Application snowflake.Application // 0 if it was written in the linked channel
	Author      snowflake.User
	Webhook     *wire.User // of the linked channel, which wrote the message; nil: Author did
	Content     string
	// AdditionalName is the author's additional name when the message was sent.
	AdditionalName string
	// Metadata is sent to connected members and not stored.
	Metadata   Metadata
	Moderation Metadata
	// Edited is when the text was last changed, which only applications do in the linked channel; zero means never.
	Edited time.Time
}

// ReadMessage parses a request to send a message.
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

// ReadModeration parses the moderation data of a message.
func ReadModeration(body jsonbody.Value) (Metadata, error) {
	var t jsonbody.Tree
	if _, ok := jsonbody.AsObject(&t, body); !ok {
		return "", t.Err()
	}
	m := readMetadata(&t, body, moderationBounds)
	return m, t.Err()
}

// AppendJSON appends the message as REST responses and LOBBY_MESSAGE_CREATE contain it. author is the JSON of the user.
func (m *Message) AppendJSON(b, author []byte) []byte {
	p := wire.Printer{Out: b}
	m.print(&p, author)
	p.Raw(`}`)
	return p.Out
}

// AppendUpdate appends the message as LOBBY_MESSAGE_UPDATE contains it.
func (m *Message) AppendUpdate(b, author []byte) []byte {
	p := wire.Printer{Out: b}
	m.print(&p, author)
	p.Time(`,"timestamp":`, m.ID.Time())
	p.Time(`,"edited_timestamp":`, m.Edited)
	p.Raw(`}`)
	return p.Out
}

// print writes the fields that all forms share.
func (m *Message) print(p *wire.Printer, author []byte) {
	p.ID(`{"id":`, uint64(m.ID))
	p.Text(`,"type":0,"content":`, m.Content)
	p.ID(`,"lobby_id":`, uint64(m.Lobby))
	p.ID(`,"channel_id":`, cmp.Or(uint64(m.Channel), uint64(m.Lobby)))
	p.Raw(`,"author":`)
	p.Out = append(p.Out, author...)
	if m.AdditionalName != "" {
		p.Text(`,"lobby_member":{"additional_name":`, m.AdditionalName)
		p.Raw(`}`)
	}
	if m.Metadata != "" {
		p.Raw(`,"metadata":`)
		p.Out = m.Metadata.AppendJSON(p.Out)
	}
	if m.Moderation != "" {
		p.Raw(`,"moderation_metadata":`)
		p.Out = m.Moderation.AppendJSON(p.Out)
	}
	if m.Application == 0 {
		p.Raw(`,"flags":0`)
		return
	}
	p.Integer(`,"flags":`, int64(message.FromSocialLayer))
	p.ID(`,"application_id":`, uint64(m.Application))
}
