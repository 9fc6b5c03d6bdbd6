package directory

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
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
	s, err := d.user(ctx, id)
	if err != nil {
		return nil, err
	}
	return &s.user, nil
}

// user returns the state of a user or a bot.
func (d *Directory) user(ctx context.Context, id snowflake.User) (*userState, error) {
	s, err := load(ctx, &d.kinds().users, id, ErrUnknownUser)
	if err != nil || !s.user.Bot {
		return s, err
	}
	a, err := load(ctx, &d.kinds().applications, snowflake.Application(id), ErrUnknownUser)
	if err != nil {
		return nil, err
	}
	return &userState{user: a.bot}, nil
}

// HasUser reports whether a user exists. Bots are no users.
func (d *Directory) HasUser(ctx context.Context, id snowflake.User) (bool, error) {
	s, err := load(ctx, &d.kinds().users, id, ErrUnknownUser)
	if errors.Is(err, ErrUnknownUser) {
		return false, nil
	}
	return err == nil && !s.user.Bot, err
}

// Owner returns the owner of an application. known is false when there is no such application.
func (d *Directory) Owner(ctx context.Context, id snowflake.Application) (owner snowflake.User, known bool, err error) {
	a, err := d.Application(ctx, id)
	if errors.Is(err, ErrUnknownApplication) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, err
	}
	return a.Owner, true, nil
}

// ReadUser returns a person or a bot in a snapshot, store.ErrNotFound when there is none.
func ReadUser(r store.Reader, id snowflake.User) (*User, error) {
	u, err := r.Directory.User(id)
	if err == nil {
		return &User{User: u}, nil
	}
	if !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	a, err := r.Directory.Application(snowflake.Application(id))
	if err != nil {
		return nil, err
	}
	bot := botOf(a)
	return &bot, nil
}

// ReadGuild returns a guild with its roles in a snapshot, store.ErrNotFound when there is none.
func ReadGuild(r store.Reader, id snowflake.Guild) (*Guild, error) {
	g, err := r.Directory.Guild(id)
	if err != nil {
		return nil, err
	}
	roles, err := readRoles(r, g)
	return &Guild{g, roles}, err
}

// Application returns an app. The caller does not change it.
func (d *Directory) Application(ctx context.Context, id snowflake.Application) (*store.Application, error) {
	s, err := load(ctx, &d.kinds().applications, id, ErrUnknownApplication)
	if err != nil {
		return nil, err
	}
	return &s.app, nil
}

// GuildInstall returns an application's install in a guild. The caller does not change it.
func (d *Directory) GuildInstall(ctx context.Context, guild snowflake.Guild, app snowflake.Application) (store.Install, error) {
	p, err := d.Place(ctx, guild)
	if errors.Is(err, ErrUnknownGuild) {
		return store.Install{}, ErrNotInstalled
	}
	if err != nil {
		return store.Install{}, err
	}
	i, found := findInstall(p.installs, app)
	if !found {
		return store.Install{}, ErrNotInstalled
	}
	return p.installs[i], nil
}

// view reads from the store. Where there is no such record it returns missing.
func view[T any](ctx context.Context, d *Directory, missing error, read func(store.Reader) (T, error)) (T, error) {
	var v T
	err := d.Store.Read(ctx, func(r store.Reader) error {
		var err error
		v, err = read(r)
		return err
	})
	if err != nil {
		err = readError(err, missing)
	}
	return v, err
}

// Users returns a page of people, without bots.
func (d *Directory) Users(ctx context.Context, after snowflake.User, limit int) ([]store.User, error) {
	return view(ctx, d, ErrUnknownUser, func(r store.Reader) ([]store.User, error) { return r.Directory.Users(after, min(limit, MaxPage)) })
}

// Applications returns a page of apps.
func (d *Directory) Applications(ctx context.Context, after snowflake.Application, limit int) ([]store.Application, error) {
	return view(ctx, d, ErrUnknownApplication, func(r store.Reader) ([]store.Application, error) {
		return r.Directory.Applications(after, min(limit, MaxPage))
	})
}

// Guild returns a guild with its roles.
func (d *Directory) Guild(ctx context.Context, id snowflake.Guild) (*Guild, error) {
	p, err := d.Place(ctx, id)
	if err != nil {
		return nil, err
	}
	return &Guild{p.Guild, slices.Clone(p.roles)}, nil
}

// Guilds returns a page of guilds without their roles.
func (d *Directory) Guilds(ctx context.Context, after snowflake.Guild, limit int) ([]store.Guild, error) {
	return view(ctx, d, ErrUnknownGuild, func(r store.Reader) ([]store.Guild, error) { return r.Directory.Guilds(after, min(limit, MaxPage)) })
}

// Channel returns a channel. The caller does not change its lists.
func (d *Directory) Channel(ctx context.Context, id snowflake.Channel) (store.Channel, error) {
	s, err := d.channel(ctx, id)
	if err != nil {
		return store.Channel{}, err
	}
	return s.channel, nil
}

// Channels returns the channels of a guild, threads included. The caller does not change their lists.
func (d *Directory) Channels(ctx context.Context, guild snowflake.Guild) ([]store.Channel, error) {
	p, err := d.Place(ctx, guild)
	if err != nil {
		return nil, err
	}
	return slices.Clone(p.channels), nil
}

