package wire

import (
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// Member is a user, or an application's bot, in a guild.
type Member struct {
	User                 User             `json:"user"`
	Nick                 *string          `json:"nick"`
	Avatar               null             `json:"avatar"`
	AvatarDecorationData null             `json:"avatar_decoration_data"`
	Banner               null             `json:"banner"`
	Roles                []snowflake.Role `json:"roles"`
	JoinedAt             Time             `json:"joined_at"`
	PremiumSince         null             `json:"premium_since"`
	Deaf                 bool             `json:"deaf"`
	Mute                 bool             `json:"mute"`
	Pending              bool             `json:"pending"`
	Flags                int              `json:"flags"`
	TimeoutUntil         Time             `json:"communication_disabled_until"`
}

// MemberOf returns a member with the user that it is.
func MemberOf(m store.Member, u *directory.User) Member {
	return Member{
		User: UserOf(u), Nick: orNull(m.Nick), Roles: m.Roles, JoinedAt: Time(m.JoinedAt), TimeoutUntil: Time(m.TimeoutUntil),
	}
}
