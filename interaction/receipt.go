package interaction

import "github.com/bellhop/bellhop/snowflake"

// Receipt tells an app that asks for it what became of its callback.
type Receipt struct {
	Interaction snowflake.Interaction
	Type        Type
	Channel     snowflake.Channel
	Guild       snowflake.Guild // 0: outside of guilds
	Answer      CallbackType
	// Message is what the answer made or changed, and JSON the same as Post.AppendJSON writes it.
	Message  snowflake.Message
	Flags    Flags // of the message
	JSON     []byte
	Instance string // of the Activity that was launched
}

// AppendJSON appends the answer to a callback.
func (r Receipt) AppendJSON(dst []byte) []byte {
	p := printer{b: dst}
	p.id(`{"interaction":{"id":`, uint64(r.Interaction))
	p.integer(`,"type":`, int64(r.Type))
	if r.Instance != "" {
		p.text(`,"activity_instance_id":`, r.Instance)
	}
	if r.Message != 0 {
		p.id(`,"response_message_id":`, uint64(r.Message))
		p.flag(`,"response_message_loading":`, r.Flags.Has(Loading))
		p.flag(`,"response_message_ephemeral":`, r.Flags.Has(Ephemeral))
	}
	p.id(`,"channel_id":`, uint64(r.Channel))
	if r.Guild != 0 {
		p.id(`,"guild_id":`, uint64(r.Guild))
	}
	p.raw(`}`)
	switch r.Answer {
	case ChannelMessage, DeferredChannelMessage, UpdateMessage:
		p.integer(`,"resource":{"type":`, int64(r.Answer))
		p.raw(`,"message":`)
		p.b = append(p.b, r.JSON...)
		p.raw(`}`)
	case LaunchActivity:
		p.text(`,"resource":{"type":12,"activity_instance":{"id":`, r.Instance)
		p.raw(`}}`)
	default: // nothing was made
	}
	p.raw(`}`)
	return p.b
}
