package wire

import "github.com/bellhop/bellhop/snowflake"

// VoiceState says in which voice channel a member is.
type VoiceState struct {
	GuildID    snowflake.Guild    `json:"guild_id,omitzero"`
	ChannelID  *snowflake.Channel `json:"channel_id"` // nil: the member has left
	UserID     snowflake.User     `json:"user_id"`
	Member     *Member            `json:"member,omitzero"`
	SessionID  string             `json:"session_id"`
	Deaf       bool               `json:"deaf"`
	Mute       bool               `json:"mute"`
	SelfDeaf   bool               `json:"self_deaf"`
	SelfMute   bool               `json:"self_mute"`
	SelfStream bool               `json:"self_stream"`
	SelfVideo  bool               `json:"self_video"`
	Suppress   bool               `json:"suppress"`
	RequestAt  null               `json:"request_to_speak_timestamp"`
}
