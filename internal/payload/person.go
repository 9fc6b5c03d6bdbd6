package payload

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

// Print writes the user object after open.
func (u *User) Print(p *Printer, open string) {
	p.Raw(open)
	p.ID(`{"id":`, uint64(u.ID))
	p.Text(`,"username":`, u.Username)
	if u.Discriminator == "" {
		p.Raw(`,"discriminator":"0"`)
	} else {
		p.Text(`,"discriminator":`, u.Discriminator)
	}
	p.TextOrNull(`,"global_name":`, u.GlobalName)
	p.Raw(`,"avatar":null`)
	if u.Bot {
		p.Raw(`,"bot":true`)
	}
	p.Raw(`,"public_flags":0}`)
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

// Print writes the member object after open. Resolved members lack the user, which stands beside them, and what concerns
// voice.
func (m *Member) Print(p *Printer, open string, resolved bool) {
	p.Raw(open)
	p.Raw(`{`)
	if !resolved {
		m.User.Print(p, `"user":`)
		p.Raw(`,`)
	}
	p.TextOrNull(`"nick":`, m.Nick)
	p.Raw(`,"avatar":null,"avatar_decoration_data":null,"banner":null,"roles":[`)
	for i, id := range m.Roles {
		p.Comma(i > 0)
		p.ID("", uint64(id))
	}
	p.Time(`],"joined_at":`, m.JoinedAt)
	p.Time(`,"premium_since":`, m.PremiumSince)
	p.Flag(`,"pending":`, m.Pending)
	if !resolved {
		p.Flag(`,"mute":`, m.Mute)
		p.Flag(`,"deaf":`, m.Deaf)
	}
	p.Integer(`,"flags":`, int64(m.Flags))
	p.Time(`,"communication_disabled_until":`, m.TimeoutUntil)
	p.Bits(`,"permissions":`, m.Permissions)
	p.Raw(`}`)
}
