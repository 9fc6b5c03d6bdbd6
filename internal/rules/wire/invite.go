package wire

import "github.com/bellhop/bellhop/snowflake"

// Invite is an invite to a guild.
type Invite struct {
	Type      int             `json:"type"`
	Code      string          `json:"code"`
	ExpiresAt Time            `json:"expires_at"`
	Guild     InviteGuild     `json:"guild"`
	GuildID   snowflake.Guild `json:"guild_id"`
	Channel   InviteChannel   `json:"channel"`
}

// InviteGuild is the guild of an invite.
type InviteGuild struct {
	ID                       snowflake.Guild `json:"id"`
	Name                     string          `json:"name"`
	Icon                     null            `json:"icon"`
	Splash                   null            `json:"splash"`
	Banner                   null            `json:"banner"`
	Description              null            `json:"description"`
	Features                 []string        `json:"features"`
	VerificationLevel        int             `json:"verification_level"`
	VanityURLCode            null            `json:"vanity_url_code"`
	NSFW                     bool            `json:"nsfw"`
	NSFWLevel                int             `json:"nsfw_level"`
	PremiumSubscriptionCount int             `json:"premium_subscription_count"`
}

// InviteChannel is the channel of an invite.
type InviteChannel struct {
	ID   snowflake.Channel `json:"id"`
	Name string            `json:"name"`
	Type int               `json:"type"`
}
