package wire

import (
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// Role is a role of a guild.
type Role struct {
	ID           snowflake.Role  `json:"id"`
	Name         string          `json:"name"`
	Color        int             `json:"color"`
	Colors       Colors          `json:"colors"`
	Hoist        bool            `json:"hoist"`
	Icon         null            `json:"icon"`
	UnicodeEmoji null            `json:"unicode_emoji"`
	Position     int             `json:"position"`
	Permissions  permission.Bits `json:"permissions"`
	Managed      bool            `json:"managed"`
	Mentionable  bool            `json:"mentionable"`
	Flags        int             `json:"flags"`
	Tags         *RoleTags       `json:"tags,omitzero"`
}

// Colors are those of a role. Only the first can be set here.
type Colors struct {
	Primary   int  `json:"primary_color"`
	Secondary null `json:"secondary_color"`
	Tertiary  null `json:"tertiary_color"`
}

// RoleTags say whose a managed role is.
type RoleTags struct {
	BotID snowflake.Application `json:"bot_id"`
}

// RoleOf returns a role.
func RoleOf(r store.Role) Role {
	role := Role{
		ID: r.ID, Name: r.Name, Color: r.Color, Colors: Colors{Primary: r.Color}, Hoist: r.Hoist, Position: r.Position,
		Permissions: r.Permissions, Managed: r.Managed != 0, Mentionable: r.Mentionable,
	}
	if r.Managed != 0 {
		role.Tags = &RoleTags{r.Managed}
	}
	return role
}

// RolesOf returns roles in their order.
func RolesOf(roles []store.Role) []Role {
	list := make([]Role, len(roles))
	for i, r := range roles {
		list[i] = RoleOf(r)
	}
	return list
}
