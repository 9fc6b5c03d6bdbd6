package wire

import (
	"time"

	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// Member is a user or a bot in a guild.
type Member struct {
	User                 User             `json:"user"`
	Nick                 NullString       `json:"nick"`
	Avatar               NullString       `json:"avatar"`
	AvatarDecorationData null             `json:"avatar_decoration_data"`
	Banner               NullString       `json:"banner"`
	Roles                []snowflake.Role `json:"roles"`
	JoinedAt             Time             `json:"joined_at"`
	PremiumSince         Time             `json:"premium_since"`
	Deaf                 bool             `json:"deaf"`
	Mute                 bool             `json:"mute"`
	Pending              bool             `json:"pending"`
	Flags                int              `json:"flags"`
	TimeoutUntil         Time             `json:"communication_disabled_until"`
	// Permissions are the member's in one channel. Only Print writes them.
	Permissions permission.Bits `json:"-"`
}

// MemberForm is a form in which interactions and messages show members.
type MemberForm uint8

// The forms of members. Where there is no user, the user is written beside the member.
const (
	InvokingMember MemberForm = iota // with user, voice state and permissions
	ResolvedMember                   // with permissions
	AuthorMember                     // with voice state
	FullMember                       // with user and voice state
)

// Print writes the member in one of the forms of interactions and messages.
func (m *Member) Print(p *Printer, key string, form MemberForm) {
	p.Raw(key)
	p.Raw(`{`)
	if form == InvokingMember || form == FullMember {
		m.User.Print(p, `"user":`)
		p.Raw(`,`)
	}
	p.TextOrNull(`"nick":`, string(m.Nick))
	p.TextOrNull(`,"avatar":`, string(m.Avatar))
	p.TextOrNull(`,"avatar_decoration_data":null,"banner":`, string(m.Banner))
	p.Raw(`,"roles":[`)
	for i, id := range m.Roles {
		p.Comma(i > 0)
		p.ID("", uint64(id))
	}
	p.Time(`],"joined_at":`, time.Time(m.JoinedAt))
	p.Time(`,"premium_since":`, time.Time(m.PremiumSince))
	p.Bool(`,"pending":`, m.Pending)
	if form != ResolvedMember {
		p.Bool(`,"mute":`, m.Mute)
		p.Bool(`,"deaf":`, m.Deaf)
	}
	p.Integer(`,"flags":`, int64(m.Flags))
	p.Time(`,"communication_disabled_until":`, time.Time(m.TimeoutUntil))
	if form == InvokingMember || form == ResolvedMember {
		p.ID(`,"permissions":`, uint64(m.Permissions))
	}
	p.Raw(`}`)
}
