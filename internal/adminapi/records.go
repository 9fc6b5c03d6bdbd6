package adminapi

import (
	"slices"

	"github.com/bellhop/bellhop/internal/directory"

	"github.com/bellhop/bellhop/internal/httpapi"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

// records are the kinds of records of the admin API.
func (a *API) records() []adminRecord {
	return []adminRecord{
		a.userRecord(), a.applicationRecord(), a.userInstallRecord(),
		a.guildRecord(), a.roleRecord(), a.channelRecord(), a.memberRecord(), a.guildInstallRecord(),
	}
}

func (a *API) userRecord() record[world.User] {
	d := a.Directory
	return record[world.User]{
		path: "/users", name: "users", word: "user", schema: "WorldUser", keys: []key{{"id", "user_id"}}, page: true,
		read: world.Read[world.User],
		list: listPage(func(c *httpapi.Call, after snowflake.User, limit int) ([]store.User, error) {
			return d.Users(c.Context(), after, limit)
		}, directory.WorldUser),
		get: byID(func(c *httpapi.Call, id snowflake.User) (world.User, error) {
			u, err := d.User(c.Context(), id)
			if err != nil || u.Bot {
				return world.User{}, orUnknown(err, directory.ErrUnknownUser)
			}
			return directory.WorldUser(u.User), nil
		}, "user_id"),
		put:    func(c *httpapi.Call, u world.User) (directory.Applied, error) { return d.PutUser(c.Context(), u) },
		delete: deleteByID(func(c *httpapi.Call, id snowflake.User) error { return d.DeleteUser(c.Context(), id) }, "user_id"),
		reveal: func(u *world.User, made directory.Applied) { u.Token = made.UserTokens[u.ID].Reveal() },
	}
}

func (a *API) applicationRecord() record[world.Application] {
	d := a.Directory
	return record[world.Application]{
		path: "/applications", name: "applications", word: "application", schema: "WorldApplication",
		keys: []key{{"id", "application_id"}}, page: true, read: world.Read[world.Application],
		list: listPage(func(c *httpapi.Call, after snowflake.Application, limit int) ([]store.Application, error) {
			return d.Applications(c.Context(), after, limit)
		}, directory.WorldApplication),
		get: byID(func(c *httpapi.Call, id snowflake.Application) (world.Application, error) {
			app, err := d.Application(c.Context(), id)
			if err != nil {
				return world.Application{}, err
			}
			return directory.WorldApplication(*app), nil
		}, "application_id"),
		put: func(c *httpapi.Call, app world.Application) (directory.Applied, error) {
			return d.PutApplication(c.Context(), app)
		},
		delete: deleteByID(func(c *httpapi.Call, id snowflake.Application) error {
			return d.DeleteApplication(c.Context(), id)
		}, "application_id"),
		reveal: func(app *world.Application, made directory.Applied) {
			app.BotToken, app.ClientSecret = made.BotTokens[app.ID].Reveal(), made.ClientSecrets[app.ID].Reveal()
		},
	}
}

func (a *API) userInstallRecord() record[world.UserInstall] {
	d := a.Directory
	return record[world.UserInstall]{
		path: "/users/{user_id}/installs", name: "user_installs", word: "user's install", schema: "WorldUserInstall",
		keys: []key{{"user", "user_id"}, {"application", "application_id"}}, read: world.Read[world.UserInstall],
		list: listOf(func(c *httpapi.Call, user snowflake.User) ([]store.Install, error) {
			return d.UserInstalls(c.Context(), user)
		}, "user_id", directory.WorldUserInstall),
		get: within("user_id", "application_id",
			func(c *httpapi.Call, user snowflake.User, app snowflake.Application) (world.UserInstall, error) {
				i, err := d.UserInstall(c.Context(), user, app)
				return directory.WorldUserInstall(i), err
			}),
		put: func(c *httpapi.Call, in world.UserInstall) (directory.Applied, error) {
			return d.PutUserInstall(c.Context(), in)
		},
		delete: deleteWithin("user_id", "application_id", func(c *httpapi.Call, user snowflake.User, app snowflake.Application) error {
			return d.DeleteUserInstall(c.Context(), user, app)
		}),
	}
}

func (a *API) guildRecord() record[world.Guild] {
	d := a.Directory
	return record[world.Guild]{
		path: "/guilds", name: "guilds", word: "guild", schema: "WorldGuild", keys: []key{{"id", "guild_id"}}, page: true,
		read: world.Read[world.Guild],
		list: listPage(func(c *httpapi.Call, after snowflake.Guild, limit int) ([]store.Guild, error) {
			return d.Guilds(c.Context(), after, limit)
		}, directory.WorldGuild),
		get: byID(func(c *httpapi.Call, id snowflake.Guild) (world.Guild, error) {
			g, err := d.Guild(c.Context(), id)
			if err != nil {
				return world.Guild{}, err
			}
			return directory.WorldGuild(g.Guild), nil
		}, "guild_id"),
		put:    func(c *httpapi.Call, g world.Guild) (directory.Applied, error) { return d.PutGuild(c.Context(), g) },
		delete: deleteByID(func(c *httpapi.Call, id snowflake.Guild) error { return d.DeleteGuild(c.Context(), id) }, "guild_id"),
	}
}

func (a *API) roleRecord() record[world.Role] {
	d := a.Directory
	roles := func(c *httpapi.Call, guild snowflake.Guild) ([]store.Role, error) {
		g, err := d.Guild(c.Context(), guild)
		if err != nil {
			return nil, err
		}
		return g.Roles[1:], nil // without that of all members, which is the guild's everyone
	}
	return record[world.Role]{
		path: "/guilds/{guild_id}/roles", name: "roles", word: "role", schema: "WorldRole", keys: []key{{"id", "role_id"}},
		read: world.Read[world.Role],
		list: listOf(roles, "guild_id", directory.WorldRole),
		get: within("guild_id", "role_id", func(c *httpapi.Call, guild snowflake.Guild, id snowflake.Role) (world.Role, error) {
			all, err := roles(c, guild)
			if err != nil {
				return world.Role{}, err
			}
			i := slices.IndexFunc(all, func(r store.Role) bool { return r.ID == id })
			if i < 0 {
				return world.Role{}, directory.ErrUnknownRole
			}
			return directory.WorldRole(all[i]), nil
		}),
		put: putInGuild(func(c *httpapi.Call, guild snowflake.Guild, r world.Role) (directory.Applied, error) {
			return d.PutRole(c.Context(), guild, r)
		}),
		delete: deleteWithin("guild_id", "role_id", func(c *httpapi.Call, guild snowflake.Guild, id snowflake.Role) error {
			return d.DeleteRole(c.Context(), guild, id)
		}),
	}
}

func (a *API) channelRecord() record[world.Channel] {
	d := a.Directory
	return record[world.Channel]{
		path: "/guilds/{guild_id}/channels", name: "channels", word: "channel", schema: "WorldChannel",
		keys: []key{{"id", "channel_id"}}, read: world.Read[world.Channel],
		list: listOf(func(c *httpapi.Call, guild snowflake.Guild) ([]store.Channel, error) {
			return d.Channels(c.Context(), guild)
		}, "guild_id", directory.WorldChannel),
		get: within("guild_id", "channel_id", func(c *httpapi.Call, guild snowflake.Guild, id snowflake.Channel) (world.Channel, error) {
			ch, err := d.Channel(c.Context(), id)
			if err != nil || ch.Guild != guild || guild == 0 {
				return world.Channel{}, orUnknown(err, directory.ErrUnknownChannel)
			}
			return directory.WorldChannel(ch), nil
		}),
		put: putInGuild(func(c *httpapi.Call, guild snowflake.Guild, ch world.Channel) (directory.Applied, error) {
			return d.PutChannel(c.Context(), guild, ch)
		}),
		delete: deleteWithin("guild_id", "channel_id", func(c *httpapi.Call, guild snowflake.Guild, id snowflake.Channel) error {
			return d.DeleteChannel(c.Context(), guild, id)
		}),
	}
}

func (a *API) memberRecord() record[world.Member] {
	d := a.Directory
	return record[world.Member]{
		path: "/guilds/{guild_id}/members", name: "members", word: "member", schema: "WorldMember",
		keys: []key{{"user", "user_id"}}, page: true, read: world.Read[world.Member],
		list: func(c *httpapi.Call) ([]world.Member, error) {
			guild, err := httpapi.PathID[snowflake.Guild](c, "guild_id")
			if err != nil {
				return nil, err
			}
			return listPage(func(c *httpapi.Call, after snowflake.User, limit int) ([]store.Member, error) {
				return d.Members(c.Context(), guild, after, limit)
			}, directory.WorldMember)(c)
		},
		get: within("guild_id", "user_id", func(c *httpapi.Call, guild snowflake.Guild, user snowflake.User) (world.Member, error) {
			m, err := d.Member(c.Context(), guild, user)
			return directory.WorldMember(m), err
		}),
		put: putInGuild(func(c *httpapi.Call, guild snowflake.Guild, m world.Member) (directory.Applied, error) {
			return d.PutMember(c.Context(), guild, m)
		}),
		delete: deleteWithin("guild_id", "user_id", func(c *httpapi.Call, guild snowflake.Guild, user snowflake.User) error {
			return d.DeleteMember(c.Context(), guild, user)
		}),
	}
}

func (a *API) guildInstallRecord() record[world.GuildInstall] {
	d := a.Directory
	return record[world.GuildInstall]{
		path: "/guilds/{guild_id}/installs", name: "guild_installs", word: "guild's install", schema: "WorldGuildInstall",
		keys: []key{{"application", "application_id"}}, read: world.Read[world.GuildInstall],
		list: listOf(func(c *httpapi.Call, guild snowflake.Guild) ([]store.Install, error) {
			return d.GuildInstalls(c.Context(), guild)
		}, "guild_id", directory.WorldGuildInstall),
		get: within("guild_id", "application_id",
			func(c *httpapi.Call, guild snowflake.Guild, app snowflake.Application) (world.GuildInstall, error) {
				i, err := d.GuildInstall(c.Context(), guild, app)
				return directory.WorldGuildInstall(i), err
			}),
		put: putInGuild(func(c *httpapi.Call, guild snowflake.Guild, in world.GuildInstall) (directory.Applied, error) {
			return d.PutGuildInstall(c.Context(), guild, in)
		}),
		delete: deleteWithin("guild_id", "application_id", func(c *httpapi.Call, guild snowflake.Guild, app snowflake.Application) error {
			return d.DeleteGuildInstall(c.Context(), guild, app)
		}),
	}
}
