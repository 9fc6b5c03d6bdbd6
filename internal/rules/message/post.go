package message

import (
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/snowflake"
)

// Post is a message with the data that its API object needs.
type Post struct {
	ID          snowflake.Message
	Type        Type
	Channel     snowflake.Channel
	Application snowflake.Application // of the interaction, of the webhook or of the lobby; 0: none
	Author      wire.User
	Content     Content
	Created     time.Time
	Edited      time.Time   // zero: never
	Mentions    []wire.User // the users of Content.Mentioned that exist
	Roles       []snowflake.Role
	Everyone    bool
	// Webhook is the webhook that sent the message, or the application for the response to an interaction; 0: none.
	Webhook snowflake.Webhook
	// Reference names another message or a thread; its zero value is no reference. Channel and Guild are those of the
	// message if they are 0.
	Reference Reference
	// Referenced is the JSON of the message that Reference names, or null if it was deleted; nil: it is not shown.
	Referenced []byte
	Cause      Cause // nil: a user wrote the message
	// Guild, Member and ChannelType are set in events. Guild and Member are those of guilds.
	Guild       snowflake.Guild
	Member      *wire.Member // the author's
	ChannelType *int
	// Members are those of Mentions, in events of a guild. Nil entries are not in the guild.
	Members []*wire.Member
	Nonce   Nonce // only in the response and in the event about a new message
	Pinned  bool
	// Results are the votes for the answers of the poll.
	Results      Results
	Reactions    []Reaction
	StickerItems []StickerItem
	// ThreadChannel is the JSON of the thread that was created from the message; nil: none.
	ThreadChannel []byte
	// Snapshot is the JSON of the forwarded message: see Forwarded. It is nil for other messages.
	Snapshot []byte
	// Thread is when the thread of the message was created. It is zero outside of threads.
	Thread time.Time
}

// position returns the position of a message in its thread. It grows from message to message, with gaps: it is the
// number of seconds since the thread was created.
func (m *Post) position() int64 { return max(0, int64(m.Created.Sub(m.Thread).Seconds())) }

// Cause is the origin of a message, such as an interaction.
type Cause interface {
	// PrintCause writes members of the message object, each with a comma before it.
	PrintCause(p *wire.Printer)
}

// usualSize is roughly the size in bytes of a message object without its text.
const usualSize = 768

// AppendJSON appends the message object.
func (m *Post) AppendJSON(dst []byte) []byte {
	c := &m.Content
	p := wire.Printer{Out: slices.Grow(dst, usualSize+len(c.Text)), Files: c.Attachments}
	p.ID(`{"id":`, uint64(m.ID))
	p.Integer(`,"type":`, int64(m.Type))
	p.Text(`,"content":`, c.Text)
	p.ID(`,"channel_id":`, uint64(m.Channel))
	m.Author.Print(&p, `,"author":`)
	printAttachments(&p, c.Attachments)
	p.Raw(`,"embeds":`)
	printList(&p, c.Embeds)
	m.printMentions(&p)
	p.Bool(`,"mention_everyone":`, m.Everyone)
	p.Bool(`,"pinned":`, m.Pinned)
	p.Bool(`,"tts":`, c.TTS)
	p.Time(`,"timestamp":`, m.Created)
	p.Time(`,"edited_timestamp":`, m.Edited)
	p.Integer(`,"flags":`, int64(c.Flags))
	p.Raw(`,"components":`)
	c.Components.printShown(&p, uint64(m.ID))
	if m.Application != 0 {
		p.ID(`,"application_id":`, uint64(m.Application))
	}
	if m.Webhook != 0 {
		p.ID(`,"webhook_id":`, uint64(m.Webhook))
	}
	printReactions(&p, m.Reactions)
	printStickers(&p, m.StickerItems)
	if c.Theme.IsSet() {
		p.Raw(`,"shared_client_theme":`)
		p.Value(c.Theme)
	}
	if !m.Thread.IsZero() {
		p.Integer(`,"position":`, m.position())
	}
	if c.Poll.IsSet() {
		printPoll(&p, Poll{c.Poll}, m.Created, m.Results)
	}
	m.printOrigin(&p)
	if m.Nonce != "" {
		p.Raw(`,"nonce":` + string(m.Nonce))
	}
	if m.ChannelType != nil {
		p.Integer(`,"channel_type":`, int64(*m.ChannelType))
	}
	if m.Guild != 0 {
		p.ID(`,"guild_id":`, uint64(m.Guild))
	}
	if m.Member != nil {
		m.Member.Print(&p, `,"member":`, wire.AuthorMember)
	}
	p.Raw(`}`)
	return p.Out
}

func (m *Post) printMentions(p *wire.Printer) {
	p.Raw(`,"mentions":[`)
	for i := range m.Mentions {
		p.Comma(i > 0)
		m.Mentions[i].Print(p, "")
		if i < len(m.Members) && m.Members[i] != nil {
			p.Out = p.Out[:len(p.Out)-1] // the member belongs into the object of the user
			m.Members[i].Print(p, `,"member":`, wire.AuthorMember)
			p.Raw(`}`)
		}
	}
	p.Raw(`],"mention_roles":[`)
	for i, id := range m.Roles {
		p.Comma(i > 0)
		p.ID("", uint64(id))
	}
	p.Raw(`]`)
}

// printList writes a list. An absent list is empty.
func printList(p *wire.Printer, v jsonbody.Value) {
	if v.IsSet() {
		p.Value(v)
	} else {
		p.Raw(`[]`)
	}
}

// printOrigin writes the referenced message and the cause.
func (m *Post) printOrigin(p *wire.Printer) {
	if m.Reference != (Reference{}) {
		m.Reference.print(p, m.Channel, m.Guild)
	}
	if m.Referenced != nil {
		p.Raw(`,"referenced_message":`)
		p.Out = append(p.Out, m.Referenced...)
	}
	if m.Snapshot != nil {
		p.Raw(`,"message_snapshots":[`)
		p.Out = append(p.Out, m.Snapshot...)
		p.Raw(`]`)
	}
	if m.ThreadChannel != nil {
		p.Raw(`,"thread":`)
		p.Out = append(p.Out, m.ThreadChannel...)
	}
	if m.Cause != nil {
		m.Cause.PrintCause(p)
	}
}
