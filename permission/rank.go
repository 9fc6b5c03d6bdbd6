package permission

import (
	"cmp"
	"slices"

	"github.com/bellhop/bellhop/snowflake"
)

// rank is the place of a role in the order of a guild. The zero rank is that of the everyone role, which is below all
// other roles.
type rank struct {
	position int
	role     snowflake.Role
}

// rankOf returns the rank of a role of a guild.
func rankOf(r Role, guild snowflake.Guild) rank {
	if r.ID == snowflake.Role(guild) {
		return rank{}
	}
	return rank{position: r.Position, role: r.ID}
}

// compare returns a positive number if r is above o. Of two roles with the same position, the one with the lower id is
// above the other.
func (r rank) compare(o rank) int {
	switch {
	case r.role == o.role:
		return 0
	case r.role == 0:
		return -1
	case o.role == 0:
		return 1
	}
	return cmp.Or(cmp.Compare(r.position, o.position), cmp.Compare(o.role, r.role))
}

func (r rank) above(o rank) bool { return r.compare(o) > 0 }

// Highest returns the highest role of the member, 0 for a member without roles.
func (m Member) Highest() snowflake.Role { return m.top.role }

// Outranks reports whether the member is above another member: the owner is above all members, and others must have a
// strictly higher highest role. The permission [Administrator] gives no rank.
func (m Member) Outranks(other Member) Outcome {
	o := Outcome{Role: m.top.role, Against: other.top.role}
	switch {
	case other.owner:
		o.Reason = targetOwns
	case m.owner:
		o.Allowed, o.Reason = true, ownsGuild
	case m.top.above(other.top):
		o.Allowed, o.Reason = true, higherRole
	default:
		o.Reason = notAbove
	}
	return o.coded(codeMissingPermissions)
}

// OutranksRole reports whether the member is above a role of the guild.
func (m Member) OutranksRole(r Role) Outcome {
	other := rankOf(r, m.guild)
	o := Outcome{Role: m.top.role, Against: other.role}
	switch {
	case m.owner:
		o.Allowed, o.Reason = true, ownsGuild
	case m.top.above(other):
		o.Allowed, o.Reason = true, higherRole
	default:
		o.Reason = notAbove
	}
	return o.coded(codeMissingPermissions)
}

// coded adds the error code to an outcome that denies.
func (o Outcome) coded(code int) Outcome {
	if !o.Allowed {
		o.Code = code
	}
	return o
}

// MayActOn reports whether the member may perform an operation of the guild on a member: it checks the permissions and,
// for operations with [Requirement.Ranked], the rank. Members can change their own nickname without rank. The owner and
// administrators cannot be timed out.
func (m Member) MayActOn(op Operation, target Member) Outcome {
	self := m.User == target.User
	o := Act{Operation: op, Member: &m, Own: self}.Decide()
	switch {
	case !o.Allowed, !op.Requirement().Ranked, op == OpEditNick && self:
		return o
	}
	if o = m.Outranks(target); !o.Allowed {
		return o
	}
	if op == OpTimeOutMember && target.Administrator() {
		o = Outcome{Reason: targetAdmin, Code: codeMissingPermissions, Role: o.Role, Against: o.Against}
	}
	return o
}

// MayGrant reports whether the member may give permissions to others, in a role or in an overwrite. It asks for all of
// them, also for those that the role already has.
func (m Member) MayGrant(granted Bits) Outcome {
	if missing := granted & All &^ m.Permissions(); missing != 0 {
		return Outcome{Reason: cannotGrant, Missing: missing, Code: codeMissingPermissions}
	}
	return m.permitted()
}

// MayAssign reports whether the member may give a role to a member, or take it away. The rank of that member has no
// effect. Roles of integrations cannot be assigned.
func (m Member) MayAssign(r Role) Outcome {
	o := Act{Operation: OpEditMemberRoles, Member: &m}.Decide()
	switch {
	case !o.Allowed:
		return o
	case r.Managed:
		return Outcome{Reason: roleManaged, Code: codeMissingPermissions, Role: m.top.role, Against: r.ID}
	}
	return m.OutranksRole(r)
}

// MayCreateRole reports whether the member may create a role with permissions.
func (m Member) MayCreateRole(granted Bits) Outcome {
	if o := (Act{Operation: OpCreateRole, Member: &m}).Decide(); !o.Allowed {
		return o
	}
	return m.MayGrant(granted)
}

// MayEditRole reports whether the member may edit a role. granted are the permissions in the request, 0 if it has none.
// A role of an integration can be edited like others.
func (m Member) MayEditRole(r Role, granted Bits) Outcome {
	if o := (Act{Operation: OpEditRole, Member: &m}).Decide(); !o.Allowed {
		return o
	}
	o := m.OutranksRole(r)
	if !o.Allowed {
		return o
	}
	if grant := m.MayGrant(granted); !grant.Allowed {
		return grant
	}
	return o
}

// MayDeleteRole reports whether the member may delete a role. The everyone role and roles of integrations cannot be
// deleted.
func (m Member) MayDeleteRole(r Role) Outcome {
	o := Act{Operation: OpDeleteRole, Member: &m}.Decide()
	switch {
	case !o.Allowed:
		return o
	case r.ID == snowflake.Role(m.guild):
		return Outcome{Reason: roleEveryone, Code: codeInvalidRole, Role: m.top.role}
	case r.Managed:
		return Outcome{Reason: roleManaged, Code: codeInvalidRole, Role: m.top.role, Against: r.ID}
	}
	return m.OutranksRole(r)
}

// MayOverwrite reports whether the member may set an overwrite of a channel: it needs the permissions that the overwrite
// allows or denies, unless an overwrite of the channel already gives the member [ManageRoles]. Only administrators can
// set ManageRoles. The caller has checked the operation itself.
func (m Member) MayOverwrite(c Channel, allow, deny Bits) Outcome {
	if m.Administrator() {
		return m.permitted()
	}
	set, have := (allow|deny)&All, m.In(c)
	if set.Has(ManageRoles) {
		return Outcome{Reason: cannotGrant, Missing: ManageRoles, Code: codeMissingPermissions}
	}
	given := slices.ContainsFunc(c.Overwrites, func(o Overwrite) bool { return o.Allow.Has(ManageRoles) && m.carries(o) })
	if missing := set &^ have; missing != 0 && (!given || !have.Has(ManageRoles)) {
		return Outcome{Reason: cannotGrant, Missing: missing, Code: codeMissingPermissions}
	}
	return m.permitted()
}

// carries reports whether an overwrite applies to the member.
func (m Member) carries(o Overwrite) bool {
	if o.Member {
		return o.ID == snowflake.Target(m.User)
	}
	_, found := slices.BinarySearch(m.roles, snowflake.Role(o.ID))
	return found || o.ID == Everyone(m.guild)
}