// DirectChannel returns the direct-message channel between exactly these users, given in ascending order.
func (d *Directory) DirectChannel(ctx context.Context, recipients []snowflake.User) (store.Channel, error) {
	return view(ctx, d, ErrUnknownChannel, func(r store.Reader) (store.Channel, error) {
		gone, err := ReadTombstones(r.Directory)
		if err != nil {
			return store.Channel{}, err
		}
		c, err := r.Directory.DirectChannel(recipients)
		if err == nil && gone.Channel(c) {
			err = store.ErrNotFound
		}
		return c, err
	})
}

// DirectChannels returns a user's direct-message channels.
func (d *Directory) DirectChannels(ctx context.Context, user snowflake.User) ([]store.Channel, error) {
	return ofUser(ctx, d, user, func(r store.Reader, gone Tombstones) ([]store.Channel, error) {
		list, err := r.Directory.DirectChannels(user)
		return slices.DeleteFunc(list, gone.Channel), err
	})
}

// Member returns a user, or a bot, in a guild. The caller does not change its roles.
func (d *Directory) Member(ctx context.Context, guild snowflake.Guild, user snowflake.User) (store.Member, error) {
	m, err := load(ctx, &d.kinds().members, memberKey{guild, user}, ErrUnknownMember)
	if err != nil {
		return store.Member{}, err
	}
	gone, err := d.deletions(ctx)
	if err != nil {
		return store.Member{}, err
	}
	if gone.Member(*m) {
		return store.Member{}, ErrUnknownMember
	}
	return gone.Roles(*m), nil
}

// Members returns a page of a guild's members.
func (d *Directory) Members(
	ctx context.Context, guild snowflake.Guild, after snowflake.User, limit int,
) ([]store.Member, error) {
	return inGuild(ctx, d, guild, func(r store.Reader, gone Tombstones) ([]store.Member, error) {
		return readMembers(r, gone, guild, after, limit)
	})
}

// Memberships returns a page of a user's, or a bot's, memberships in the order of the guilds.
func (d *Directory) Memberships(
	ctx context.Context, user snowflake.User, after snowflake.Guild, limit int,
) ([]store.Member, error) {
	return ofUser(ctx, d, user, func(r store.Reader, gone Tombstones) ([]store.Member, error) {
		return readMemberships(r, gone, user, after, limit)
	})
}

// UserInstall returns an application's install with a user.
func (d *Directory) UserInstall(ctx context.Context, user snowflake.User, app snowflake.Application) (store.Install, error) {
	list, err := d.UserInstalls(ctx, user)
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

// findInstall returns the place of an application's install in a list that is in the order of the applications.
func findInstall(list []store.Install, app snowflake.Application) (int, bool) {
	return slices.BinarySearchFunc(list, app, func(i store.Install, app snowflake.Application) int {
		return cmp.Compare(i.Application, app)
	})
}

// GuildInstalls returns what is installed in a guild, in the order of the applications.
func (d *Directory) GuildInstalls(ctx context.Context, guild snowflake.Guild) ([]store.Install, error) {
	p, err := d.Place(ctx, guild)
	if err != nil {
		return nil, err
	}
	return slices.Clone(p.installs), nil
}

// UserInstalls returns what a user has installed, in the order of the applications. The caller does not change it.
func (d *Directory) UserInstalls(ctx context.Context, user snowflake.User) ([]store.Install, error) {
	s, err := d.user(ctx, user)
	if err != nil {
		return nil, err
	}
	gone, err := d.deletions(ctx)
	if err != nil {
		return nil, err
	}
	if len(gone) == 0 || !slices.ContainsFunc(s.installs, gone.Install) {
		return s.installs, nil
	}
	return slices.DeleteFunc(slices.Clone(s.installs), gone.Install), nil
}

// InstalledGuilds returns a page of where an application is installed, in the order of the guilds.
func (d *Directory) InstalledGuilds(
	ctx context.Context, app snowflake.Application, after snowflake.Guild, limit int,
) ([]store.Install, error) {
	return view(ctx, d, ErrUnknownApplication, func(r store.Reader) ([]store.Install, error) {
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

// Export returns the directory as a world, in the order of the ids, as it is at one moment. Tokens and secrets are not in
// it, nor are direct-message channels, which come up by themselves.
func (d *Directory) Export(ctx context.Context) (world.World, error) {
	return view(ctx, d, ErrUnknownGuild, func(r store.Reader) (world.World, error) { return ReadWorld(r.Directory) })
}

// inGuild reads from a guild that exists. read leaves out what has gone.
func inGuild[T any](
	ctx context.Context, d *Directory, guild snowflake.Guild, read func(r store.Reader, gone Tombstones) (T, error),
) (T, error) {
	return view(ctx, d, ErrUnknownGuild, func(r store.Reader) (none T, err error) {
		if _, err := r.Directory.Guild(guild); err != nil {
			return none, err
		}
		gone, err := ReadTombstones(r.Directory)
		if err != nil {
			return none, err
		}
		return read(r, gone)
	})
}

// ofUser reads what belongs to a user or bot that exists. read leaves out what has gone.
func ofUser[T any](
	ctx context.Context, d *Directory, user snowflake.User, read func(r store.Reader, gone Tombstones) (T, error),
) (T, error) {
	return view(ctx, d, ErrUnknownUser, func(r store.Reader) (none T, err error) {
		if _, err := ReadUser(r, user); err != nil {
			return none, err
		}
		gone, err := ReadTombstones(r.Directory)
		if err != nil {
			return none, err
		}
		return read(r, gone)
	})
}
