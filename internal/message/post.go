package message

import (
	"time"

	"github.com/bellhop/bellhop/internal/payload"
	"github.com/bellhop/bellhop/snowflake"
)

// Type is the kind of a message.
type Type uint8

// The kinds of messages that interactions make.
const (
	Reply       Type = 19
	ChatInput   Type = 20
	ContextMenu Type = 23
)

// Post is a message as it is shown.
type Post struct {
	ID          snowflake.Message
	Type        Type
	Channel     snowflake.Channel
	Application snowflake.Application
	Author      payload.User
	Content     Content
	Created     time.Time
	Edited      time.Time      // zero: never
	Mentions    []payload.User // those of Content.Mentioned that exist
	Roles       []snowflake.Role
	Everyone    bool
	Reference   snowflake.Message // 0: none
	// Referenced is the message that Reference names, as Post.AppendJSON writes it; nil: it is not shown.
	Referenced []byte
	Cause      Cause // nil: a person wrote it
	// Guild and Member are shown to sessions of the guild; 0 and nil elsewhere.
	Guild  snowflake.Guild
	Member *payload.Member // the author's
	Nonce  string          // shown to the client that invoked it
}

// Cause is what made a message other than its author, such as an interaction.
type Cause interface {
	PrintCause(p *payload.Printer) // members of the message object, each after a comma
}

// AppendJSON appends the message object.
func (m Post) AppendJSON(dst []byte) []byte {
	p := payload.Printer{Out: dst, Files: m.Content.Attachments}
	c := &m.Content
	p.ID(`{"id":`, uint64(m.ID))
	p.Integer(`,"type":`, int64(m.Type))
	p.Text(`,"content":`, c.Text)
	p.ID(`,"channel_id":`, uint64(m.Channel))
	m.Author.Print(&p, `,"author":`)
	printAttachments(&p, c.Attachments)
	p.Raw(`,"embeds":`)
	if c.Embeds.IsSet() {
		p.Value(c.Embeds)
	} else {
		p.Raw(`[]`)
	}
	m.printMentions(&p)
	p.Flag(`,"pinned":false,"tts":`, c.TTS)
	p.Time(`,"timestamp":`, m.Created)
	p.Time(`,"edited_timestamp":`, m.Edited)
	p.Integer(`,"flags":`, int64(c.Flags))
	p.Raw(`,"components":`)
	c.Components.print(&p)
	p.ID(`,"application_id":`, uint64(m.Application))
	if !c.Flags.Has(FromSocialLayer) { // else a person wrote it
		p.ID(`,"webhook_id":`, uint64(m.Application))
	}
	if c.Poll.IsSet() {
		printPoll(&p, c.Poll, m.Created)
	}
	m.printOrigin(&p)
	if m.Nonce != "" {
		p.Text(`,"nonce":`, m.Nonce)
	}
	if m.Guild != 0 {
		p.ID(`,"guild_id":`, uint64(m.Guild))
	}
	if m.Member != nil {
		m.Member.Print(&p, `,"member":`, true)
	}
	p.Raw(`}`)
	return p.Out
}

func (m *Post) printMentions(p *payload.Printer) {
	p.Raw(`,"mentions":[`)
	for i := range m.Mentions {
		p.Comma(i > 0)
		m.Mentions[i].Print(p, "")
	}
	p.Raw(`],"mention_roles":[`)
	for i, id := range m.Roles {
		p.Comma(i > 0)
		p.ID("", uint64(id))
	}
	p.Flag(`],"mention_everyone":`, m.Everyone)
}

// printOrigin writes what the message refers to and comes from.
func (m *Post) printOrigin(p *payload.Printer) {
	if m.Reference != 0 {
		p.ID(`,"message_reference":{"type":0,"channel_id":`, uint64(m.Channel))
		p.ID(`,"message_id":`, uint64(m.Reference))
		if m.Guild != 0 {
			p.ID(`,"guild_id":`, uint64(m.Guild))
		}
		p.Raw(`}`)
	}
	if m.Referenced != nil {
		p.Raw(`,"referenced_message":`)
		p.Out = append(p.Out, m.Referenced...)
	}
	if m.Cause != nil {
		m.Cause.PrintCause(p)
	}
}
