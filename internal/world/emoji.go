package world

import (
	"cmp"
	"strings"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/snowflake"
)

// Emoji is a custom emoji of a guild, without its image.
type Emoji struct {
	ID       snowflake.Emoji  `json:"id"`
	Name     string           `json:"name"` // default: "emoji_" and its id
	Animated bool             `json:"animated,omitzero"`
	Creator  snowflake.User   `json:"creator,omitzero"` // a user, or a bot by the id of its application
	Roles    []snowflake.Role `json:"roles,omitzero"`   // that can use it, ascending; none: every member can
}

func (e *Emoji) read(o *object) {
	e.ID = id[snowflake.Emoji](o, "id")
	e.Name = o.text("name")
	e.Animated = o.bool("animated")
	e.Creator = id[snowflake.User](o, "creator")
	e.Roles = ids[snowflake.Role](o, "roles", MaxRoles)
}

func (e *Emoji) complete(t *jsonbody.Tree) {
	e.Name = cmp.Or(e.Name, "emoji_"+e.ID.String())
	required(t, "id", e.ID != 0)
	name(t, "name", e.Name, 2, 32)
	if strings.Trim(e.Name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != "" {
		find(t, "name", func(at *jsonbody.Tree) {
			at.Add(BadText, "Must be letters, digits and underscores, such as party_parrot.")
		})
	}
	ascending(t, "roles", &e.Roles)
}
