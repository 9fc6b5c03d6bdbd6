package directory

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/guild"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// MemberKind describes members of guilds.
var MemberKind = Kind[store.Member]{
	Name:   "member",
	Target: func(m store.Member) string { return "guild/" + m.Guild.String() + "/member/" + m.User.String() },
	Key:    func(m store.Member) store.Key { return store.MemberKey(m.Guild, m.User) },
	Read:   func(q store.DirectoryQueries, m store.Member) (store.Member, error) { return q.Member(m.Guild, m.User) },
	Show:   func(m store.Member) any { return convert.WorldMember(m) },
	Events: memberEvents,
}

// memberEvents adds the events of a member. A new member gets GUILD_CREATE instead, and a removed one GUILD_DELETE: the
// gateway session makes both of the change.
func memberEvents(e *Events, before, after *store.Member) error {
	m := cmp.Or(after, before)
	about := store.MembershipsSubject(m.User) // not the guild: all nodes cache it, and a large guild has many joins
	others := events.Audience{Guild: m.Guild, Intents: events.GuildMembers, Except: []snowflake.User{m.User}}
	u, err := ReadUser(e.Reader, m.User)
	if after == nil {
		if errors.Is(err, store.ErrNotFound) { // the user was deleted too
			u, err = &store.User{ID: m.User}, nil
		}
		if err != nil {
			return err
		}
		return e.Add(about, "GUILD_MEMBER_REMOVE", struct {
			Guild snowflake.Guild `json:"guild_id"`
			User  wire.User       `json:"user"`
		}{m.Guild, convert.WireUser(u)}, others, &events.Change{Guild: m.Guild, Left: m.User})
	}
	if err != nil {
		return err
	}
	value := struct {
		Guild snowflake.Guild `json:"guild_id"`
		wire.Member
	}{m.Guild, convert.WireMember(*after, u)}
	if before == nil {
		return e.Add(about, "GUILD_MEMBER_ADD", value, others, &events.Change{Guild: m.Guild, Joined: m.User})
	}
	if err := e.Add(about, "GUILD_MEMBER_UPDATE", value, others, &events.Change{Guild: m.Guild}); err != nil {
		return err
	}
	return e.Add(about, "GUILD_MEMBER_UPDATE", value, OwnSessions(u, m.Guild), nil)
}

// readMember returns the API object of a member in a snapshot.
func readMember(r store.Reader, m store.Member) (wire.Member, error) {
	u, err := ReadUser(r, m.User)
	if err != nil {
		return wire.Member{}, err
	}
	return convert.WireMember(m, u), nil
}

// Member returns a member of a guild. The caller does not change its roles.
func (g *Guilds) Member(ctx context.Context, guild snowflake.Guild, user snowflake.User) (store.Member, error) {
	m, err := load(ctx, &g.cached.members, memberKey{guild, user}, ErrUnknownMember)
	if err == nil && m.User == 0 {
		err = ErrUnknownMember
	}
	if err != nil {
		return store.Member{}, err
	}
	gone, err := g.tombstones(ctx)
	if err != nil {
		return store.Member{}, err
	}
	if gone.Member(*m) {
		return store.Member{}, ErrUnknownMember
	}
	return gone.WithoutRoles(*m), nil
}

// Members returns a page of a guild's members, ordered by user.
func (g *Guilds) Members(
	ctx context.Context, guild snowflake.Guild, after snowflake.User, limit int,
) ([]store.Member, error) {
	return viewGuild(ctx, g.shared, guild, func(r store.Reader, gone Tombstones) ([]store.Member, error) {
		return readMembers(r, gone, guild, after, limit)
	})
}

// MemberWithUser returns the API object of a member.
func (g *Guilds) MemberWithUser(ctx context.Context, guild snowflake.Guild, user snowflake.User) (wire.Member, error) {
	return view(ctx, g.shared, ErrUnknownMember, func(r store.Reader) (wire.Member, error) {
		gone, err := ReadTombstones(r.Directory)
		if err != nil {
			return wire.Member{}, err
		}
		m, err := r.Directory.Member(guild, user)
		if err == nil && gone.Member(m) {
			err = store.ErrNotFound
		}
		if err != nil {
			return wire.Member{}, err
		}
		return readMember(r, gone.WithoutRoles(m))
	})
}

// MembersWithUsers returns a page of the API objects of a guild's members, ordered by user.
func (g *Guilds) MembersWithUsers(
	ctx context.Context, guild snowflake.Guild, after snowflake.User, limit int,
) ([]wire.Member, error) {
	return viewGuild(ctx, g.shared, guild, func(r store.Reader, gone Tombstones) ([]wire.Member, error) {
		records, err := readMembers(r, gone, guild, after, limit)
		if err != nil {
			return nil, err
		}
		members := make([]wire.Member, len(records))
		for i, m := range records {
			if members[i], err = readMember(r, m); err != nil {
				return nil, err
			}
		}
		return members, nil
	})
}

