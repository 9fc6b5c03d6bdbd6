package directory

import (
	"context"
	"errors"
	"fmt"

	"github.com/bellhop/bellhop/internal/cache"
	"github.com/bellhop/bellhop/internal/ledger"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/locale"
	"github.com/bellhop/bellhop/snowflake"
)

// MaxPage is how many records a page holds at the most, whatever limit is asked for.
const MaxPage = 1000

// User is a person, or the bot of an application under the application's id.
type User struct {
	store.User

	Bot bool
}

// Guild is a guild with its roles, that of all members first.
type Guild struct {
	store.Guild

	Roles []store.Role
}

// User returns a person or a bot. The caller does not change it.
func (d *Directory) User(ctx context.Context, id snowflake.User) (*User, error) {
	if u, ok := d.users.Get(id); ok {
		return u, nil
	}
	return load(ctx, d, &d.users, id, ErrUnknownUser, func(r store.Reader) (*User, error) { return readUser(r, id) })
}

func readUser(r store.DirectoryReader, id snowflake.User) (*User, error) {
	u, err := r.User(id)
	if err == nil {
		return &User{User: u}, nil
	}
	if !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	a, err := r.Application(snowflake.Application(id))
	if err != nil {
		return nil, err
	}
	return &User{User: store.User{ID: id, Username: a.Name, Locale: locale.EnglishUS}, Bot: true}, nil
}

// Application returns an app. The caller does not change it.
func (d *Directory) Application(ctx context.Context, id snowflake.Application) (*store.Application, error) {
	if a, ok := d.applications.Get(id); ok {
		return a, nil
	}
	return load(ctx, d, &d.applications, id, ErrUnknownApplication, func(r store.Reader) (*store.Application, error) {
		a, err := r.Application(id)
		return &a, err
	})
}

// GuildInstall returns an application's install in a guild. The caller does not change it.
func (d *Directory) GuildInstall(ctx context.Context, guild snowflake.Guild, app snowflake.Application) (store.Install, error) {
	key := installKey{guild, app}
	i, ok := d.guildInstalls.Get(key)
	if !ok {
		var err error
		i, err = load(ctx, d, &d.guildInstalls, key, ErrNotInstalled, func(r store.Reader) (*store.Install, error) {
			i, err := r.GuildInstall(guild, app)
			return &i, err
		})
		if err != nil {
			return store.Install{}, err
		}
	}
	return *i, nil
}

// load reads a record that is not in memory. Where there is none it returns missing.
func load[K comparable, V any](
	ctx context.Context, d *Directory, c *cache.Cache[K, *V], key K, missing error, read func(store.Reader) (*V, error),
) (*V, error) {
	v, found, err := c.Load(key, func() (*V, bool, error) {
		v, err := view(ctx, d, missing, read)
		if errors.Is(err, missing) {
			return nil, false, nil
		}
		return v, true, err
	})
	if err == nil && !found {
		err = missing
	}
	return v, err
}

// view reads from the store. Where there is no such record it returns missing.
func view[T any](ctx context.Context, d *Directory, missing error, read func(store.Reader) (T, error)) (T, error) {
	var v T
	err := d.Store.View(ctx, func(r store.Reader) error {
		var err error
		v, err = read(r)
		return err
	})
	switch {
	case errors.Is(err, store.ErrNotFound):
		err = missing
	case err != nil:
		err = fmt.Errorf("read the directory: %w", err)
	}
	return v, err
}

// Users returns a page of people, without bots.
func (d *Directory) Users(ctx context.Context, after snowflake.User, limit int) ([]store.User, error) {
	return view(ctx, d, ErrUnknownUser, func(r store.Reader) ([]store.User, error) { return r.Users(after, min(limit, MaxPage)) })
}

// Applications returns a page of apps.
func (d *Directory) Applications(ctx context.Context, after snowflake.Application, limit int) ([]store.Application, error) {
	return view(ctx, d, ErrUnknownApplication, func(r store.Reader) ([]store.Application, error) {
		return r.Applications(after, min(limit, MaxPage))
	})
}

// Guild returns a guild with its roles.
func (d *Directory) Guild(ctx context.Context, id snowflake.Guild) (*Guild, error) {
	return view(ctx, d, ErrUnknownGuild, func(r store.Reader) (*Guild, error) {
		g, err := r.Guild(id)
		if err != nil {
			return nil, err
		}
		roles, err := r.Roles(id)
		if err != nil {
			return nil, err
		}
		everyone := store.Role{ID: snowflake.Role(id), Guild: id, Name: "@everyone", Permissions: g.Everyone}
		return &Guild{g, append([]store.Role{everyone}, roles...)}, nil
	})
}

// Guilds returns a page of guilds without their roles.
func (d *Directory) Guilds(ctx context.Context, after snowflake.Guild, limit int) ([]store.Guild, error) {
	return view(ctx, d, ErrUnknownGuild, func(r store.Reader) ([]store.Guild, error) { return r.Guilds(after, min(limit, MaxPage)) })
}

// Channel returns a channel.
func (d *Directory) Channel(ctx context.Context, id snowflake.Channel) (store.Channel, error) {
	return view(ctx, d, ErrUnknownChannel, func(r store.Reader) (store.Channel, error) { return r.Channel(id) })
}

