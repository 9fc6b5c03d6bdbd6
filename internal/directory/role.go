package directory

import (
	"context"
	"errors"
	"slices"

	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// RoleKind describes roles of guilds.
var RoleKind = Kind[store.Role]{
	Name:    "role",
	Target:  func(r store.Role) string { return "guild/" + r.Guild.String() + "/role/" + r.ID.String() },
	Key:     func(r store.Role) store.Key { return store.RoleKey(r.Guild, r.ID) },
	Read:    func(q store.DirectoryQueries, r store.Role) (store.Role, error) { return q.Role(r.Guild, r.ID) },
	Show:    func(r store.Role) any { return convert.WorldRole(r) },
	Events:  roleEvents,
	Deleted: func(r store.Role, t store.Tombstone) bool { return t.Kind == store.KindRole && t.ID == uint64(r.ID) },
}

func roleEvents(e *Events, before, after *store.Role) error {
	if after == nil {
		return e.AddToGuild(before.Guild, events.Guilds, "GUILD_ROLE_DELETE", struct {
			Guild snowflake.Guild `json:"guild_id"`
			Role  snowflake.Role  `json:"role_id"`
		}{before.Guild, before.ID})
	}
	name := eventName(before, after, "GUILD_ROLE_CREATE", "GUILD_ROLE_UPDATE", "")
	return e.AddToGuild(after.Guild, events.Guilds, name, struct {
		Guild snowflake.Guild `json:"guild_id"`
		Role  wire.Role       `json:"role"`
	}{after.Guild, convert.WireRole(*after)})
}

// FindRole returns the first role that matches, or store.ErrNotFound.
func FindRole(all []store.Role, matches func(store.Role) bool) (store.Role, error) {
	if i := slices.IndexFunc(all, matches); i >= 0 {
		return all[i], nil
	}
	return store.Role{}, store.ErrNotFound
}

// BotRoles returns the roles of a guild that belong to bots.
func BotRoles(q store.DirectoryQueries, guild snowflake.Guild) (map[snowflake.Application]snowflake.Role, error) {
	roles, err := q.Roles(guild)
	all := map[snowflake.Application]snowflake.Role{}
	for _, r := range roles {
		if r.Managed != 0 {
			all[r.Managed] = r.ID
		}
	}
	return all, err
}

// AddRole gives a role to a user or bot that is a member, and reports whether it wrote.
func AddRole(tx *Tx, guild snowflake.Guild, user snowflake.User, role snowflake.Role) (bool, error) {
	m, err := tx.Directory.Member(guild, user)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	if err != nil || slices.Contains(m.Roles, role) {
		return false, err
	}
	m.Roles = WithRole(m.Roles, role)
	return true, MemberKind.Put(tx, m)
}

// WithRole returns a copy of a sorted list of roles with one more role.
func WithRole(roles []snowflake.Role, role snowflake.Role) []snowflake.Role {
	at, there := slices.BinarySearch(roles, role)
	if there {
		return roles
	}
	return slices.Insert(slices.Clone(roles), at, role)
}

// DeleteRole removes a role from a guild, its members and its overwrites.
func (g *Guilds) DeleteRole(ctx context.Context, guild snowflake.Guild, id snowflake.Role) error {
	return g.Update(ctx, func(tx *Tx) error {
		if _, err := tx.Directory.Role(guild, id); err != nil {
			return unknown(err, ErrUnknownRole)
		}
		return RemoveRole(tx, guild, id)
	})
}

// RemoveRole removes a role. The members lose it in the same transaction when they are few, else after it.
func RemoveRole(tx *Tx, guild snowflake.Guild, role snowflake.Role) error {
	if err := removeOverwrites(tx, guild, world.RoleOverwrite, snowflake.Target(role)); err != nil {
		return err
	}
	if err := removePermissionEntries(tx, guild, permission.ForRole, snowflake.Target(role)); err != nil {
		return err
	}
	RoleKind.Delete(tx, store.Role{Guild: guild, ID: role})
	members, err := tx.Directory.MembersWith(guild, role, batchSize+1)
	if err != nil {
		return err
	}
	if len(members) > batchSize {
		return tx.putTombstone(store.Tombstone{Kind: store.KindRole, ID: uint64(role), Guild: guild})
	}
	return removeRoleFrom(tx, members, role)
}

// removeRoleFrom takes a deleted role from members.
func removeRoleFrom(tx *Tx, members []store.Member, role snowflake.Role) error {
	for _, m := range members {
		m.Roles = slices.DeleteFunc(m.Roles, func(r snowflake.Role) bool { return r == role })
		if err := tx.Put(m); err != nil {
			return err
		}
	}
	return nil
}
