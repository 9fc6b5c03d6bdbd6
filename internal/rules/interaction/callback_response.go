package interaction

import (
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/snowflake"
)

// CallbackResponse is the body of the response to a callback with with_response=true.
type CallbackResponse struct {
	Interaction snowflake.Interaction
	Type        Type
	Channel     snowflake.Channel
	Guild       snowflake.Guild // 0: outside of guilds
	Answer      CallbackType
	// Message is the id of the created or updated message, and JSON its object.
	Message  snowflake.Message
	Flags    message.Flags // of the message
	JSON     []byte
	Instance string // of the Activity that was launched
}

// AppendJSON appends the object.
func (r CallbackResponse) AppendJSON(dst []byte) []byte {
	p := wire.Printer{Out: dst}
	p.ID(`{"interaction":{"id":`, uint64(r.Interaction))
	p.Integer(`,"type":`, int64(r.Type))
	if r.Instance != "" {
		p.Text(`,"activity_instance_id":`, r.Instance)
	}
	if r.Message != 0 {
		p.ID(`,"response_message_id":`, uint64(r.Message))
		p.Bool(`,"response_message_loading":`, r.Flags.Has(message.Loading))
		p.Bool(`,"response_message_ephemeral":`, r.Flags.Has(message.Ephemeral))
	}
	p.ID(`,"channel_id":`, uint64(r.Channel))
	if r.Guild != 0 {
		p.ID(`,"guild_id":`, uint64(r.Guild))
	}
	p.Raw(`}`)
	switch r.Answer {
	case ChannelMessage, DeferredChannelMessage, UpdateMessage:
		p.Integer(`,"resource":{"type":`, int64(r.Answer))
		p.Raw(`,"message":`)
		p.Out = append(p.Out, r.JSON...)
		p.Raw(`}`)
	case LaunchActivity:
		p.Text(`,"resource":{"type":12,"activity_instance":{"id":`, r.Instance)
		p.Raw(`}}`)
	default: // no resource
	}
	p.Raw(`}`)
	return p.Out
}
