package admin

import (
	"slices"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/provision"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

// recordRoutes returns the endpoints of all records.
func recordRoutes(p *provision.Provisioner, status statusFunc) []api.Route {
	return slices.Concat(
		userRecord(p).routes(), applicationRecord(p, status).routes(), userInstallRecord(p).routes(),
		guildRecord(p).routes(), roleRecord(p).routes(), channelRecord(p).routes(), memberRecord(p).routes(), guildInstallRecord(p).routes(),
	)
}

func userRecord(p *provision.Provisioner) record[world.User] {
	return record[world.User]{
		path: "/users", name: "users", word: "a user", schema: "WorldUser", keys: []key{{"id", "user_id"}}, paged: true,
		read: world.Read[world.User],
		list: listPage(func(c *api.Call, after snowflake.User, limit int) ([]store.User, error) {
			return p.Directory.Users.List(c.Context(), after, limit)
		}, convert.WorldUser),
		get: byID(func(c *api.Call, id snowflake.User) (world.User, error) {
			u, err := p.Directory.Users.User(c.Context(), id)
			if err != nil || u.Bot {
				return world.User{}, orUnknown(err, directory.ErrUnknownUser)
			}
			return convert.WorldUser(*u), nil
		}, "user_id"),
		put: p.PutUser,
		delete: func(c *api.Call) error {
			id, err := api.PathID[snowflake.User](c, "user_id")
			if err != nil {
				return err
			}
			return c.NoContent(p.Directory.Users.Delete(c.Context(), id))
		},
		reveal: func(u *world.User, made provision.Applied) { u.Token = made.UserTokens[u.ID].Reveal() },
		secret: func(_, u world.User) bool { return u.Token != "" },
	}
}

func userInstallRecord(p *provision.Provisioner) record[world.UserInstall] {
	return record[world.UserInstall]{
		path: "/users/{user_id}/installs", name: "user_installs", word: "a user's install", schema: "WorldUserInstall",
		keys: []key{{"user", "user_id"}, {"application", "application_id"}}, read: world.Read[world.UserInstall],
		list: listOf(func(c *api.Call, user snowflake.User) ([]store.Install, error) {
			return p.Directory.Users.Installs(c.Context(), user)
		}, "user_id", convert.WorldUserInstall),
		get: within("user_id", "application_id",
			func(c *api.Call, user snowflake.User, app snowflake.Application) (world.UserInstall, error) {
				i, err := p.Directory.Users.Install(c.Context(), user, app)
				return convert.WorldUserInstall(i), err
			}),
		put: p.PutUserInstall,
		delete: func(c *api.Call) error {
			user, app, err := pathIDs[snowflake.User, snowflake.Application](c, "user_id", "application_id")
			if err != nil {
				return err
			}
			return c.NoContent(p.Directory.Users.DeleteInstall(c.Context(), user, app))
		},
	}
}

func guildRecord(p *provision.Provisioner) record[world.Guild] {
	return record[world.Guild]{
		path: "/guilds", name: "guilds", word: "a guild", schema: "WorldGuild", keys: []key{{"id", "guild_id"}}, paged: true,
		read: world.Read[world.Guild],
		list: listPage(func(c *api.Call, after snowflake.Guild, limit int) ([]store.Guild, error) {
			return p.Directory.Guilds.List(c.Context(), after, limit)
		}, convert.WorldGuild),
		get: byID(func(c *api.Call, id snowflake.Guild) (world.Guild, error) {
			g, err := p.Directory.Guilds.State(c.Context(), id)
			if err != nil {
				return world.Guild{}, err
			}
			return convert.WorldGuild(g.Guild), nil
		}, "guild_id"),
		put: p.PutGuild,
		delete: func(c *api.Call) error {
			id, err := api.PathID[snowflake.Guild](c, "guild_id")
			if err != nil {
				return err
			}
			return c.NoContent(p.Directory.Guilds.Delete(c.Context(), id))
		},
	}
}

func roleRecord(p *provision.Provisioner) record[world.Role] {
	roles := func(c *api.Call, guild snowflake.Guild) ([]store.Role, error) {
		g, err := p.Directory.Guilds.State(c.Context(), guild)
		if err != nil {
			return nil, err
		}
		return g.Roles[1:], nil // the first role is @everyone, which is a member of the guild record
	}
	return record[world.Role]{
		path: "/guilds/{guild_id}/roles", name: "roles", word: "a role", schema: "WorldRole", keys: []key{{"id", "role_id"}},
		read: world.Read[world.Role],
		list: listOf(roles, "guild_id", convert.WorldRole),
		get: within("guild_id", "role_id", func(c *api.Call, guild snowflake.Guild, id snowflake.Role) (world.Role, error) {
			all, err := roles(c, guild)
			if err != nil {
				return world.Role{}, err
			}
			i := slices.IndexFunc(all, func(r store.Role) bool { return r.ID == id })
			if i < 0 {
				return world.Role{}, directory.ErrUnknownRole
			}
			return convert.WorldRole(all[i]), nil
		}),
		putInGuild: p.PutRole,
		delete: func(c *api.Call) error {
			guild, id, err := pathIDs[snowflake.Guild, snowflake.Role](c, "guild_id", "role_id")
			if err != nil {
				return err
			}
			return c.NoContent(p.Directory.Guilds.DeleteRole(c.Context(), guild, id))
		},
	}
}

func channelRecord(p *provision.Provisioner) record[world.Channel] {
	return record[world.Channel]{
		path: "/guilds/{guild_id}/channels", name: "channels", word: "a channel", schema: "WorldChannel",
		keys: []key{{"id", "channel_id"}}, read: world.Read[world.Channel],
		list: listOf(func(c *api.Call, guild snowflake.Guild) ([]store.Channel, error) {
			return p.Directory.Guilds.Channels(c.Context(), guild)
		}, "guild_id", convert.WorldChannel),
		get: within("guild_id", "channel_id", func(c *api.Call, guild snowflake.Guild, id snowflake.Channel) (world.Channel, error) {
			ch, err := p.Directory.Channels.Channel(c.Context(), id)
			if err != nil || ch.Guild != guild || guild == 0 {
				return world.Channel{}, orUnknown(err, directory.ErrUnknownChannel)
			}
			return convert.WorldChannel(*ch), nil
		}),
		putInGuild: p.PutChannel,
		delete: func(c *api.Call) error {
			guild, id, err := pathIDs[snowflake.Guild, snowflake.Channel](c, "guild_id", "channel_id")
			if err != nil {
				return err
			}
			return c.NoContent(p.Directory.Guilds.DeleteChannel(c.Context(), guild, id))
		},
	}
}

func memberRecord(p *provision.Provisioner) record[world.Member] {
	return record[world.Member]{
		path: "/guilds/{guild_id}/members", name: "members", word: "a member", schema: "WorldMember",
		keys: []key{{"user", "user_id"}}, paged: true, read: world.Read[world.Member],
		list: func(c *api.Call) ([]world.Member, error) {
			guild, err := api.PathID[snowflake.Guild](c, "guild_id")
			if err != nil {
				return nil, err
			}
			return listPage(func(c *api.Call, after snowflake.User, limit int) ([]store.Member, error) {
				return p.Directory.Guilds.Members(c.Context(), guild, after, limit)
			}, convert.WorldMember)(c)
		},
		get: within("guild_id", "user_id", func(c *api.Call, guild snowflake.Guild, user snowflake.User) (world.Member, error) {
			m, err := p.Directory.Guilds.Member(c.Context(), guild, user)
			return convert.WorldMember(m), err
		}),
		putInGuild: p.PutMember,
		delete: func(c *api.Call) error {
			guild, user, err := pathIDs[snowflake.Guild, snowflake.User](c, "guild_id", "user_id")
			if err != nil {
				return err
			}
			return c.NoContent(p.Directory.Guilds.DeleteMember(c.Context(), guild, user))
		},
	}
}

func guildInstallRecord(p *provision.Provisioner) record[world.GuildInstall] {
	return record[world.GuildInstall]{
		path: "/guilds/{guild_id}/installs", name: "guild_installs", word: "a guild's install", schema: "WorldGuildInstall",
		keys: []key{{"application", "application_id"}}, read: world.Read[world.GuildInstall],
		list: listOf(func(c *api.Call, guild snowflake.Guild) ([]store.Install, error) {
			return p.Directory.Guilds.Installs(c.Context(), guild)
		}, "guild_id", convert.WorldGuildInstall),
		get: within("guild_id", "application_id",
			func(c *api.Call, guild snowflake.Guild, app snowflake.Application) (world.GuildInstall, error) {
				i, err := p.Directory.Guilds.Install(c.Context(), guild, app)
				return convert.WorldGuildInstall(i), err
			}),
		putInGuild: p.PutGuildInstall,
		delete: func(c *api.Call) error {
			guild, app, err := pathIDs[snowflake.Guild, snowflake.Application](c, "guild_id", "application_id")
			if err != nil {
				return err
			}
			return c.NoContent(p.Directory.Guilds.DeleteInstall(c.Context(), guild, app))
		},
	}
}
