package directory

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

// GuildInstallKind describes the installs of applications in guilds.
var GuildInstallKind = Kind[store.Install]{
	Name: "install",
	Target: func(i store.Install) string {
		return "guild/" + i.Guild.String() + "/install/" + i.Application.String()
	},
	Key: store.InstallKey,
	Read: func(q store.DirectoryQueries, i store.Install) (store.Install, error) {
		return q.GuildInstall(i.Guild, i.Application)
	},
	Show:   func(i store.Install) any { return convert.WorldGuildInstall(i) },
	Events: installEvents,
}

// UserInstallKind describes the installs of applications for users. They have no events.
var UserInstallKind = Kind[store.Install]{
	Name:   "install",
	Target: func(i store.Install) string { return "user/" + i.User.String() + "/install/" + i.Application.String() },
	Key:    store.InstallKey,
	Read: func(q store.DirectoryQueries, i store.Install) (store.Install, error) {
		return q.UserInstall(i.User, i.Application)
	},
	Show: func(i store.Install) any { return convert.WorldUserInstall(i) },
}

// guildID is the body of events that hold only a guild.
type guildID struct {
	Guild snowflake.Guild `json:"guild_id"`
}

// installEvents adds the events of an install in a guild: two for bots, and one that makes users' clients load commands
// again.
func installEvents(e *Events, before, after *store.Install) error {
	if err := integrationEvent(e, before, after); err != nil {
		return err
	}
	guild := cmp.Or(after, before).Guild
	if err := e.AddToGuild(guild, events.GuildIntegrated, "GUILD_INTEGRATIONS_UPDATE", guildID{guild}); err != nil {
		return err
	}
	return e.Add(store.GuildSubject(guild), "GUILD_APPLICATION_COMMAND_INDEX_UPDATE", guildID{guild},
		events.Audience{Guild: guild, Kinds: events.People}, nil)
}

func integrationEvent(e *Events, before, after *store.Install) error {
	if after == nil {
		return e.AddToGuild(before.Guild, events.GuildIntegrated, "INTEGRATION_DELETE", struct {
			guildID

			ID          snowflake.Application `json:"id"`
			Application snowflake.Application `json:"application_id"`
		}{guildID{before.Guild}, before.Application, before.Application})
	}
	app, err := e.Directory.Application(after.Application)
	if err != nil {
		return err
	}
	bot, err := ReadUser(e.Reader, snowflake.User(after.Application))
	if err != nil {
		return err
	}
	name := eventName(before, after, "INTEGRATION_CREATE", "INTEGRATION_UPDATE", "")
	return e.AddToGuild(after.Guild, events.GuildIntegrated, name, struct {
		guildID
		wire.Integration
	}{guildID{after.Guild}, convert.WireIntegration(&app, *after, bot)})
}

// findInstall returns the index of an application's install in a list that is ordered by application.
func findInstall(list []store.Install, app snowflake.Application) (int, bool) {
	return slices.BinarySearchFunc(list, app, func(i store.Install, app snowflake.Application) int {
		return cmp.Compare(i.Application, app)
	})
}

// Install returns an application's install in a guild, or ErrNotInstalled. The caller does not change it.
func (g *Guilds) Install(ctx context.Context, guild snowflake.Guild, app snowflake.Application) (store.Install, error) {
	s, err := g.State(ctx, guild)
	if errors.Is(err, ErrUnknownGuild) {
		return store.Install{}, ErrNotInstalled
	}
	if err != nil {
		return store.Install{}, err
	}
	i, found := findInstall(s.installs, app)
	if !found {
		return store.Install{}, ErrNotInstalled
	}
	return s.installs[i], nil
}

// Installs returns the installs in a guild, ordered by application.
func (g *Guilds) Installs(ctx context.Context, guild snowflake.Guild) ([]store.Install, error) {
	s, err := g.State(ctx, guild)
	if err != nil {
		return nil, err
	}
	return slices.Clone(s.installs), nil
}

// AddInstall installs an application in a guild after a member's consent. An existing install keeps its scopes and gets
// the new ones. Its permissions are replaced when the bot scope is requested. with may write more in the same
// transaction.
func (g *Guilds) AddInstall(
	ctx context.Context, guild snowflake.Guild, in world.GuildInstall, with func(*store.Tx) error,
) error {
	return g.Update(ctx, func(tx *Tx) error {
		if _, err := tx.Directory.Guild(guild); err != nil {
			return unknown(err, ErrUnknownGuild)
		}
		old, err := tx.Directory.GuildInstall(guild, in.Application)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		all := in
		all.Scopes = union(old.Scopes, in.Scopes)
		if !slices.Contains(in.Scopes, world.BotScope) {
			all.Permissions = old.Permissions
		}
		if all, err = all.Complete(); err != nil {
			return err
		}
		if err := g.install(tx, convert.GuildInstallRecord(guild, all, old, g.now())); err != nil {
			return err
		}
		return with(tx.Tx)
	})
}

