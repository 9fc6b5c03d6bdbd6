package wire

import (
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// Invite is an invite to a guild.
type Invite struct {
	Type      int         `json:"type"`
	Code      string      `json:"code"`
	ExpiresAt Time        `json:"expires_at"`
	Guild     InviteGuild `json:"guild"`
	Channel   InvitePlace `json:"channel"`
}

// InviteGuild is the guild that an invite leads to.
type InviteGuild struct {
	ID   snowflake.Guild `json:"id"`
	Name string          `json:"name"`
}

// InvitePlace is the channel that an invite leads to.
type InvitePlace struct {
	ID   snowflake.Channel `json:"id"`
	Name string            `json:"name"`
	Type int               `json:"type"`
}

// InviteOf returns an invite.
func InviteOf(code string, expires Time, g store.Guild, c store.Channel) Invite {
	return Invite{Code: code, ExpiresAt: expires, Guild: InviteGuild{g.ID, g.Name}, Channel: InvitePlace{c.ID, c.Name, c.Type}}
}
