package wire

import (
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
	Icon         NullString      `json:"icon"`
	UnicodeEmoji NullString      `json:"unicode_emoji"`
	Position     int             `json:"position"`
	Permissions  permission.Bits `json:"permissions"`
	Managed      bool            `json:"managed"`
	Mentionable  bool            `json:"mentionable"`
	Flags        int             `json:"flags"`
	Tags         *RoleTags       `json:"tags,omitzero"`
}

// Colors are the colors of a role.
type Colors struct {
	Primary   int  `json:"primary_color"`
	Secondary *int `json:"secondary_color"` // nil: none, as is Tertiary
	Tertiary  *int `json:"tertiary_color"`
}

// RoleTags name the bot that a managed role belongs to.
type RoleTags struct {
	BotID snowflake.Application `json:"bot_id"`
}

// Print writes the role as the resolved data of an interaction shows it.
func (r *Role) Print(p *Printer) {
	p.ID(`{"id":`, uint64(r.ID))
	p.Text(`,"name":`, r.Name)
	p.Integer(`,"color":`, int64(r.Color))
	p.Integer(`,"colors":{"primary_color":`, int64(r.Colors.Primary))
	p.color(`,"secondary_color":`, r.Colors.Secondary)
	p.color(`,"tertiary_color":`, r.Colors.Tertiary)
	p.Bool(`},"hoist":`, r.Hoist)
	p.TextOrNull(`,"icon":`, string(r.Icon))
	p.TextOrNull(`,"unicode_emoji":`, string(r.UnicodeEmoji))
	p.Integer(`,"position":`, int64(r.Position))
	p.ID(`,"permissions":`, uint64(r.Permissions))
	p.Bool(`,"managed":`, r.Managed)
	p.Bool(`,"mentionable":`, r.Mentionable)
	if r.Tags != nil {
		p.ID(`,"tags":{"bot_id":`, uint64(r.Tags.BotID))
		p.Raw(`}`)
	}
	p.Integer(`,"flags":`, int64(r.Flags))
	p.Raw(`}`)
}

// color writes a color or null.
func (p *Printer) color(key string, n *int) {
	if n == nil {
		p.null(key)
		return
	}
	p.Integer(key, int64(*n))
}