// install installs an application in a guild. With the bot scope it adds the bot and its role.
func (g *Guilds) install(tx *Tx, in store.Install) error {
	if _, err := tx.Directory.Application(in.Application); err != nil {
		return unknown(err, ErrUnknownApplication)
	}
	before := tx.Len()
	old, err := tx.Directory.GuildInstall(in.Guild, in.Application)
	if _, err := GuildInstallKind.Replace(tx, old, err, in); err != nil {
		return err
	}
	if slices.Contains(in.Scopes, world.BotScope) {
		if err := g.addBot(tx, in, old.Permissions != in.Permissions); err != nil {
			return err
		}
	}
	if tx.Len() == before {
		return nil
	}
	var t jsonbody.Tree
	if err := CheckLists(&t, tx.Directory, in.Guild); err != nil {
		return err
	}
	return t.Err()
}

// addBot makes the bot of an install a member with its role. changed says that the permissions of the install changed.
func (g *Guilds) addBot(tx *Tx, in store.Install, changed bool) error {
	bot := snowflake.User(in.Application)
	if _, err := g.PutBotRole(tx, in, changed); err != nil {
		return err
	}
	roles, err := BotRoles(tx.Directory, in.Guild)
	if err != nil {
		return err
	}
	if _, err := Join(tx, in.Guild, bot, g.now()); err != nil {
		return err
	}
	if role, ok := roles[in.Application]; ok {
		_, err = AddRole(tx, in.Guild, bot, role)
	}
	return err
}

// PutBotRole gives a guild a role with the permissions of a bot's install, and updates the role when they changed. It
// reports whether it wrote.
func (g *Guilds) PutBotRole(tx *Tx, in store.Install, changed bool) (bool, error) {
	roles, err := tx.Directory.Roles(in.Guild)
	if err != nil {
		return false, err
	}
	role, missing := FindRole(roles, func(r store.Role) bool { return r.Managed == in.Application })
	switch {
	case missing == nil && !changed, missing != nil && in.Permissions == 0:
		return false, nil
	case missing != nil:
		a, err := tx.Directory.Application(in.Application)
		if err != nil {
			return false, err
		}
		role = store.Role{ID: snowflake.Role(g.ids.Next()), Guild: in.Guild, Name: a.Name, Position: 1, Managed: a.ID}
	}
	role.Permissions = in.Permissions
	return true, RoleKind.Put(tx, role)
}