// Channels returns the channels of a guild, threads included.
func (d *Directory) Channels(ctx context.Context, guild snowflake.Guild) ([]store.Channel, error) {
	return inGuild(ctx, d, guild, func(r store.Reader) ([]store.Channel, error) { return r.Channels(guild) })
}

// DirectChannel returns the direct-message channel between exactly these users, given in ascending order.
func (d *Directory) DirectChannel(ctx context.Context, recipients []snowflake.User) (store.Channel, error) {
	return view(ctx, d, ErrUnknownChannel, func(r store.Reader) (store.Channel, error) { return r.DirectChannel(recipients) })
}

// DirectChannels returns a user's direct-message channels.
func (d *Directory) DirectChannels(ctx context.Context, user snowflake.User) ([]store.Channel, error) {
	return ofUser(ctx, d, user, func(r store.Reader) ([]store.Channel, error) { return r.DirectChannels(user) })
}

// Member returns a user, or a bot, in a guild. The caller does not change its roles.
func (d *Directory) Member(ctx context.Context, guild snowflake.Guild, user snowflake.User) (store.Member, error) {
	key := memberKey{guild, user}
	m, ok := d.members.Get(key)
	if !ok {
		var err error
		m, err = load(ctx, d, &d.members, key, ErrUnknownMember, func(r store.Reader) (*store.Member, error) {
			m, err := r.Member(guild, user)
			return &m, err
		})
		if err != nil {
			return store.Member{}, err
		}
	}
	return *m, nil
}

// Members returns a page of a guild's members.
func (d *Directory) Members(
	ctx context.Context, guild snowflake.Guild, after snowflake.User, limit int,
) ([]store.Member, error) {
	return inGuild(ctx, d, guild, func(r store.Reader) ([]store.Member, error) {
		return r.Members(guild, after, min(limit, MaxPage))
	})
}

// Memberships returns a page of a user's, or a bot's, memberships in the order of the guilds.
func (d *Directory) Memberships(
	ctx context.Context, user snowflake.User, after snowflake.Guild, limit int,
) ([]store.Member, error) {
	return ofUser(ctx, d, user, func(r store.Reader) ([]store.Member, error) {
		return r.Memberships(user, after, min(limit, MaxPage))
	})
}

// UserInstall returns an application's install with a user.
func (d *Directory) UserInstall(ctx context.Context, user snowflake.User, app snowflake.Application) (store.Install, error) {
	return view(ctx, d, ErrNotInstalled, func(r store.Reader) (store.Install, error) { return r.UserInstall(user, app) })
}

// GuildInstalls returns what is installed in a guild, in the order of the applications.
func (d *Directory) GuildInstalls(ctx context.Context, guild snowflake.Guild) ([]store.Install, error) {
	return inGuild(ctx, d, guild, func(r store.Reader) ([]store.Install, error) { return r.GuildInstalls(guild) })
}

// UserInstalls returns what a user has installed, in the order of the applications. The caller does not change it.
func (d *Directory) UserInstalls(ctx context.Context, user snowflake.User) ([]store.Install, error) {
	list, ok := d.userInstalls.Get(user)
	if !ok {
		var err error
		list, err = load(ctx, d, &d.userInstalls, user, ErrUnknownUser, func(r store.Reader) (*[]store.Install, error) {
			if _, err := readUser(r, user); err != nil {
				return nil, err
			}
			list, err := r.UserInstalls(user)
			return &list, err
		})
		if err != nil {
			return nil, err
		}
	}
	return *list, nil
}

// InstalledGuilds returns a page of where an application is installed, in the order of the guilds.
func (d *Directory) InstalledGuilds(
	ctx context.Context, app snowflake.Application, after snowflake.Guild, limit int,
) ([]store.Install, error) {
	return view(ctx, d, ErrUnknownApplication, func(r store.Reader) ([]store.Install, error) {
		if _, err := r.Application(app); err != nil {
			return nil, err
		}
		return r.InstalledGuilds(app, after, min(limit, MaxPage))
	})
}

// Export returns the directory as a world, in the order of the ids, as it is at one moment. Tokens and secrets are not in
// it, nor are direct-message channels, which come up by themselves.
func (d *Directory) Export(ctx context.Context) (world.World, error) {
	return view(ctx, d, ErrUnknownGuild, func(r store.Reader) (world.World, error) { return ledger.Read(r) })
}

// inGuild reads from a guild that exists.
func inGuild[T any](ctx context.Context, d *Directory, guild snowflake.Guild, read func(store.Reader) (T, error)) (T, error) {
	return view(ctx, d, ErrUnknownGuild, func(r store.Reader) (T, error) {
		if _, err := r.Guild(guild); err != nil {
			var none T
			return none, err
		}
		return read(r)
	})
}

// ofUser reads what belongs to a user or bot that exists.
func ofUser[T any](ctx context.Context, d *Directory, user snowflake.User, read func(store.Reader) (T, error)) (T, error) {
	return view(ctx, d, ErrUnknownUser, func(r store.Reader) (T, error) {
		if _, err := readUser(r, user); err != nil {
			var none T
			return none, err
		}
		return read(r)
	})
}
