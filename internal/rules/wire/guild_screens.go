package wire

import "github.com/bellhop/bellhop/snowflake"

// WidgetSettings are the settings of the widget of a guild, which is always off.
type WidgetSettings struct {
	Enabled   bool `json:"enabled"`
	ChannelID null `json:"channel_id"`
}

// VanityURL is the vanity URL of a guild, which has none.
type VanityURL struct {
	Code null `json:"code"`
	Uses int  `json:"uses"`
}

// Onboarding is the onboarding of a guild, which is always off.
type Onboarding struct {
	GuildID  snowflake.Guild `json:"guild_id"`
	Prompts  none            `json:"prompts"`
	Channels none            `json:"default_channel_ids"`
	Enabled  bool            `json:"enabled"`
	Mode     int             `json:"mode"`
}
