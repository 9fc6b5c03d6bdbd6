package world

import (
	"cmp"
	"strings"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/locale"
	"github.com/bellhop/bellhop/snowflake"
)

// User is a user.
type User struct {
	ID         snowflake.User `json:"id"`
	Username   string         `json:"username"`
	GlobalName string         `json:"global_name,omitzero"`
	Locale     locale.Code    `json:"locale"` // default: en-US
	Email      string         `json:"email,omitzero"`
	Minor      bool           `json:"minor,omitzero"`
	Token      string         `json:"token,omitzero"` // of the user's own client; empty: the stored one stays, or one is created
}

func (u *User) read(o *object) {
	u.ID = id[snowflake.User](o, "id")
	u.Username = o.text("username")
	u.GlobalName = o.mayBeEmpty("global_name")
	u.Locale = o.text("locale")
	u.Email = o.mayBeEmpty("email")
	u.Minor = o.bool("minor")
	u.Token = o.secret("token")
}

// Complete returns the user with default values for absent members, or a *jsonbody.Tree with its problems.
func (u User) Complete() (User, error) { return completed(u) }

func (u *User) complete(t *jsonbody.Tree) {
	u.Locale = cmp.Or(u.Locale, locale.EnglishUS)
	required(t, "id", u.ID != 0)
	name(t, "username", u.Username, 1, 32)
	name(t, "global_name", u.GlobalName, 0, 32)
	language(t, "locale", u.Locale)
	if at := strings.LastIndexByte(u.Email, '@'); u.Email != "" && (at < 1 || at == len(u.Email)-1) {
		find(t, "email", func(at *jsonbody.Tree) { at.Add(BadText, "Must be an email address.") })
	}
	name(t, "email", u.Email, 0, 320)
	credential(t, "token", u.Token)
}
