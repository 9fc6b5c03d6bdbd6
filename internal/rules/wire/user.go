package wire

import (
	"cmp"

	"github.com/bellhop/bellhop/internal/rules/locale"
	"github.com/bellhop/bellhop/snowflake"
)

// ProvisionalAccount is the flag of users whom an application made for its players.
const ProvisionalAccount = 1 << 23

// User is a user or an application's bot.
type User struct {
	ID                   snowflake.User `json:"id"`
	Username             string         `json:"username"`
	Discriminator        string         `json:"discriminator"` // "0" unless the user is deleted
	GlobalName           NullString     `json:"global_name"`
	Avatar               NullString     `json:"avatar"` // the hash of the image
	AvatarDecorationData null           `json:"avatar_decoration_data"`
	Banner               NullString     `json:"banner"`
	AccentColor          null           `json:"accent_color"`
	Bot                  bool           `json:"bot,omitzero"`
	PublicFlags          int            `json:"public_flags"`
	Flags                int            `json:"flags"`
	PrimaryGuild         null           `json:"primary_guild"`
}

// Print writes the user as interactions and messages show it: without the members of its profile.
func (u *User) Print(p *Printer, key string) {
	p.Raw(key)
	p.ID(`{"id":`, uint64(u.ID))
	p.Text(`,"username":`, u.Username)
	p.Text(`,"discriminator":`, cmp.Or(u.Discriminator, "0"))
	p.TextOrNull(`,"global_name":`, string(u.GlobalName))
	p.TextOrNull(`,"avatar":`, string(u.Avatar))
	if u.Bot {
		p.Raw(`,"bot":true`)
	}
	p.Integer(`,"public_flags":`, int64(u.PublicFlags))
	p.Integer(`,"flags":`, int64(u.Flags))
	p.Raw(`,"primary_guild":null}`)
}

// Me is a user as the user itself sees it.
type Me struct {
	User

	MFAEnabled  bool        `json:"mfa_enabled"`
	Locale      locale.Code `json:"locale"`
	PremiumType int         `json:"premium_type"`
	*Mail
}

// Mail holds the members that need the email scope.
type Mail struct {
	Email    NullString `json:"email"`
	Verified bool       `json:"verified"`
}
