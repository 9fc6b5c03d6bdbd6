package directory

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

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

// PutInstall installs an application in a guild.
func (g *Guilds) PutInstall(ctx context.Context, guild snowflake.Guild, in world.GuildInstall) (Applied, error) {
	in, err := in.Complete()
	if err != nil {
		return Applied{}, err
	}
	return g.putPart(ctx, world.Guild{ID: guild, Installs: []world.GuildInstall{in}}, checkInstall(in))
}

// checkInstall returns a check of an install's application.
func checkInstall(in world.GuildInstall) func(*guildCheck, *jsonbody.Tree) {
	return func(c *guildCheck, t *jsonbody.Tree) { c.application(t.At("application"), in.Application) }
}

// AddInstall installs an application in a guild after a member's consent. An existing install keeps its scopes and gets
// the new ones. Its permissions are replaced when the bot scope is requested. with may write more in the same
// transaction.
func (g *Guilds) AddInstall(
	ctx context.Context, guild snowflake.Guild, in world.GuildInstall, with func(*store.Tx) error,
) error {
	return g.update(ctx, func(w *writer) error {
		if _, err := w.tx.Directory.Guild(guild); err != nil {
			return unknown(err, ErrUnknownGuild)
		}
		old, err := w.tx.Directory.GuildInstall(guild, in.Application)
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
		part := world.Guild{ID: guild, Installs: []world.GuildInstall{all}}
		if err := w.world.putPart(part, checkInstall(all)); err != nil {
			return err
		}
		return with(w.tx)
	})
}

// union returns the elements of two lists, each once, in ascending order.
func union(a, b []string) []string {
	both := slices.Concat(a, b)
	slices.Sort(both)
	return slices.Compact(both)
}

// DeleteInstall removes an application and its bot from a guild.
func (g *Guilds) DeleteInstall(ctx context.Context, guild snowflake.Guild, app snowflake.Application) error {
	return g.update(ctx, func(w *writer) error {
		if _, err := w.tx.Directory.GuildInstall(guild, app); err != nil {
			return unknown(err, ErrNotInstalled)
		}
		if _, err := w.tx.Directory.Application(app); err != nil {
			return unknown(err, ErrNotInstalled)
		}
		return unknown(w.leaveGuild(guild, snowflake.User(app)), ErrNotInstalled)
	})
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
	if len(gone) == 0 || !slices.ContainsFunc(c.installs, gone.install) {
		return c.installs, nil
	}
	return slices.DeleteFunc(slices.Clone(c.installs), gone.install), nil
}

// PutInstall installs an application for a user.
func (u *Users) PutInstall(ctx context.Context, in world.UserInstall) (Applied, error) {
	in, err := in.Complete()
	if err != nil {
		return Applied{}, err
	}
	return u.apply(ctx, func(w *writer) error { return w.world.putUserInstall(in) })
}

// AddInstall installs an application for a user after the user's consent. with may write more in the same transaction.
func (u *Users) AddInstall(ctx context.Context, in world.UserInstall, with func(*store.Tx) error) error {
	in, err := in.Complete()
	if err != nil {
		return err
	}
	return u.update(ctx, func(w *writer) error {
		if err := w.world.putUserInstall(in); err != nil {
			return err
		}
		return with(w.tx)
	})
}

// DeleteInstall removes an application from a user.
func (u *Users) DeleteInstall(ctx context.Context, user snowflake.User, app snowflake.Application) error {
	return u.update(ctx, func(w *writer) error {
		i, err := w.tx.Directory.UserInstall(user, app)
		if err != nil {
			return unknown(err, ErrNotInstalled)
		}
		if _, err := readUser(w.tx.Reader, user); err != nil {
			return unknown(err, ErrNotInstalled)
		}
		w.watch(i)
		w.delete(store.InstallKey(i))
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
		gone, err := readTombstones(r.Directory)
		if err != nil {
			return nil, err
		}
		return readInstalledGuilds(r, gone, app, after, limit)
	})
}

// readInstalledGuilds returns a page of an application's guild installs.
func readInstalledGuilds(
	r store.Reader, gone tombstones, app snowflake.Application, after snowflake.Guild, limit int,
) ([]store.Install, error) {
	return page(after, limit, func(after snowflake.Guild, limit int) ([]store.Install, error) {
		return r.Directory.InstalledGuilds(app, after, limit)
	}, gone.install, func(i store.Install) snowflake.Guild { return i.Guild })
}

// InstallCount returns the number of guilds and of users that have installed an application.
func (a *Applications) InstallCount(ctx context.Context, app snowflake.Application) (guilds, users int, err error) {
	counts, err := view(ctx, a.shared, ErrUnknownApplication, func(r store.Reader) (n [2]int, err error) {
		gone, err := readTombstones(r.Directory)
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
