package wire

import (
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/locale"
	"github.com/bellhop/bellhop/snowflake"
)

// User is a person, or an application's bot, as everybody sees them.
type User struct {
	ID                   snowflake.User `json:"id"`
	Username             string         `json:"username"`
	Discriminator        string         `json:"discriminator"`
	GlobalName           *string        `json:"global_name"`
	Avatar               null           `json:"avatar"`
	AvatarDecorationData null           `json:"avatar_decoration_data"`
	Banner               null           `json:"banner"`
	AccentColor          null           `json:"accent_color"`
	Bot                  bool           `json:"bot,omitzero"`
	PublicFlags          int            `json:"public_flags"`
}

// UserOf returns a user.
func UserOf(u *directory.User) User {
	return User{ID: u.ID, Username: u.Username, Discriminator: "0", GlobalName: orNull(u.GlobalName), Bot: u.Bot}
}

// Me is a user in its own eyes.
type Me struct {
	User

	MFAEnabled  bool        `json:"mfa_enabled"`
	Locale      locale.Code `json:"locale"`
	PremiumType int         `json:"premium_type"`
	Flags       int         `json:"flags"`
	*Mail
}

// Mail is the part of a user that not everyone who acts for it may know.
type Mail struct {
	Email    *string `json:"email"`
	Verified bool    `json:"verified"`
}

// MeOf returns a user in its own eyes, with or without its email address. A bot has none and counts as verified.
func MeOf(u *directory.User, mail bool) Me {
	me := Me{User: UserOf(u), Locale: u.Locale}
	if mail {
		me.Mail = &Mail{Email: orNull(u.Email), Verified: u.Bot || u.Email != ""}
	}
	return me
}
