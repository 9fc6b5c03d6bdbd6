package wire

import "github.com/bellhop/bellhop/snowflake"

// Invite is an invite to a guild.
type Invite struct {
	Type      int           `json:"type"`
	Code      string        `json:"code"`
	ExpiresAt Time          `json:"expires_at"`
	Guild     InviteGuild   `json:"guild"`
	Channel   InviteChannel `json:"channel"`
}

// InviteGuild is the guild of an invite.
type InviteGuild struct {
	ID   snowflake.Guild `json:"id"`
	Name string          `json:"name"`
}

// InviteChannel is the channel of an invite.
type InviteChannel struct {
	ID   snowflake.Channel `json:"id"`
	Name string            `json:"name"`
	Type int               `json:"type"`
}
