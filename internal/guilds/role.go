package guilds

import (
	"cmp"
	"context"
	"reflect"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/images"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/guild"
	"github.com/bellhop/bellhop/internal/rules/imagedata"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/optional"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// CreateRole creates a role at position 1. Other roles keep their positions.
func (s *Guilds) CreateRole(
	ctx context.Context, by directory.Viewer, id snowflake.Guild, body jsonbody.Value,
) (shown wire.Role, err error) {
	r := store.Role{ID: snowflake.Role(s.IDs.Next()), Guild: id, Position: 1}
	draft := s.Images.Draft()
	err = s.Directory.Update(ctx, s.by(by, id, func(g *manager) error {
		p, err := guild.ReadRole(body, g.Features)
		if err != nil {
			return err
		}
		next := p.Create(g.Everyone)
		if err := denied(permission.OpCreateRole, g.by.MayCreateRole(next.Permissions)); err != nil {
			return err
		}
		if len(g.Roles) >= guild.MaxRoles {
			return apierror.TooManyRoles
		}
		if _, err := draft.Set(ctx, g.tx, images.RoleIcon(r), p.Icon, ""); err != nil {
			return err
		}
		shown, err = g.putRole(permission.OpCreateRole, nil, withSettings(r, next))
		return err
	}))
	return shown, draft.End(ctx, err)
}

// EditRole changes a role. Of the everyone role only the permissions change, and whether it is mentionable.
func (s *Guilds) EditRole(
	ctx context.Context, by directory.Viewer, id snowflake.Guild, role snowflake.Role, body jsonbody.Value,
) (shown wire.Role, err error) {
	const op = permission.OpEditRole
	draft := s.Images.Draft()
	err = s.Directory.Update(ctx, s.by(by, id, func(g *manager) error {
		old, err := g.role(role)
		if err != nil {
			return err
		}
		p, err := guild.ReadRole(body, g.Features)
		if err != nil {
			return err
		}
		if err := denied(op, g.by.MayEditRole(directory.RankedRole(old), p.Permissions.Or(0))); err != nil {
			return err
		}
		if role == snowflake.Role(id) {
			shown, err = g.setEveryone(old, withSettings(old, p.Everyone().Apply(roleSettings(old), g.Everyone)))
			return err
		}
		next := withSettings(old, p.Apply(roleSettings(old), g.Everyone))
		if err := setRoleIcon(ctx, draft, g, p.Icon, old, next); err != nil {
			return err
		}
		shown, err = g.putRole(op, &old, next)
		return err
	}))
	return shown, draft.End(ctx, err)
}

// setRoleIcon stores the icon of a role that changes. An emoji replaces the icon, whose file is removed then.
func setRoleIcon(
	ctx context.Context, draft *images.Draft, g *manager, icon optional.Value[imagedata.Image], old, next store.Role,
) error {
	if next.Icon == "" {
		icon = optional.Null[imagedata.Image]()
	}
	_, err := draft.Set(ctx, g.tx, images.RoleIcon(old), icon, old.Icon)
	return err
}

// setEveryone changes the everyone role, which is a part of the guild.
func (g *manager) setEveryone(old, next store.Role) (wire.Role, error) {
	shown := convert.WireRole(next)
	if reflect.DeepEqual(old, next) {
		return shown, nil
	}
	changed := g.Guild
	changed.Everyone, changed.MentionEveryone = next.Permissions, next.Mentionable
	g.recordRole(permission.OpEditRole, &old, &next)
	return shown, directory.GuildKind.Put(g.tx, changed)
}

// MoveRoles moves roles, and returns all roles of the guild. Afterwards the positions are 1, 2, 3 and so on.
func (s *Guilds) MoveRoles(
	ctx context.Context, by directory.Viewer, id snowflake.Guild, body jsonbody.Value,
) (shown []wire.Role, err error) {
	const op = permission.OpMoveRoles
	err = s.Directory.Update(ctx, s.by(by, id, func(g *manager) error {
		moves, err := guild.ReadRolePositions(body)
		if err != nil {
			return err
		}
		for _, m := range moves {
			if _, err := g.role(m.Role); err != nil {
				return err
			}
		}
		if err := denied(op, g.by.MayMoveRoles(g.Rules, moves)); err != nil {
			return err
		}
		shown = convert.WireRoles(g.Roles[:1])
		places := map[snowflake.Role]int{}
		for _, r := range g.Rules.Reorder(moves) {
			places[r.ID] = r.Position
		}
		for _, old := range g.Roles[1:] {
			next := old
			next.Position = places[old.ID]
			role, err := g.putRole(op, &old, next)
			if err != nil {
				return err
			}
			shown = append(shown, role)
		}
		return nil
	}))
	return shown, err
}

// DeleteRole deletes a role. Its members and its overwrites lose it.
func (s *Guilds) DeleteRole(ctx context.Context, by directory.Viewer, id snowflake.Guild, role snowflake.Role) error {
	const op = permission.OpDeleteRole
	return s.Directory.Update(ctx, s.by(by, id, func(g *manager) error {
		old, err := g.role(role)
		if err != nil {
			return err
		}
		if err := denied(op, g.by.MayDeleteRole(directory.RankedRole(old))); err != nil {
			return err
		}
		g.recordRole(op, &old, nil)
		return directory.RemoveRole(g.tx, id, role)
	}))
}

// roleSettings returns the members of a role that requests set.
func roleSettings(r store.Role) guild.Role {
	return guild.Role{
		Name: r.Name, Permissions: r.Permissions, Colors: guild.Colors{Primary: r.Color, Secondary: r.Secondary, Tertiary: r.Tertiary},
		Hoist: r.Hoist, Mentionable: r.Mentionable, Icon: r.Icon, UnicodeEmoji: r.UnicodeEmoji,
	}
}

// withSettings returns a role with new settings.
func withSettings(r store.Role, s guild.Role) store.Role {
	r.Name, r.Permissions, r.Hoist, r.Mentionable = s.Name, s.Permissions, s.Hoist, s.Mentionable
	r.Color, r.Secondary, r.Tertiary = s.Colors.Primary, s.Colors.Secondary, s.Colors.Tertiary
	r.Icon, r.UnicodeEmoji = s.Icon, s.UnicodeEmoji
	return r
}

// putRole stores a role that is new or changed, with its entry in the audit log. old is nil for a new role.
func (g *manager) putRole(op permission.Operation, old *store.Role, next store.Role) (wire.Role, error) {
	shown := convert.WireRole(next)
	if old != nil && reflect.DeepEqual(*old, next) {
		return shown, nil
	}
	g.recordRole(op, old, &next)
	return shown, directory.RoleKind.Put(g.tx, next)
}

// recordRole records a change of a role. Only moves show the position.
func (g *manager) recordRole(op permission.Operation, old, next *store.Role) {
	show := func(r *store.Role) *guild.Role {
		if r == nil {
			return nil
		}
		s := roleSettings(*r)
		if op == permission.OpMoveRoles {
			s.Position = r.Position
		}
		return &s
	}
	id := cmp.Or(next, old).ID
	g.record(op, store.GuildSubject(g.ID), audit.GuildEntry{
		Target: snowflake.Target(id), Changes: guild.Changes(guild.RoleFields, show(old), show(next)),
	})
}
