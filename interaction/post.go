package interaction

import (
	"time"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/snowflake"
)

// MessageType is the kind of a message.
type MessageType uint8

// The kinds of messages that interactions make.
const (
	ReplyMessage       MessageType = 19
	ChatInputMessage   MessageType = 20
	ContextMenuMessage MessageType = 23
)

// Source is what a message comes from.
type Source struct {
	Command   command.Type      // of the command that it all began with; 0: none
	Component snowflake.Message // with the component that was used, or that opened the modal; 0: none
	Original  snowflake.Message // that a follow-up follows; 0: it is the first answer
	Target    snowflake.Message // of a MESSAGE command
}

// Type returns the kind of message.
func (s Source) Type() MessageType {
	switch {
	case s.Original != 0, s.Component != 0:
		return ReplyMessage
	case s.Command == command.User, s.Command == command.Message:
		return ContextMenuMessage
	}
	return ChatInputMessage
}

// Reference returns the message that it refers to: the original of a follow-up, the one with the component, the target
// of a MESSAGE command, or 0.
func (s Source) Reference() snowflake.Message {
	switch {
	case s.Original != 0:
		return s.Original
	case s.Component != 0:
		return s.Component
	}
	return s.Target
}

// Post is a message that an interaction made.
type Post struct {
	ID          snowflake.Message
	Type        MessageType
	Channel     snowflake.Channel
	Application snowflake.Application
	Author      User
	Content     Content
	Created     time.Time
	Edited      time.Time // zero: never
	Mentions    []User    // those of Content.Mentioned that exist
	Roles       []snowflake.Role
	Everyone    bool
	Reference   snowflake.Message // 0: none
	// Referenced is the message that Reference names, as Post.AppendJSON writes it; nil: it is not shown.
	Referenced []byte
	Metadata   *Metadata
	// Command is the older form of the metadata, of answers to commands only.
	Command *CommandUsed
	// Guild and Member are shown to sessions of the guild; 0 and nil elsewhere.
	Guild  snowflake.Guild
	Member *Member // the author's
	Nonce  string  // shown to the client that invoked it
}

// AppendJSON appends the message object.
func (m Post) AppendJSON(dst []byte) []byte {
	p := printer{b: dst, files: m.Content.Attachments}
	c := &m.Content
	p.id(`{"id":`, uint64(m.ID))
	p.integer(`,"type":`, int64(m.Type))
	p.text(`,"content":`, c.Text)
	p.id(`,"channel_id":`, uint64(m.Channel))
	m.Author.print(&p, `,"author":`)
	printAttachments(&p, c.Attachments)
	p.raw(`,"embeds":`)
	if c.Embeds.IsSet() {
		p.value(c.Embeds)
	} else {
		p.raw(`[]`)
	}
	m.printMentions(&p)
	p.flag(`,"pinned":false,"tts":`, c.TTS)
	p.time(`,"timestamp":`, m.Created)
	p.time(`,"edited_timestamp":`, m.Edited)
	p.integer(`,"flags":`, int64(c.Flags))
	p.raw(`,"components":`)
	c.Components.print(&p)
	p.id(`,"application_id":`, uint64(m.Application))
	if !c.Flags.Has(FromSocialLayer) { // else a person wrote it
		p.id(`,"webhook_id":`, uint64(m.Application))
	}
	if c.Poll.IsSet() {
		printPoll(&p, c.Poll, m.Created)
	}
	m.printOrigin(&p)
	if m.Nonce != "" {
		p.text(`,"nonce":`, m.Nonce)
	}
	if m.Guild != 0 {
		p.id(`,"guild_id":`, uint64(m.Guild))
	}
	if m.Member != nil {
		m.Member.print(&p, `,"member":`, true)
	}
	p.raw(`}`)
	return p.b
}

func (m *Post) printMentions(p *printer) {
	p.raw(`,"mentions":[`)
	for i := range m.Mentions {
		p.comma(i > 0)
		m.Mentions[i].print(p, "")
	}
	p.raw(`],"mention_roles":[`)
	for i, id := range m.Roles {
		p.comma(i > 0)
		p.id("", uint64(id))
	}
	p.flag(`],"mention_everyone":`, m.Everyone)
}

// printOrigin writes what the message refers to and comes from.
func (m *Post) printOrigin(p *printer) {
	if m.Reference != 0 {
		p.id(`,"message_reference":{"type":0,"channel_id":`, uint64(m.Channel))
		p.id(`,"message_id":`, uint64(m.Reference))
		if m.Guild != 0 {
			p.id(`,"guild_id":`, uint64(m.Guild))
		}
		p.raw(`}`)
	}
	if m.Referenced != nil {
		p.raw(`,"referenced_message":`)
		p.b = append(p.b, m.Referenced...)
	}
	if m.Metadata != nil {
		m.Metadata.print(p, `,"interaction_metadata":`)
	}
	if m.Command != nil {
		m.Command.print(p)
	}
}