// CheckLists reports lists of a guild that exceed their limits.
func CheckLists(t *jsonbody.Tree, q store.DirectoryQueries, guild snowflake.Guild) error {
	roles, err := q.Roles(guild)
	if err != nil {
		return err
	}
	channels, err := q.Channels(guild)
	if err != nil {
		return err
	}
	installs, err := q.GuildInstalls(guild)
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

// union returns the elements of two lists, each once, in ascending order.
func union(a, b []string) []string {
	both := slices.Concat(a, b)
	slices.Sort(both)
	return slices.Compact(both)
}

// DeleteInstall removes an application and its bot from a guild.
func (g *Guilds) DeleteInstall(ctx context.Context, guild snowflake.Guild, app snowflake.Application) error {
	return g.Update(ctx, func(tx *Tx) error { return Uninstall(tx, guild, app) })
}

// Uninstall removes an application and its bot from a guild. For an application that is not installed the error is ErrNotInstalled.
func Uninstall(tx *Tx, guild snowflake.Guild, app snowflake.Application) error {
	if _, err := tx.Directory.GuildInstall(guild, app); err != nil {
		return unknown(err, ErrNotInstalled)
	}
	if _, err := tx.Directory.Application(app); err != nil {
		return unknown(err, ErrNotInstalled)
	}
	return unknown(Leave(tx, guild, snowflake.User(app)), ErrNotInstalled)
}

// Install returns an application's install for a user, or ErrNotInstalled.
func (u *Users) Install(ctx context.Context, user snowflake.User, app snowflake.Application) (store.Install, error) {
	list, err := u.Installs(ctx, user)
	if errors.Is(err, ErrUnknownUser) {
		return store.Install{}, ErrNotInstalled
	}
	if err != nil {
		return store.Install{}, err
	}
	i, found := findInstall(list, app)
	if !found {
		return store.Install{}, ErrNotInstalled
	}
	return list[i], nil
}

// Installs returns a user's installs, ordered by application. The caller does not change the list.
func (u *Users) Installs(ctx context.Context, user snowflake.User) ([]store.Install, error) {
	c, err := u.cachedUser(ctx, user)
	if err != nil {
		return nil, err
	}
	gone, err := u.tombstones(ctx)
	if err != nil {
		return nil, err
	}
	if len(gone) == 0 || !slices.ContainsFunc(c.installs, gone.Install) {
		return c.installs, nil
	}
	return slices.DeleteFunc(slices.Clone(c.installs), gone.Install), nil
}

// AddInstall installs an application for a user after the user's consent. with may write more in the same transaction.
func (u *Users) AddInstall(ctx context.Context, in world.UserInstall, with func(*store.Tx) error) error {
	in, err := in.Complete()
	if err != nil {
		return err
	}
	return u.Update(ctx, func(tx *Tx) error {
		if err := u.install(tx, in); err != nil {
			return err
		}
		return with(tx.Tx)
	})
}

// install installs an application for a user.
func (u *Users) install(tx *Tx, in world.UserInstall) error {
	if _, err := tx.Directory.User(in.User); err != nil {
		return unknown(err, ErrUnknownUser)
	}
	if _, err := tx.Directory.Application(in.Application); err != nil {
		return unknown(err, ErrUnknownApplication)
	}
	old, err := tx.Directory.UserInstall(in.User, in.Application)
	wrote, err := UserInstallKind.Replace(tx, old, err, convert.UserInstallRecord(in, old, u.now()))
	if err != nil || !wrote {
		return err
	}
	var t jsonbody.Tree
	if err := CheckUserInstalls(&t, tx.Directory, in.User); err != nil {
		return err
	}
	return t.Err()
}

// CheckUserInstalls reports that a user has too many applications installed.
func CheckUserInstalls(t *jsonbody.Tree, q store.DirectoryQueries, user snowflake.User) error {
	all, err := q.UserInstalls(user)
	if len(all) > world.MaxInstalls {
		t.Add(jsonbody.MaxLength, "The user has too many applications installed.")
	}
	return err
}

// DeleteInstall removes an application from a user.
func (u *Users) DeleteInstall(ctx context.Context, user snowflake.User, app snowflake.Application) error {
	return u.Update(ctx, func(tx *Tx) error {
		i, err := tx.Directory.UserInstall(user, app)
		if err != nil {
			return unknown(err, ErrNotInstalled)
		}
		if _, err := ReadUser(tx.Reader, user); err != nil {
			return unknown(err, ErrNotInstalled)
		}
		UserInstallKind.Delete(tx, i)
		return nil
	})
}

// InstalledGuilds returns a page of an application's guild installs, ordered by guild.
func (a *Applications) InstalledGuilds(
	ctx context.Context, app snowflake.Application, after snowflake.Guild, limit int,
) ([]store.Install, error) {
	return view(ctx, a.shared, ErrUnknownApplication, func(r store.Reader) ([]store.Install, error) {
		if _, err := r.Directory.Application(app); err != nil {
			return nil, err
		}
		gone, err := ReadTombstones(r.Directory)
		if err != nil {
			return nil, err
		}
		return readInstalledGuilds(r, gone, app, after, limit)
	})
}

// readInstalledGuilds returns a page of an application's guild installs.
func readInstalledGuilds(
	r store.Reader, gone Tombstones, app snowflake.Application, after snowflake.Guild, limit int,
) ([]store.Install, error) {
	return page(after, limit, func(after snowflake.Guild, limit int) ([]store.Install, error) {
		return r.Directory.InstalledGuilds(app, after, limit)
	}, gone.Install, func(i store.Install) snowflake.Guild { return i.Guild })
}

// InstallCount returns the number of guilds and of users that have installed an application.
func (a *Applications) InstallCount(ctx context.Context, app snowflake.Application) (guilds, users int, err error) {
	counts, err := view(ctx, a.shared, ErrUnknownApplication, func(r store.Reader) (n [2]int, err error) {
		gone, err := ReadTombstones(r.Directory)
		if err != nil || gone.application(app) {
			return n, err
		}
		n[0], n[1], err = r.Directory.InstallCount(app)
		for t := range gone {
			if err != nil {
				break
			}
			var installed bool
			if t.Kind == store.KindGuild {
				if installed, err = found(r.Directory.GuildInstall(snowflake.Guild(t.ID), app)); installed {
					n[0]--
				}
			}
			if t.Kind == store.KindUser {
				if installed, err = found(r.Directory.UserInstall(snowflake.User(t.ID), app)); installed {
					n[1]--
				}
			}
		}
		return n, err
	})
	return counts[0], counts[1], err
}
