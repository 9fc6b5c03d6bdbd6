package provision

import (
	"errors"
	"slices"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

// guild writes a guild and the parts that g holds.
func (w *batch) guild(t *jsonbody.Tree, g world.Guild) error {
	old, err := w.tx.Directory.Guild(g.ID)
	if _, err := replace(w, &directory.GuildKind, old, err, convert.GuildRecord(g, old)); err != nil {
		return err
	}
	return w.parts(t, g)
}

// parts writes the parts of a guild that g holds. It writes the roles of bots before members, because members may be
// bots.
func (w *batch) parts(t *jsonbody.Tree, g world.Guild) error {
	before := w.applied.Changed
	if err := w.roles(g.ID, g.Roles); err != nil {
		return err
	}
	if err := w.channels(g.ID, g.Channels); err != nil {
		return err
	}
	bots, err := w.installs(g)
	if err != nil {
		return err
	}
	if err := w.members(g, bots); err != nil {
		return err
	}
	if err := w.contents(t, g); err != nil {
		return err
	}
	if err := w.emojis(t.At("emojis"), g); err != nil {
		return err
	}
	if err := w.scheduledEvents(t.At("scheduled_events"), g); err != nil {
		return err
	}
	if w.applied.Changed == before {
		return nil
	}
	return directory.CheckLists(t, w.tx.Directory, g.ID)
}

func (w *batch) roles(guild snowflake.Guild, roles []world.Role) error {
	if len(roles) == 0 {
		return nil
	}
	have, err := w.tx.Directory.Roles(guild)
	if err != nil {
		return err
	}
	for _, r := range roles {
		old, err := directory.FindRole(have, func(h store.Role) bool { return h.ID == r.ID })
		if _, err := replace(w, &directory.RoleKind, old, err, convert.RoleRecord(guild, r, old)); err != nil {
			return err
		}
	}
	return nil
}

func (w *batch) channels(guild snowflake.Guild, channels []world.Channel) error {
	for _, c := range channels {
		old, err := w.tx.Directory.Channel(c.ID)
		old.Overwrites = append([]store.ChannelOverwrite(nil), old.Overwrites...) // nil when empty, as in a new record
		if _, err := replace(w, &directory.ChannelKind, old, err, convert.KeepChannel(old, convert.ChannelRecord(guild, c))); err != nil {
			return err
		}
	}
	return nil
}

// installs writes the installs of a guild. It returns the applications whose bots become members.
func (w *batch) installs(g world.Guild) ([]snowflake.Application, error) {
	var bots []snowflake.Application
	for _, in := range g.Installs {
		old, err := w.tx.Directory.GuildInstall(g.ID, in.Application)
		record := convert.GuildInstallRecord(g.ID, in, old, w.now)
		if _, err := replace(w, &directory.GuildInstallKind, old, err, record); err != nil {
			return nil, err
		}
		if !slices.Contains(in.Scopes, world.BotScope) {
			continue
		}
		bots = append(bots, in.Application)
		if slices.ContainsFunc(g.Roles, func(r world.Role) bool { return r.Managed == in.Application }) {
			continue // the role for the bot in the world takes precedence
		}
		wrote, err := w.Directory.Guilds.PutBotRole(w.tx, record, old.Permissions != record.Permissions)
		if err != nil {
			return nil, err
		}
		w.count(wrote)
	}
	return bots, nil
}

// members writes the members of a guild. The owner and the bots become members even when they are not listed.
func (w *batch) members(g world.Guild, bots []snowflake.Application) error {
	botRoles, err := directory.BotRoles(w.tx.Directory, g.ID)
	if err != nil {
		return err
	}
	for _, m := range g.Members {
		old, err := w.tx.Directory.Member(g.ID, m.User)
		old.Roles = append([]snowflake.Role(nil), old.Roles...) // nil when empty, as in a new record
		if role, ok := botRoles[snowflake.Application(m.User)]; ok {
			m.Roles = directory.WithRole(m.Roles, role)
		}
		if errors.Is(err, store.ErrNotFound) {
			if err := w.unban(g.ID, m.User); err != nil {
				return err
			}
		}
		if _, err := replace(w, &directory.MemberKind, old, err, convert.MemberRecord(g.ID, m, old, w.now)); err != nil {
			return err
		}
	}
	if g.Owner != 0 {
		if err := w.join(g.ID, g.Owner); err != nil {
			return err
		}
	}
	for _, app := range bots {
		if err := w.join(g.ID, snowflake.User(app)); err != nil {
			return err
		}
	}
	for app, role := range botRoles {
		wrote, err := directory.AddRole(w.tx, g.ID, snowflake.User(app), role)
		if err != nil {
			return err
		}
		w.count(wrote)
	}
	return nil
}

// join makes a user or bot a member of a guild unless it is one.
func (w *batch) join(guild snowflake.Guild, user snowflake.User) error {
	if err := w.unban(guild, user); err != nil {
		return err
	}
	joined, err := directory.Join(w.tx, guild, user, w.now)
	w.count(joined)
	return err
}

// unban lifts the ban of a user whom the world makes a member.
func (w *batch) unban(guild snowflake.Guild, user snowflake.User) error {
	b, err := w.tx.Directory.Ban(guild, user)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err == nil {
		directory.BanKind.Delete(w.tx, b)
		w.count(true)
	}
	return err
}
