package wire

import "github.com/bellhop/bellhop/snowflake"

// Emoji is an emoji of a guild or of an application.
type Emoji struct {
	ID            snowflake.Emoji  `json:"id"`
	Name          string           `json:"name"`
	Roles         []snowflake.Role `json:"roles"`          // that can use it; empty: every member
	User          *User            `json:"user,omitzero"`  // who created it
	RequireColons bool             `json:"require_colons"` // always
	Managed       bool             `json:"managed"`        // never
	Animated      bool             `json:"animated"`
	Available     bool             `json:"available"` // always
}

// GuildEmojis are all emojis of a guild.
type GuildEmojis struct {
	GuildID snowflake.Guild `json:"guild_id"`
	Emojis  []Emoji         `json:"emojis"`
}
