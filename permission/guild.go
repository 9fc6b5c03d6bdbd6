package permission

import (
	"cmp"
	"slices"

	"github.com/bellhop/bellhop/snowflake"
)

// Role is a role of a guild.
type Role struct {
	ID          snowflake.Role
	Permissions Bits
	Position    int  // a role with a higher position is above one with a lower; with equal positions, the lower id is above
	Managed     bool // the role belongs to an integration, such as a bot
}

// Guild holds the parts of a guild that permissions depend on. It is immutable.
type Guild struct {
	id       snowflake.Guild
	owner    snowflake.User
	everyone Bits
	roles    []Role // in ascending order of ids, without the everyone role
}

// NewGuild returns a guild. everyone are the permissions of the everyone role.
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

// HasRole reports whether the guild has a role, not counting the everyone role.
func (g *Guild) HasRole(id snowflake.Role) bool {
	_, found := g.role(id)
	return found
}

// Member returns a member with the given roles. Roles that the guild does not have are ignored.
func (g *Guild) Member(user snowflake.User, roles []snowflake.Role) Member {
	m := Member{User: user, guild: g.id, owner: user == g.owner, base: g.everyone}
	for _, id := range roles {
		if r, ok := g.role(id); ok {
			m.roles = append(m.roles, id)
			m.base |= r.Permissions
			if next := rankOf(r, g.id); next.above(m.top) {
				m.top = next
			}
		}
	}
	slices.Sort(m.roles)
	return m
}

// Member is a member of a guild. It is valid as long as the guild and the roles of the member do not change.
type Member struct {
	User snowflake.User
	// TimedOut reports whether the member is timed out. It changes with time: a caller that caches members sets it on a
	// copy.
	TimedOut bool

	guild snowflake.Guild
	owner bool
	base  Bits             // permissions of the everyone role and all roles of the member
	roles []snowflake.Role // ascending, without the everyone role
	top   rank             // of the highest role
}

// whileTimedOut are the permissions that a member keeps while timed out.
const whileTimedOut = ViewChannel | ReadMessageHistory

// Administrator reports whether the member owns the guild or has the permission Administrator.
func (m Member) Administrator() bool { return m.owner || m.base.Has(Administrator) }

// Permissions returns the permissions of the member in the guild as a whole.
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

// below reports whether the highest role of m is below that of other. The owner is above everyone.
func (m Member) below(other Member) bool { return !m.owner && (other.owner || other.top.above(m.top)) }
