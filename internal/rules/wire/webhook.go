package wire

import "github.com/bellhop/bellhop/snowflake"

// Webhook is a webhook of a channel.
type Webhook struct {
	ID            snowflake.Webhook      `json:"id"`
	Type          int                    `json:"type"`
	GuildID       snowflake.Guild        `json:"guild_id"`
	ChannelID     snowflake.Channel      `json:"channel_id"`
	User          *User                  `json:"user,omitzero"` // who created it
	Name          string                 `json:"name"`
	Avatar        NullString             `json:"avatar"`
	Token         string                 `json:"token,omitzero"`
	ApplicationID *snowflake.Application `json:"application_id"` // null: a user created it
	SourceGuild   *SourceGuild           `json:"source_guild,omitzero"`
	SourceChannel *SourceChannel         `json:"source_channel,omitzero"`
	URL           string                 `json:"url,omitzero"`
}

// FollowedChannel is the answer to a request to follow a channel.
type FollowedChannel struct {
	ChannelID snowflake.Channel `json:"channel_id"` // that is followed
	WebhookID snowflake.Webhook `json:"webhook_id"` // that repeats its messages
}

// SourceGuild is the guild of the channel that a webhook follows.
type SourceGuild struct {
	ID   snowflake.Guild `json:"id"`
	Name string          `json:"name"`
	Icon null            `json:"icon"`
}

// SourceChannel is the channel that a webhook follows.
type SourceChannel struct {
	ID   snowflake.Channel `json:"id"`
	Name string            `json:"name"`
}
