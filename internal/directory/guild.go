package directory

import (
	"context"
	"slices"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// Guilds keeps guilds with their roles, channels, members and installs.
type Guilds struct{ *shared }

// readRoles returns the roles of a guild. The @everyone role is the first.
func readRoles(r store.Reader, g store.Guild) ([]store.Role, error) {
	roles, err := r.Directory.Roles(g.ID)
	everyone := store.Role{ID: snowflake.Role(g.ID), Guild: g.ID, Name: "@everyone", Permissions: g.Everyone}
	return append([]store.Role{everyone}, roles...), err
}

// List returns a page of guilds without their roles.
func (g *Guilds) List(ctx context.Context, after snowflake.Guild, limit int) ([]store.Guild, error) {
	return view(ctx, g.shared, ErrUnknownGuild, func(r store.Reader) ([]store.Guild, error) {
		return r.Directory.Guilds(after, min(limit, MaxPage))
	})
}

// Channels returns the channels of a guild, including threads. The caller does not change the lists inside them.
func (g *Guilds) Channels(ctx context.Context, guild snowflake.Guild) ([]store.Channel, error) {
	s, err := g.State(ctx, guild)
	if err != nil {
		return nil, err
	}
	return slices.Clone(s.channels), nil
}

// Put writes a guild and the parts that are given. Its other parts stay.
func (g *Guilds) Put(ctx context.Context, guild world.Guild) (Applied, error) {
	guild, err := guild.Complete()
	if err != nil {
		return Applied{}, err
	}
	return g.apply(ctx, func(w *writer) error {
		return w.world.checkAndWrite(
			func(c *check, t *jsonbody.Tree) { c.newGuild(t, guild) },
			func(t *jsonbody.Tree) error { return w.world.guild(t, guild) },
		)
	})
}

// PutRole writes a role of a guild.
func (g *Guilds) PutRole(ctx context.Context, guild snowflake.Guild, r world.Role) (Applied, error) {
	r, err := r.Complete(guild)
	if err != nil {
		return Applied{}, err
	}
	return g.putPart(ctx, world.Guild{ID: guild, Roles: []world.Role{r}},
		func(c *guildCheck, t *jsonbody.Tree) { c.role(t, r) })
}

// PutChannel writes a channel of a guild.
func (g *Guilds) PutChannel(ctx context.Context, guild snowflake.Guild, c world.Channel) (Applied, error) {
	c, err := c.Complete(guild)
	if err != nil {
		return Applied{}, err
	}
	channels := []world.Channel{c}
	return g.putPart(ctx, world.Guild{ID: guild, Channels: channels}, func(c *guildCheck, t *jsonbody.Tree) {
		c.channelList(func(int) *jsonbody.Tree { return t }, channels)
	})
}

// PutMember writes a member of a guild.
func (g *Guilds) PutMember(ctx context.Context, guild snowflake.Guild, m world.Member) (Applied, error) {
	m, err := m.Complete(guild)
	if err != nil {
		return Applied{}, err
	}
	return g.putPart(ctx, world.Guild{ID: guild, Members: []world.Member{m}},
		func(c *guildCheck, t *jsonbody.Tree) { c.member(t, m) })
}

// putPart writes one part of a guild that exists.
func (g *Guilds) putPart(
	ctx context.Context, part world.Guild, validate func(*guildCheck, *jsonbody.Tree),
) (Applied, error) {
	return g.apply(ctx, func(w *writer) error {
		if _, err := w.tx.Directory.Guild(part.ID); err != nil {
			return unknown(err, ErrUnknownGuild)
		}
		return w.world.putPart(part, validate)
	})
}

// Delete removes a guild and everything in it, including commands.
func (g *Guilds) Delete(ctx context.Context, id snowflake.Guild) error {
	return g.update(ctx, func(w *writer) error {
		if _, err := w.tx.Directory.Guild(id); err != nil {
			return unknown(err, ErrUnknownGuild)
		}
		w.deleteGuild(id)
		return w.putTombstone(store.Tombstone{Kind: store.KindGuild, ID: uint64(id)})
	})
}

// DeleteRole removes a role from a guild, its members and its overwrites.
func (g *Guilds) DeleteRole(ctx context.Context, guild snowflake.Guild, id snowflake.Role) error {
	return g.update(ctx, func(w *writer) error {
		if _, err := w.tx.Directory.Role(guild, id); err != nil {
			return unknown(err, ErrUnknownRole)
		}
		return w.removeRole(guild, id)
	})
}

// DeleteChannel removes a channel of a guild and its threads. Channels in a category lose their parent.
func (g *Guilds) DeleteChannel(ctx context.Context, guild snowflake.Guild, id snowflake.Channel) error {
	return g.update(ctx, func(w *writer) error {
		channel, err := w.tx.Directory.Channel(id)
		if err != nil {
			return unknown(err, ErrUnknownChannel)
		}
		if channel.Guild != guild || guild == 0 {
			return ErrUnknownChannel
		}
		if _, err := w.tx.Directory.Guild(guild); err != nil {
			return unknown(err, ErrUnknownChannel)
		}
		channels, err := w.tx.Directory.Channels(guild)
		if err != nil {
			return err
		}
		for _, c := range channels {
			if c.Parent != id {
				continue
			}
			if world.IsThread(c.Type) {
				err = w.removeChannel(c)
			} else {
				c.Parent = 0
				err = w.put(c)
			}
			if err != nil {
				return err
			}
		}
		if err := w.removePermissionEntries(guild, permission.ForChannel, snowflake.Target(id)); err != nil {
			return err
		}
		return w.removeChannel(channel)
	})
}

// removeChannel removes a channel of a guild.
func (w *writer) removeChannel(c store.Channel) error {
	w.deleteChannel(c)
	return w.putTombstone(store.Tombstone{Kind: store.KindChannel, ID: uint64(c.ID), Guild: c.Guild})
}

// removeRole removes a role. The members lose it in the same transaction when they are few, else after it.
func (w *writer) removeRole(guild snowflake.Guild, role snowflake.Role) error {
	if err := w.removeOverwrites(guild, world.RoleOverwrite, snowflake.Target(role)); err != nil {
		return err
	}
	if err := w.removePermissionEntries(guild, permission.ForRole, snowflake.Target(role)); err != nil {
		return err
	}
	w.deleteRole(guild, role)
	members, err := w.tx.Directory.MembersWith(guild, role, batchSize+1)
	if err != nil {
		return err
	}
	if len(members) > batchSize {
		return w.putTombstone(store.Tombstone{Kind: store.KindRole, ID: uint64(role), Guild: guild})
	}
	return w.removeRoleFrom(members, role)
}

// removeRoleFrom takes a deleted role from members.
func (w *writer) removeRoleFrom(members []store.Member, role snowflake.Role) error {
	for _, m := range members {
		m.Roles = slices.DeleteFunc(m.Roles, func(r snowflake.Role) bool { return r == role })
		if err := w.putSilently(m); err != nil {
			return err
		}
	}
	return nil
}

// removeOverwrites removes the channel overwrites of a role or a member from a guild.
func (w *writer) removeOverwrites(guild snowflake.Guild, kind int, id snowflake.Target) error {
	channels, err := w.tx.Directory.Channels(guild)
	if err != nil {
		return err
	}
	for _, c := range channels {
		rest := slices.DeleteFunc(slices.Clone(c.Overwrites), func(o store.ChannelOverwrite) bool {
			return o.Type == kind && o.ID == id
		})
		if len(rest) == len(c.Overwrites) {
			continue
		}
		c.Overwrites = rest
		if err := w.put(c); err != nil {
			return err
		}
	}
	return nil
}

// removePermissionEntries removes the entries for a role, user or channel from the command permissions of a guild.
func (w *writer) removePermissionEntries(guild snowflake.Guild, kind permission.EntryType, id snowflake.Target) error {
	sets, err := w.tx.Commands.GuildOverwrites(guild)
	if err != nil {
		return err
	}
	for _, s := range sets {
		rest := slices.DeleteFunc(slices.Clone(s.Entries), func(e store.OverwriteEntry) bool {
			return e.Type == uint8(kind) && e.ID == id
		})
		if len(rest) == len(s.Entries) {
			continue
		}
		s.Entries = rest
		if err := w.putSilently(s); err != nil {
			return err
		}
	}
	return nil
}
