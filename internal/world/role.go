package world

import (
	"cmp"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// Role is a role of a guild. Guild.Everyone holds the permissions of the @everyone role.
type Role struct {
	ID          snowflake.Role  `json:"id"`
	Name        string          `json:"name"` // default: "role-" and its id
	Permissions permission.Bits `json:"permissions"`
	Position    int             `json:"position"` // from 1, the lowest; default: the order in the file
	Color       int             `json:"color,omitzero"`
	Hoist       bool            `json:"hoist,omitzero"`
	Mentionable bool            `json:"mentionable,omitzero"`
	// Managed is the application whose bot has the role. It is 0 for other roles.
	Managed snowflake.Application `json:"managed,omitzero"`
}

func (r *Role) read(o *object) {
	r.ID = id[snowflake.Role](o, "id")
	r.Name = o.text("name")
	if b := o.bits("permissions"); b != nil {
		r.Permissions = *b
	}
	r.Position = o.int("position", 1, MaxPosition)
	r.Color = o.int("color", 0, MaxColor)
	r.Hoist = o.bool("hoist")
	r.Mentionable = o.bool("mentionable")
	r.Managed = id[snowflake.Application](o, "managed")
}

// Complete returns a role of the guild with default values for absent members, or a *jsonbody.Tree with its problems.
func (r Role) Complete(guild snowflake.Guild) (Role, error) { return completedPart(r, guild) }

func (r *Role) complete(t *jsonbody.Tree) {
	r.Name = cmp.Or(r.Name, "role-"+r.ID.String())
	r.Position = cmp.Or(r.Position, 1)
	required(t, "id", r.ID != 0)
	name(t, "name", r.Name, 1, 100)
	allowed(t, "permissions", r.Permissions)
	within(t, "position", r.Position, 1, MaxPosition)
	within(t, "color", r.Color, 0, MaxColor)
}

func (r *Role) completeInGuild(t *jsonbody.Tree, guild snowflake.Guild) {
	if r.ID != 0 && uint64(r.ID) == uint64(guild) {
		find(t, "id", func(at *jsonbody.Tree) {
			at.Add(Misplaced, "This id is reserved for @everyone: set its permissions with the key everyone of the guild.")
		})
	}
}
