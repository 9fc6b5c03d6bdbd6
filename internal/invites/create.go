package invites

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/channel"
	"github.com/bellhop/bellhop/internal/rules/guild"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
)

// Create creates an invite to a channel. Unless the request asks for a new one, it returns an invite of the same user with the same
// settings.
func (s *Invites) Create(
	ctx context.Context, viewer directory.Viewer, id snowflake.Channel, body jsonbody.Value,
) (made wire.Invite, err error) {
	code := s.Codes()
	err = s.Directory.Update(ctx, func(tx *directory.Tx) error {
		p, err := s.enter(tx, viewer, id)
		if err != nil {
			return err
		}
		in, err := channel.ReadInvite(body)
		if err != nil {
			return err
		}
		if err := s.check(tx, p, &in); err != nil {
			return err
		}
		next := store.GuildInvite{
			Code: code, Guild: p.Channel.Guild, Channel: id, Inviter: viewer.User, Created: s.now(), MaxAge: int(in.MaxAge / time.Second),
			MaxUses: in.MaxUses, Temporary: in.Temporary, TargetType: in.TargetType, TargetUser: in.TargetUser,
			Application: in.TargetApplication, Roles: in.Roles,
		}
		if in.MaxAge > 0 {
			next.Expires = next.Created.Add(in.MaxAge)
		}
		all, err := s.others(tx, next.Guild)
		if err != nil {
			return err
		}
		if i := slices.IndexFunc(all, func(o store.GuildInvite) bool { return similar(o, next) }); i >= 0 && !in.Unique {
			made, err = show(tx.Reader, &all[i], true)
			return err
		}
		if len(all) >= MaxPerGuild {
			return apierror.TooManyInvites
		}
		if made, err = show(tx.Reader, &next, true); err != nil {
			return err
		}
		return put(tx, &next, made)
	})
	return made, err
}

// enter returns a channel that can have invites, if the viewer may create one.
func (s *Invites) enter(tx *directory.Tx, viewer directory.Viewer, id snowflake.Channel) (*directory.Place, error) {
	p, err := tx.Enter(id, viewer, s.now())
	if err != nil {
		return nil, err
	}
	switch err := p.Allow(permission.OpViewChannel, false); {
	case err != nil:
		return nil, err
	case p.Guild == nil:
		return nil, apierror.DirectChannel
	case p.IsThread(), channel.Type(p.Channel.Type) == channel.Category:
		return nil, apierror.WrongChannelType
	}
	return p, p.Allow(permission.OpCreateInvite, false)
}

// check checks the roles and the target of a new invite.
func (s *Invites) check(tx *directory.Tx, p *directory.Place, in *channel.Invite) error {
	for _, id := range in.Roles {
		n := slices.IndexFunc(p.Guild.Roles, func(r store.Role) bool { return r.ID == id })
		if n < 0 {
			return directory.ErrUnknownRole
		}
		r := &p.Guild.Roles[n]
		out := p.Member.MayAssign(permission.Role{ID: r.ID, Permissions: r.Permissions, Position: r.Position, Managed: r.Managed != 0})
		if !out.Allowed {
			return &directory.DeniedError{Operation: permission.OpAddInviteRoles, Outcome: out}
		}
	}
	if in.TargetUser != 0 {
		if _, err := tx.User(in.TargetUser); err != nil {
			return err
		}
	}
	if in.TargetApplication != 0 {
		_, err := tx.Directory.Application(in.TargetApplication)
		if errors.Is(err, store.ErrNotFound) {
			return directory.ErrUnknownApplication
		}
		return err
	}
	return nil
}

// others returns the invites to a guild that can be used.
func (s *Invites) others(tx *directory.Tx, guild snowflake.Guild) ([]store.GuildInvite, error) {
	all, err := tx.Invites.OfGuild(guild)
	return slices.DeleteFunc(all, func(i store.GuildInvite) bool { return s.expired(&i) }), err
}

// similar reports whether two invites have the same settings.
func similar(a, b store.GuildInvite) bool {
	return a.Channel == b.Channel && a.Inviter == b.Inviter && a.MaxAge == b.MaxAge && a.MaxUses == b.MaxUses && a.Temporary == b.Temporary &&
		a.TargetType == b.TargetType && a.TargetUser == b.TargetUser && a.Application == b.Application && slices.Equal(a.Roles, b.Roles)
}

// put stores a new invite and announces it.
func put(tx *directory.Tx, i *store.GuildInvite, shown wire.Invite) error {
	data, err := json.Marshal(struct {
		Channel snowflake.Channel `json:"channel_id"`
		Code    string            `json:"code"`
		Created wire.Time         `json:"created_at"`
		Expires wire.Time         `json:"expires_at"`
		Guild   snowflake.Guild   `json:"guild_id"`
		wire.InviteTarget
		MaxAge    int              `json:"max_age"`
		MaxUses   int              `json:"max_uses"`
		Temporary bool             `json:"temporary"`
		Uses      int              `json:"uses"`
		Inviter   *wire.User       `json:"inviter,omitzero"`
		Roles     []snowflake.Role `json:"role_ids,omitzero"`
	}{
		i.Channel, i.Code, wire.Time(i.Created), wire.Time(i.Expires), i.Guild, shown.InviteTarget, i.MaxAge, i.MaxUses, i.Temporary, 0,
		shown.Inviter, i.Roles,
	})
	if err != nil {
		return err
	}
	tx.Announce(event("INVITE_CREATE", i, data))
	record(tx, permission.OpCreateInvite, i, i.Inviter)
	return tx.Put(*i)
}

// event returns an event about an invite, for members who can manage its channel.
func event(name string, i *store.GuildInvite, data []byte) store.Event {
	return store.Event{Subject: store.GuildInvitesSubject(i.Guild), Event: events.Event{Name: name, Data: data, To: events.Audience{
		Guild: i.Guild, Channel: i.Channel, Intents: events.GuildInvites, Needs: permission.ManageChannels,
	}}}
}

// record adds an entry about an invite to the audit log of its guild.
func record(tx *directory.Tx, op permission.Operation, i *store.GuildInvite, by snowflake.User) {
	fields := &guild.Invite{
		Code: i.Code, Channel: i.Channel, Inviter: i.Inviter, MaxAge: time.Duration(i.MaxAge) * time.Second, MaxUses: i.MaxUses,
		Uses: i.Uses, Temporary: i.Temporary, Roles: i.Roles,
	}
	e := audit.GuildEntry{Guild: i.Guild, By: by, Operation: op, Subject: store.GuildInvitesSubject(i.Guild)}
	if op == permission.OpDeleteInvite {
		e.Changes = guild.Changes(guild.InviteFields, fields, nil)
	} else {
		e.Changes = guild.Changes(guild.InviteFields, nil, fields)
	}
	tx.RecordInGuild(e)
}
