package directory

import (
	"errors"
	"slices"

	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

// putPart writes one part of a guild.
func (w *worldWriter) putPart(g world.Guild, validate func(*guildCheck, *jsonbody.Tree)) error {
	return w.checkAndWrite(
		func(c *check, t *jsonbody.Tree) { validate(c.within(g), t) },
		func(t *jsonbody.Tree) error { return w.parts(t, g) },
	)
}

func (w *worldWriter) guild(t *jsonbody.Tree, g world.Guild) error {
	old, err := w.tx.Directory.Guild(g.ID)
	if _, err := replace(w, old, err, convert.GuildRecord(g)); err != nil {
		return err
	}
	return w.parts(t, g)
}

// parts writes the parts of a guild that g holds. It writes the roles of bots before members, because members may be
// bots.
func (w *worldWriter) parts(t *jsonbody.Tree, g world.Guild) error {
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
	if w.applied.Changed == before {
		return nil
	}
	return w.checkLengths(t, g.ID)
}

func (w *worldWriter) roles(guild snowflake.Guild, roles []world.Role) error {
	if len(roles) == 0 {
		return nil
	}
	have, err := w.tx.Directory.Roles(guild)
	if err != nil {
		return err
	}
	for _, r := range roles {
		old, err := findRole(have, func(h store.Role) bool { return h.ID == r.ID })
		if _, err := replace(w, old, err, convert.RoleRecord(guild, r)); err != nil {
			return err
		}
	}
	return nil
}

// findRole returns the first role that matches, or store.ErrNotFound.
func findRole(all []store.Role, matches func(store.Role) bool) (store.Role, error) {
	if i := slices.IndexFunc(all, matches); i >= 0 {
		return all[i], nil
	}
	return store.Role{}, store.ErrNotFound
}

func (w *worldWriter) channels(guild snowflake.Guild, channels []world.Channel) error {
	for _, c := range channels {
		old, err := w.tx.Directory.Channel(c.ID)
		old.Overwrites = append([]store.ChannelOverwrite(nil), old.Overwrites...) // nil when empty, as in a new record
		if _, err := replace(w, old, err, convert.ChannelRecord(guild, c)); err != nil {
			return err
		}
	}
	return nil
}

// installs writes the installs of a guild. It returns the applications whose bots become members.
func (w *worldWriter) installs(g world.Guild) ([]snowflake.Application, error) {
	var bots []snowflake.Application
	for _, in := range g.Installs {
		old, err := w.tx.Directory.GuildInstall(g.ID, in.Application)
		record := convert.GuildInstallRecord(g.ID, in, old, w.now)
		if _, err := replace(w, old, err, record); err != nil {
			return nil, err
		}
		if !slices.Contains(in.Scopes, world.BotScope) {
			continue
		}
		bots = append(bots, in.Application)
		if err := w.botRole(g, record, old.Permissions != record.Permissions); err != nil {
			return nil, err
		}
	}
	return bots, nil
}

// botRole gives a bot a role with the permissions of its install, and updates the role when they changed. A role for
// the bot in the world takes precedence.
func (w *worldWriter) botRole(g world.Guild, in store.Install, changed bool) error {
	if slices.ContainsFunc(g.Roles, func(r world.Role) bool { return r.Managed == in.Application }) {
		return nil
	}
	roles, err := w.tx.Directory.Roles(g.ID)
	if err != nil {
		return err
	}
	role, missing := findRole(roles, func(r store.Role) bool { return r.Managed == in.Application })
	switch {
	case missing == nil && !changed, missing != nil && in.Permissions == 0:
		return nil
	case missing != nil:
		a, err := w.tx.Directory.Application(in.Application)
		if err != nil {
			return err
		}
		role = store.Role{ID: snowflake.Role(w.ids.Next()), Guild: g.ID, Name: a.Name, Position: 1, Managed: a.ID}
	}
	role.Permissions = in.Permissions
	w.applied.Changed++
	return w.put(role)
}

// members writes the members of a guild. The owner and the bots become members even when they are not listed.
func (w *worldWriter) members(g world.Guild, bots []snowflake.Application) error {
	botRoles, err := w.botRoles(g.ID)
	if err != nil {
		return err
	}
	for _, m := range g.Members {
		old, err := w.tx.Directory.Member(g.ID, m.User)
		old.Roles = append([]snowflake.Role(nil), old.Roles...) // nil when empty, as in a new record
		if role, ok := botRoles[snowflake.Application(m.User)]; ok {
			m.Roles = withRole(m.Roles, role)
		}
		if _, err := replace(w, old, err, convert.MemberRecord(g.ID, m, old, w.now)); err != nil {
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
		if err := w.addRole(g.ID, snowflake.User(app), role); err != nil {
			return err
		}
	}
	return nil
}

// botRoles returns the roles of a guild that belong to bots.
func (w *worldWriter) botRoles(guild snowflake.Guild) (map[snowflake.Application]snowflake.Role, error) {
	roles, err := w.tx.Directory.Roles(guild)
	all := map[snowflake.Application]snowflake.Role{}
	for _, r := range roles {
		if r.Managed != 0 {
			all[r.Managed] = r.ID
		}
	}
	return all, err
}

// join makes a user or bot a member of a guild unless it is one.
func (w *worldWriter) join(guild snowflake.Guild, user snowflake.User) error {
	_, err := w.tx.Directory.Member(guild, user)
	if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	w.applied.Changed++
	return w.put(store.Member{Guild: guild, User: user, JoinedAt: w.now})
}

// addRole gives a role to a user or bot that is a member.
func (w *worldWriter) addRole(guild snowflake.Guild, user snowflake.User, role snowflake.Role) error {
	m, err := w.tx.Directory.Member(guild, user)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil || slices.Contains(m.Roles, role) {
		return err
	}
	m.Roles = withRole(m.Roles, role)
	w.applied.Changed++
	return w.put(m)
}

// withRole returns a copy of a sorted list of roles with one more role.
func withRole(roles []snowflake.Role, role snowflake.Role) []snowflake.Role {
	at, there := slices.BinarySearch(roles, role)
	if there {
		return roles
	}
	return slices.Insert(slices.Clone(roles), at, role)
}

// checkLengths reports lists of a guild that exceed their limits.
func (w *worldWriter) checkLengths(t *jsonbody.Tree, guild snowflake.Guild) error {
	roles, err := w.tx.Directory.Roles(guild)
	if err != nil {
		return err
	}
	channels, err := w.tx.Directory.Channels(guild)
	if err != nil {
		return err
	}
	installs, err := w.tx.Directory.GuildInstalls(guild)
	if err != nil {
		return err
	}
	for _, l := range []struct {
		name     string
		len, max int
	}{
		{"roles", len(roles), world.MaxRoles},
		{"channels", len(channels), world.MaxChannels},
		{"installs", len(installs), world.MaxInstalls},
	} {
		if l.len > l.max {
			t.At(l.name).Length(-1, l.max)
		}
	}
	return nil
}
