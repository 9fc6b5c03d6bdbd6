package guilds

import (
	"context"
	"slices"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/images"
	"github.com/bellhop/bellhop/internal/rules/guild"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// Kick removes a member from a guild.
func (s *Guilds) Kick(ctx context.Context, by directory.Viewer, id snowflake.Guild, user snowflake.User) error {
	const op = permission.OpKickMember
	return s.Directory.Update(ctx, s.by(by, id, func(g *manager) error {
		m, err := g.target(user)
		if err != nil {
			return err
		}
		if err := denied(op, g.by.MayActOn(op, m.rank)); err != nil {
			return err
		}
		g.record(op, store.MembershipsSubject(user), audit.GuildEntry{Target: snowflake.Target(user)})
		return directory.Leave(g.tx, id, user)
	}))
}

// EditMember changes the nickname, roles, timeout, flags and voice of a member. One edit has one event about the member, and one about
// the voice state.
func (s *Guilds) EditMember(
	ctx context.Context, by directory.Viewer, id snowflake.Guild, user snowflake.User, body jsonbody.Value,
) (shown wire.Member, err error) {
	var voice voiceEdit
	err = s.Directory.Update(ctx, s.by(by, id, func(g *manager) error {
		voice = voiceEdit{}
		m, err := g.target(user)
		if err != nil {
			return err
		}
		p, err := guild.ReadMemberPatch(body, id, g.now)
		if err != nil {
			return err
		}
		for _, op := range p.Operations() {
			if err := denied(op, g.by.MayActOn(op, m.rank)); err != nil {
				return err
			}
		}
		if voice, err = s.readVoice(g, user, &p); err != nil {
			return err
		}
		shown, err = g.replaceMember(m, p.Apply(settings(m.Member)))
		return err
	}))
	if err == nil && voice.changes {
		err = s.Voice.MoveVoice(ctx, id, user, voice.channel)
	}
	return shown, err
}

// OwnMember is the member of the caller, with the permissions of the caller in the guild.
type OwnMember struct {
	wire.Member

	Permissions permission.Bits `json:"permissions"`
}

// EditOwn changes the nickname, the images and the text about the caller.
func (s *Guilds) EditOwn(
	ctx context.Context, by directory.Viewer, id snowflake.Guild, body jsonbody.Value,
) (shown OwnMember, err error) {
	const op = permission.OpEditNick
	draft := s.Images.Draft()
	err = s.Directory.Update(ctx, s.by(by, id, func(g *manager) error {
		m, err := g.target(by.User)
		if err != nil {
			return err
		}
		p, err := guild.ReadOwnPatch(body)
		if err != nil {
			return err
		}
		next := settings(m.Member)
		if !p.Nick.IsZero() {
			if err := denied(op, g.by.MayActOn(op, m.rank)); err != nil {
				return err
			}
			next.Nick = p.Nick.Or(next.Nick)
		}
		if next.Avatar, err = draft.Set(ctx, g.tx, images.MemberAvatar(id, by.User), p.Avatar, next.Avatar); err != nil {
			return err
		}
		if next.Banner, err = draft.Set(ctx, g.tx, images.MemberBanner(id, by.User), p.Banner, next.Banner); err != nil {
			return err
		}
		if !p.Bio.IsZero() {
			next.Bio = p.Bio.Or("")
		}
		shown.Permissions = g.by.Permissions()
		shown.Member, err = g.replaceMember(m, next)
		return err
	}))
	return shown, draft.End(ctx, err)
}

// SetRole gives a role to a member, or takes it away. A member who has the role already stays as it is.
func (s *Guilds) SetRole(
	ctx context.Context, by directory.Viewer, id snowflake.Guild, user snowflake.User, role snowflake.Role, give bool,
) error {
	return s.Directory.Update(ctx, s.by(by, id, func(g *manager) error {
		m, err := g.target(user)
		if err != nil {
			return err
		}
		if _, err := g.role(role); err != nil {
			return err
		}
		if role == snowflake.Role(id) { // every member has it
			return g.allow(permission.OpEditMemberRoles)
		}
		next := settings(m.Member)
		next.Roles = slices.DeleteFunc(slices.Clone(next.Roles), func(r snowflake.Role) bool { return r == role })
		if give {
			next.Roles = directory.WithRole(next.Roles, role)
		}
		if err := g.mayAssign(role); err != nil {
			return err
		}
		_, err = g.replaceMember(m, next)
		return err
	}))
}

// settings returns the members of a guild member that requests set.
func settings(m store.Member) guild.Member {
	return guild.Member{
		Nick: m.Nick, Roles: m.Roles, Mute: m.Mute, Deaf: m.Deaf, TimeoutUntil: m.TimeoutUntil, Flags: m.Flags,
		Avatar: m.Avatar, Banner: m.Banner, Bio: m.Bio,
	}
}

// apply returns a member with new settings.
func apply(m store.Member, s guild.Member) store.Member {
	m.Nick, m.Roles, m.Mute, m.Deaf, m.TimeoutUntil, m.Flags = s.Nick, s.Roles, s.Mute, s.Deaf, s.TimeoutUntil.UTC(), s.Flags
	m.Avatar, m.Banner, m.Bio = s.Avatar, s.Banner, s.Bio
	if len(m.Roles) == 0 {
		m.Roles = nil
	}
	return m
}

// replaceMember stores a member after an edit, with its entries in the audit log. The caller has checked the operation. It
// checks the rank for each role that the member gets or loses.
func (g *manager) replaceMember(m *target, next guild.Member) (wire.Member, error) {
	about, id := store.MembershipsSubject(m.User), snowflake.Target(m.User)
	old := settings(m.Member)
	added, removed := guild.RoleDifference(old.Roles, next.Roles)
	for _, role := range slices.Concat(added, removed) {
		if err := g.mayAssign(role); err != nil {
			return wire.Member{}, err
		}
	}
	after := apply(m.Member, next)
	if _, err := directory.MemberKind.Replace(g.tx, m.Member, nil, after); err != nil {
		return wire.Member{}, err
	}
	if changes := guild.Changes(guild.MemberFields, &old, &next); len(changes) > 0 {
		g.record(permission.OpEditNick, about, audit.GuildEntry{Target: id, Changes: changes})
	}
	if changes := guild.MemberRoleChanges(g.named(added), g.named(removed)); len(changes) > 0 {
		g.record(permission.OpEditMemberRoles, about, audit.GuildEntry{Target: id, Changes: changes})
	}
	return convert.WireMember(after, m.user), nil
}

// role returns a role of the guild, or directory.ErrUnknownRole.
func (g *manager) role(id snowflake.Role) (store.Role, error) {
	r, err := directory.FindRole(g.Roles, func(r store.Role) bool { return r.ID == id })
	if err != nil {
		return r, directory.ErrUnknownRole
	}
	return r, nil
}

// mayAssign returns nil if the acting member may give a role to members and take it away.
func (g *manager) mayAssign(id snowflake.Role) error {
	r, err := g.role(id)
	if err != nil {
		return err
	}
	return denied(permission.OpEditMemberRoles, g.by.MayAssign(directory.RankedRole(r)))
}

// named returns roles with their names, for the audit log.
func (g *manager) named(ids []snowflake.Role) []guild.NamedRole {
	list := make([]guild.NamedRole, len(ids))
	for i, id := range ids {
		r, _ := g.role(id) // mayAssign has found it
		list[i] = guild.NamedRole{ID: id, Name: r.Name}
	}
	return list
}
