package directory

import (
	"errors"
	"slices"

	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

func (w *Writer) guild(t *jsonbody.Tree, g world.Guild) error {
	old, err := w.Tx.Directory.Guild(g.ID)
	if _, err := replace(w, old, err, guildRecord(g)); err != nil {
		return err
	}
	return w.parts(t, g)
}

// parts writes the parts of a guild that g holds. Bots get their roles before members are written, who may be bots.
func (w *Writer) parts(t *jsonbody.Tree, g world.Guild) error {
	before := w.Applied.Changed
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
	if w.Applied.Changed == before {
		return nil
	}
	return w.bound(t, g.ID)
}

func (w *Writer) roles(guild snowflake.Guild, roles []world.Role) error {
	if len(roles) == 0 {
		return nil
	}
	have, err := w.Tx.Directory.Roles(guild)
	if err != nil {
		return err
	}
	for _, r := range roles {
		old, found := byID(have, func(h store.Role) bool { return h.ID == r.ID })
		if _, err := replace(w, old, found, roleRecord(guild, r)); err != nil {
			return err
		}
	}
	return nil
}

// byID returns the record that is the wanted one, or store.ErrNotFound.
func byID[R any](all []R, wanted func(R) bool) (R, error) {
	if i := slices.IndexFunc(all, wanted); i >= 0 {
		return all[i], nil
	}
	var none R
	return none, store.ErrNotFound
}

func (w *Writer) channels(guild snowflake.Guild, channels []world.Channel) error {
	for _, c := range channels {
		old, err := w.Tx.Directory.Channel(c.ID)
		old.Overwrites = orNil(old.Overwrites)
		if _, err := replace(w, old, err, channelRecord(guild, c)); err != nil {
			return err
		}
	}
	return nil
}

// installs writes what is installed in a guild. It returns the bots that are members by it.
func (w *Writer) installs(g world.Guild) ([]snowflake.Application, error) {
	var bots []snowflake.Application
	for _, in := range g.Installs {
		old, err := w.Tx.Directory.GuildInstall(g.ID, in.Application)
		record := guildInstallRecord(g.ID, in, old, w.Now)
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

// botRole gives a bot that was installed with permissions a role that has them, and changes it when they were changed.
// What the world itself says about such a role counts more.
func (w *Writer) botRole(g world.Guild, in store.Install, changed bool) error {
	if slices.ContainsFunc(g.Roles, func(r world.Role) bool { return r.Managed == in.Application }) {
		return nil
	}
	roles, err := w.Tx.Directory.Roles(g.ID)
	if err != nil {
		return err
	}
	role, missing := byID(roles, func(r store.Role) bool { return r.Managed == in.Application })
	switch {
	case missing == nil && !changed, missing != nil && in.Permissions == 0:
		return nil
	case missing != nil:
		a, err := w.Tx.Directory.Application(in.Application)
		if err != nil {
			return err
		}
		role = store.Role{ID: snowflake.Role(w.IDs.Next()), Guild: g.ID, Name: a.Name, Position: 1, Managed: a.ID}
	}
	role.Permissions = in.Permissions
	w.Applied.Changed++
	return w.Put(role)
}

// members writes the members of a guild, and those who are members without being listed: bots and the owner.
func (w *Writer) members(g world.Guild, bots []snowflake.Application) error {
	managed, err := w.managed(g.ID)
	if err != nil {
		return err
	}
	for _, m := range g.Members {
		old, err := w.Tx.Directory.Member(g.ID, m.User)
		old.Roles = orNil(old.Roles)
		if role, ok := managed[snowflake.Application(m.User)]; ok {
			m.Roles = withRole(m.Roles, role)
		}
		if _, err := replace(w, old, err, memberRecord(g.ID, m, old, w.Now)); err != nil {
			return err
		}
	}
	if g.Owner != 0 {
		if err := w.Join(g.ID, g.Owner); err != nil {
			return err
		}
	}
	for _, app := range bots {
		if err := w.Join(g.ID, snowflake.User(app)); err != nil {
			return err
		}
	}
	for app, role := range managed {
		if err := w.carry(g.ID, snowflake.User(app), role); err != nil {
			return err
		}
	}
	return nil
}

// managed returns the roles of a guild that belong to bots.
func (w *Writer) managed(guild snowflake.Guild) (map[snowflake.Application]snowflake.Role, error) {
	roles, err := w.Tx.Directory.Roles(guild)
	all := map[snowflake.Application]snowflake.Role{}
	for _, r := range roles {
		if r.Managed != 0 {
			all[r.Managed] = r.ID
		}
	}
	return all, err
}

// Join makes a user or bot a member of a guild unless it is one.
func (w *Writer) Join(guild snowflake.Guild, user snowflake.User) error {
	_, err := w.Tx.Directory.Member(guild, user)
	if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	w.Applied.Changed++
	return w.Put(store.Member{Guild: guild, User: user, JoinedAt: w.Now})
}

// carry gives a member a role. Who is no member gets none.
func (w *Writer) carry(guild snowflake.Guild, user snowflake.User, role snowflake.Role) error {
	m, err := w.Tx.Directory.Member(guild, user)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil || slices.Contains(m.Roles, role) {
		return err
	}
	m.Roles = withRole(m.Roles, role)
	w.Applied.Changed++
	return w.Put(m)
}

// withRole returns a copy of ascending roles with one more among them.
func withRole(roles []snowflake.Role, role snowflake.Role) []snowflake.Role {
	at, there := slices.BinarySearch(roles, role)
	if there {
		return roles
	}
	return slices.Insert(slices.Clone(roles), at, role)
}

// bound reports lists of a guild that have become longer than they may be.
func (w *Writer) bound(t *jsonbody.Tree, guild snowflake.Guild) error {
	roles, err := w.Tx.Directory.Roles(guild)
	if err != nil {
		return err
	}
	channels, err := w.Tx.Directory.Channels(guild)
	if err != nil {
		return err
	}
	installs, err := w.Tx.Directory.GuildInstalls(guild)
	if err != nil {
		return err
	}
	for _, l := range []struct {
		name      string
		has, most int
	}{
		{"roles", len(roles), world.MaxRoles},
		{"channels", len(channels), world.MaxChannels},
		{"installs", len(installs), world.MaxInstalls},
	} {
		if l.has > l.most {
			t.At(l.name).Length(-1, l.most)
		}
	}
	return nil
}

func (w *Writer) userInstall(t *jsonbody.Tree, in world.UserInstall) error {
	old, err := w.Tx.Directory.UserInstall(in.User, in.Application)
	wrote, err := replace(w, old, err, userInstallRecord(in, old, w.Now))
	if err != nil || !wrote {
		return err
	}
	all, err := w.Tx.Directory.UserInstalls(in.User)
	if len(all) > world.MaxInstalls {
		t.Add(jsonbody.MaxLength, "The user has too many applications installed.")
	}
	return err
}
