package permission

import (
	"cmp"
	"slices"

	"github.com/bellhop/bellhop/snowflake"
)

// Move is the new position of a role.
type Move struct {
	Role     snowflake.Role
	Position int
}

// Reorder returns the roles of the guild after moves, from the lowest to the highest and without the everyone role. The
// positions are 1, 2, 3 and so on. Of two roles with the same position, the one with the lower id comes out higher.
// Moves of the everyone role and of unknown roles have no effect; of several moves of a role, the last one counts.
func (g *Guild) Reorder(moves []Move) []Role {
	list := slices.Clone(g.roles)
	for _, m := range moves {
		if i := slices.IndexFunc(list, func(r Role) bool { return r.ID == m.Role }); i >= 0 {
			list[i].Position = m.Position
		}
	}
	slices.SortFunc(list, func(a, b Role) int {
		return cmp.Or(cmp.Compare(a.Position, b.Position), cmp.Compare(b.ID, a.ID))
	})
	for i := range list {
		list[i].Position = i + 1
	}
	return list
}

// MayMoveRoles reports whether the member may move roles: each role that moves must be below the highest role of the
// member, before and after the moves. A move to the current position has no effect.
func (m Member) MayMoveRoles(g *Guild, moves []Move) Outcome {
	if o := (Act{Operation: OpMoveRoles, Member: &m}).Decide(); !o.Allowed || m.owner {
		return o
	}
	after := g.Reorder(moves)
	place := func(id snowflake.Role) int { return slices.IndexFunc(after, func(r Role) bool { return r.ID == id }) }
	own := place(m.top.role) // -1: the member has no role
	for _, move := range moves {
		r, found := g.role(move.Role)
		if !found || r.Position == move.Position {
			continue
		}
		if o := m.OutranksRole(r); !o.Allowed {
			return o
		}
		if place(r.ID) > own {
			return Outcome{Reason: notAbove, Code: codeMissingPermissions, Role: m.top.role, Against: r.ID}
		}
	}
	return m.permitted()
}
