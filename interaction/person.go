package interaction

import (
	"time"

	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// User is a person, or an application's bot, as payloads show them.
type User struct {
	ID            snowflake.User
	Username      string
	Discriminator string // empty: "0"
	GlobalName    string
	Bot           bool
}

func (u *User) print(p *printer, open string) {
	p.raw(open)
	p.id(`{"id":`, uint64(u.ID))
	p.text(`,"username":`, u.Username)
	if u.Discriminator == "" {
		p.raw(`,"discriminator":"0"`)
	} else {
		p.text(`,"discriminator":`, u.Discriminator)
	}
	p.textOrNull(`,"global_name":`, u.GlobalName)
	p.raw(`,"avatar":null`)
	if u.Bot {
		p.raw(`,"bot":true`)
	}
	p.raw(`,"public_flags":0}`)
}

// Member is a user in a guild.
type Member struct {
	User         User
	Nick         string
	Roles        []snowflake.Role
	JoinedAt     time.Time
	PremiumSince time.Time
	Pending      bool
	Mute         bool
	Deaf         bool
	Flags        int
	TimeoutUntil time.Time
	Permissions  permission.Bits // in the channel of the interaction
}

// print writes the member. Resolved members lack the user, which stands beside them, and what concerns voice.
func (m *Member) print(p *printer, open string, resolved bool) {
	p.raw(open)
	p.raw(`{`)
	if !resolved {
		m.User.print(p, `"user":`)
		p.raw(`,`)
	}
	p.textOrNull(`"nick":`, m.Nick)
	p.raw(`,"avatar":null,"avatar_decoration_data":null,"banner":null,"roles":[`)
	for i, id := range m.Roles {
		p.comma(i > 0)
		p.id("", uint64(id))
	}
	p.time(`],"joined_at":`, m.JoinedAt)
	p.time(`,"premium_since":`, m.PremiumSince)
	p.flag(`,"pending":`, m.Pending)
	if !resolved {
		p.flag(`,"mute":`, m.Mute)
		p.flag(`,"deaf":`, m.Deaf)
	}
	p.integer(`,"flags":`, int64(m.Flags))
	p.time(`,"communication_disabled_until":`, m.TimeoutUntil)
	p.bits(`,"permissions":`, m.Permissions)
	p.raw(`}`)
}
