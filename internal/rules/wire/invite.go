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
	Inviter   *User           `json:"inviter,omitzero"`
	InviteTarget
	Roles []InviteRole `json:"roles,omitzero"`
	*Counts
	*InviteMetadata
}

// InviteRole is a role that users get who join with an invite.
type InviteRole struct {
	ID           snowflake.Role `json:"id"`
	Name         string         `json:"name"`
	Position     int            `json:"position"`
	Color        int            `json:"color"`
	Colors       Colors         `json:"colors"`
	Icon         NullString     `json:"icon"`
	UnicodeEmoji NullString     `json:"unicode_emoji"`
}

// InviteTarget holds the members of an invite that shows a stream or an app.
type InviteTarget struct {
	TargetType        int          `json:"target_type,omitzero"`
	TargetUser        *User        `json:"target_user,omitzero"`
	TargetApplication *Application `json:"target_application,omitzero"`
}

// InviteMetadata says how often an invite was used, and how often it can be.
type InviteMetadata struct {
	Uses      int  `json:"uses"`
	MaxUses   int  `json:"max_uses"`
	MaxAge    int  `json:"max_age"` // seconds
	Temporary bool `json:"temporary"`
	CreatedAt Time `json:"created_at"`
}

// InviteGuild is the guild of an invite.
type InviteGuild struct {
	ID                       snowflake.Guild `json:"id"`
	Name                     string          `json:"name"`
	Icon                     NullString      `json:"icon"`
	Splash                   NullString      `json:"splash"`
	Banner                   NullString      `json:"banner"`
	Description              NullString      `json:"description"`
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
