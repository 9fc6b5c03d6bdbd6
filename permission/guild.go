package permission

import (
	"cmp"
	"slices"

	"github.com/bellhop/bellhop/snowflake"
)

// Role is a set of permissions that members carry, at a position in the guild's hierarchy.
type Role struct {
	ID          snowflake.Role
	Permissions Bits
	Position    int // higher stands above lower
}

// Guild is what permissions need to know of a guild. It is immutable.
type Guild struct {
	id       snowflake.Guild
	owner    snowflake.User
	everyone Bits
	roles    []Role // in ascending order of ids, without that of everyone
}

// NewGuild returns a guild with the permissions of everyone and those of its roles.
func NewGuild(id snowflake.Guild, owner snowflake.User, everyone Bits, roles []Role) *Guild {
	own := slices.Clone(roles)
	own = slices.DeleteFunc(own, func(r Role) bool { return r.ID == snowflake.Role(id) })
	slices.SortFunc(own, func(a, b Role) int { return cmp.Compare(a.ID, b.ID) })
	return &Guild{id: id, owner: owner, everyone: everyone, roles: own}
}

// role returns a role by its id.
func (g *Guild) role(id snowflake.Role) (Role, bool) {
	i, found := slices.BinarySearchFunc(g.roles, id, func(r Role, id snowflake.Role) int { return cmp.Compare(r.ID, id) })
	if !found {
		return Role{}, false
	}
	return g.roles[i], true
}

// HasRole reports whether the guild has a role of that id. That of everyone is none of its own.
func (g *Guild) HasRole(id snowflake.Role) bool {
	_, found := g.role(id)
	return found
}

// Member returns the member that a user with these roles is. Roles that the guild does not have are left out.
func (g *Guild) Member(user snowflake.User, roles []snowflake.Role) Member {
	m := Member{User: user, guild: g.id, owner: user == g.owner, base: g.everyone}
	for _, id := range roles {
		if r, ok := g.role(id); ok {
			m.roles = append(m.roles, id)
			m.base |= r.Permissions
			m.rank = max(m.rank, r.Position)
		}
	}
	slices.Sort(m.roles)
	return m
}

// Member is a user in a guild. It can be kept as long as the guild, its roles and the user's roles stay as they are.
type Member struct {
	User snowflake.User
	// TimedOut says that the member is timed out now. Time moves on: whoever keeps a Member sets it on a copy.
	TimedOut bool

	guild snowflake.Guild
	owner bool
	base  Bits             // of everyone and all roles
	roles []snowflake.Role // ascending, without that of everyone
	rank  int              // the position of the highest role
}

// whileTimedOut is what members who are timed out keep.
const whileTimedOut = ViewChannel | ReadMessageHistory

// Administrator reports whether the member owns the guild or administers it.
func (m Member) Administrator() bool { return m.owner || m.base.Has(Administrator) }

// Permissions returns what the member may do in the guild as a whole.
func (m Member) Permissions() Bits {
	switch {
	case m.Administrator():
		return All
	case m.TimedOut:
		return m.base & whileTimedOut
	default:
		return m.base
	}
}

// below reports whether m stands below other in the hierarchy.
func (m Member) below(other Member) bool { return !m.owner && (other.owner || m.rank < other.rank) }