// SearchMembers returns up to limit members whose username, display name or nick begins with a text. Case does not
// matter. It reads the guild page by page, so a long search is no snapshot of one moment.
func (g *Guilds) SearchMembers(ctx context.Context, id snowflake.Guild, text string, limit int) ([]wire.Member, error) {
	var found []wire.Member
	for after := snowflake.User(0); ; {
		page, err := g.MembersWithUsers(ctx, id, after, MaxPage)
		if err != nil {
			return nil, err
		}
		for _, m := range page {
			if !guild.Matches(text, m.User.Username, string(m.User.GlobalName), string(m.Nick)) {
				continue
			}
			if found = append(found, m); len(found) >= limit {
				return found, nil
			}
		}
		if len(page) < MaxPage {
			return found, nil
		}
		after = page[len(page)-1].User.ID
	}
}

// MemberCount returns the number of members of a guild.
func (g *Guilds) MemberCount(ctx context.Context, guild snowflake.Guild) (int, error) {
	return view(ctx, g.shared, ErrUnknownGuild, func(r store.Reader) (int, error) {
		gone, err := ReadTombstones(r.Directory)
		if err != nil || gone.guild(guild) {
			return 0, err
		}
		n, err := r.Directory.MemberCount(guild)
		for t := range gone {
			if t.Kind != store.KindUser && t.Kind != store.KindApplication || err != nil {
				continue
			}
			var member bool
			if member, err = found(r.Directory.Member(guild, snowflake.User(t.ID))); member {
				n--
			}
		}
		return n, err
	})
}

// AcceptInvite makes a user a member of the guild that invite returns. A user who is a member stays one. invite runs in
// the same transaction, and its error is returned unchanged.
func (g *Guilds) AcceptInvite(
	ctx context.Context, user snowflake.User, invite func(tx *store.Tx) (snowflake.Guild, error),
) error {
	return g.Update(ctx, func(tx *Tx) error {
		guild, err := invite(tx.Tx)
		if err != nil {
			return err
		}
		if _, err := tx.Directory.Guild(guild); err != nil {
			return unknown(err, ErrUnknownGuild)
		}
		if _, err := ReadUser(tx.Reader, user); err != nil {
			return unknown(err, ErrUnknownUser)
		}
		_, err = Join(tx, guild, user, g.now())
		return err
	})
}

// DeleteMember removes a member from a guild. With a bot it removes the application's install. For the owner it returns
// ErrOwner.
func (g *Guilds) DeleteMember(ctx context.Context, guild snowflake.Guild, user snowflake.User) error {
	return g.Update(ctx, func(tx *Tx) error {
		if _, err := tx.Directory.Member(guild, user); err != nil {
			return unknown(err, ErrUnknownMember)
		}
		if _, err := ReadUser(tx.Reader, user); err != nil {
			return unknown(err, ErrUnknownMember)
		}
		return unknown(Leave(tx, guild, user), ErrUnknownMember)
	})
}

// Join makes a user or bot a member of a guild, and reports whether it was none before. For a banned user the error is
// apierror.BannedUser.
func Join(tx *Tx, guild snowflake.Guild, user snowflake.User, now time.Time) (joined bool, err error) {
	_, err = tx.Directory.Member(guild, user)
	if !errors.Is(err, store.ErrNotFound) {
		return false, err
	}
	banned, err := found(tx.Directory.Ban(guild, user))
	if banned {
		err = apierror.BannedUser
	}
	if err != nil {
		return false, err
	}
	return true, MemberKind.Put(tx, store.Member{Guild: guild, User: user, JoinedAt: now})
}

// Leave removes a user or bot from a guild with its channel overwrites and command permissions. With a bot it also
// removes the application's install and the bot's role. For the owner it returns ErrOwner.
func Leave(tx *Tx, guild snowflake.Guild, user snowflake.User) error {
	g, err := tx.Directory.Guild(guild)
	if err != nil {
		return err
	}
	if g.Owner == user {
		return ErrOwner
	}
	if err := removeOverwrites(tx, guild, world.MemberOverwrite, snowflake.Target(user)); err != nil {
		return err
	}
	if err := removePermissionEntries(tx, guild, permission.ForUser, snowflake.Target(user)); err != nil {
		return err
	}
	app := snowflake.Application(user)
	roles, err := tx.Directory.Roles(guild)
	if err != nil {
		return err
	}
	for _, r := range roles {
		if r.Managed != app {
			continue
		}
		if err := RemoveRole(tx, guild, r.ID); err != nil {
			return err
		}
	}
	installed, err := found(tx.Directory.GuildInstall(guild, app))
	if installed {
		GuildInstallKind.Delete(tx, store.Install{Guild: guild, Application: app})
	}
	MemberKind.Delete(tx, store.Member{Guild: guild, User: user})
	return err
}

// readMembers returns a page of a guild's members, ordered by user.
func readMembers(
	r store.Reader, gone Tombstones, guild snowflake.Guild, after snowflake.User, limit int,
) ([]store.Member, error) {
	list, err := page(after, limit, func(after snowflake.User, limit int) ([]store.Member, error) {
		return r.Directory.Members(guild, after, limit)
	}, gone.Member, func(m store.Member) snowflake.User { return m.User })
	return gone.members(list), err
}

// readMemberships returns a page of a user's memberships, ordered by guild.
func readMemberships(
	r store.Reader, gone Tombstones, user snowflake.User, after snowflake.Guild, limit int,
) ([]store.Member, error) {
	list, err := page(after, limit, func(after snowflake.Guild, limit int) ([]store.Member, error) {
		return r.Directory.Memberships(user, after, limit)
	}, gone.Member, func(m store.Member) snowflake.Guild { return m.Guild })
	return gone.members(list), err
}
