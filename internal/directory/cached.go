package directory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/bellhop/bellhop/internal/rules/locale"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/cache"
	"github.com/bellhop/bellhop/snowflake"
)

// cached reads records through the cache.
type cached struct {
	users        cache.Kind[snowflake.User, cachedUser]
	applications cache.Kind[snowflake.Application, cachedApplication]
	guilds       cache.Kind[snowflake.Guild, GuildState]
	members      cache.Kind[memberKey, store.Member]
	channels     cache.Kind[snowflake.Channel, store.Channel]
	credentials  cache.Kind[store.TokenHash, store.Credential]
	tombstones   cache.Kind[struct{}, Tombstones]
	messages     cache.Kind[snowflake.Channel, cache.ChannelMessages]
	inThreads    cache.Kind[snowflake.Channel, store.ThreadMembers]
}

type memberKey struct {
	guild snowflake.Guild
	user  snowflake.User
}

// cachedUser is a user with the user's installs. For a bot it holds only the id: the application has the rest.
type cachedUser struct {
	user     store.User
	installs []store.Install
}

// cachedApplication is an application with its bot.
type cachedApplication struct {
	app store.Application
	bot store.User
}

func newCached(c *cache.Cache) cached {
	return cached{
		users: cache.Kind[snowflake.User, cachedUser]{
			Cache: c, Subject: store.UserSubject, Read: readCachedUser, Size: (*cachedUser).size,
		},
		applications: cache.Kind[snowflake.Application, cachedApplication]{
			Cache: c, Subject: store.ApplicationSubject, Read: readCachedApplication, Size: (*cachedApplication).size,
		},
		guilds: cache.Kind[snowflake.Guild, GuildState]{
			Cache: c, Subject: store.GuildSubject, Read: ReadGuildState, Size: (*GuildState).Size,
		},
		members: cache.Kind[memberKey, store.Member]{
			Cache: c, Subject: func(k memberKey) store.Subject { return store.MemberSubject(k.guild, k.user) },
			Read: readCachedMember, Size: func(m *store.Member) int { return 128 + len(m.Nick) + len(m.Bio) + 8*len(m.Roles) },
		},
		channels: cache.Kind[snowflake.Channel, store.Channel]{
			Cache: c, Subject: store.ChannelSubject, Read: readCachedChannel, Size: channelSize,
		},
		credentials: cache.Kind[store.TokenHash, store.Credential]{
			Cache: c, Subject: store.CredentialSubject, Read: readCachedCredential, Size: credentialSize,
		},
		tombstones: cache.Kind[struct{}, Tombstones]{
			Cache: c, Subject: func(struct{}) store.Subject { return store.TombstonesSubject() },
			Read: readCachedTombstones, Size: func(g *Tombstones) int { return 64 * len(*g) },
		},
		messages: cache.NewChannelMessages(c),
		inThreads: cache.Kind[snowflake.Channel, store.ThreadMembers]{
			Cache: c, Subject: store.ThreadMembersSubject, Read: readThreadMembers,
			Size: func(m *store.ThreadMembers) int { return 24 + 48*len(*m) },
		},
	}
}

func readCachedUser(r store.Reader, id snowflake.User) (*cachedUser, error) {
	u, err := r.Directory.User(id)
	if errors.Is(err, store.ErrNotFound) {
		_, err = r.Directory.Application(snowflake.Application(id))
		return &cachedUser{user: store.User{ID: id, Bot: true}}, err
	}
	if err != nil {
		return nil, err
	}
	installs, err := r.Directory.UserInstalls(id)
	return &cachedUser{u, installs}, err
}

func (c *cachedUser) size() int {
	return 160 + len(c.user.Username) + len(c.user.GlobalName) + len(c.user.Email) + 144*len(c.installs)
}

func readCachedApplication(r store.Reader, id snowflake.Application) (*cachedApplication, error) {
	a, err := r.Directory.Application(id)
	return &cachedApplication{a, botOf(a)}, err
}

// botOf returns the bot of an application.
func botOf(a store.Application) store.User {
	return store.User{
		ID: snowflake.User(a.ID), Username: cmp.Or(a.BotName, a.Name), Locale: locale.EnglishUS, Bot: true,
		Avatar: a.BotAvatar, Banner: a.BotBanner,
	}
}

func (c *cachedApplication) size() int {
	n := 640 + len(c.app.Name) + len(c.app.Description)
	for _, uri := range c.app.RedirectURIs {
		n += 16 + len(uri)
	}
	return n
}

// readCachedMember returns a member. For a user who is not a member it returns one without a user, so that the cache holds
// that too: apps whose bot is not in the guild are common.
func readCachedMember(r store.Reader, k memberKey) (*store.Member, error) {
	m, err := r.Directory.Member(k.guild, k.user)
	if errors.Is(err, store.ErrNotFound) {
		return &store.Member{}, nil
	}
	return &m, err
}

func readCachedChannel(r store.Reader, id snowflake.Channel) (*store.Channel, error) {
	c, err := r.Directory.Channel(id)
	return &c, err
}

func channelSize(c *store.Channel) int {
	return 256 + len(c.Name) + len(c.Topic) + 32*len(c.Overwrites) + 8*len(c.Recipients)
}

func readCachedCredential(r store.Reader, hash store.TokenHash) (*store.Credential, error) {
	c, err := r.Credentials.Credential(hash)
	return &c, err
}

func credentialSize(c *store.Credential) int {
	n := 160
	for _, s := range c.Scopes {
		n += 16 + len(s)
	}
	return n
}

func readCachedTombstones(r store.Reader, _ struct{}) (*Tombstones, error) {
	g, err := ReadTombstones(r.Directory)
	return &g, err
}

// load returns a cached record, or missing when the record does not exist.
func load[K comparable, T any](ctx context.Context, kind *cache.Kind[K, T], key K, missing error) (*T, error) {
	record, err := kind.Load(ctx, key)
	if err != nil {
		return nil, readError(err, missing)
	}
	return record, nil
}

// readError replaces store.ErrNotFound with missing and wraps other errors.
func readError(err, missing error) error {
	if errors.Is(err, store.ErrNotFound) {
		return missing
	}
	return fmt.Errorf("read the directory: %w", err)
}

// tombstones returns the deletions whose dependent records are still being removed.
func (s *shared) tombstones(ctx context.Context) (Tombstones, error) {
	g, err := load(ctx, &s.cached.tombstones, struct{}{}, store.ErrNotFound)
	if err != nil {
		return nil, err
	}
	return *g, nil
}

// view reads from a snapshot of the store. It returns missing when read returns store.ErrNotFound.
func view[T any](ctx context.Context, s *shared, missing error, read func(store.Reader) (T, error)) (T, error) {
	var v T
	err := s.store.Read(ctx, func(r store.Reader) error {
		var err error
		v, err = read(r)
		return err
	})
	if err != nil {
		err = readError(err, missing)
	}
	return v, err
}

// viewGuild reads records of a guild that exists. read leaves out deleted records.
func viewGuild[T any](
	ctx context.Context, s *shared, guild snowflake.Guild, read func(r store.Reader, gone Tombstones) (T, error),
) (T, error) {
	return view(ctx, s, ErrUnknownGuild, func(r store.Reader) (none T, err error) {
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

// viewUser reads records of a user or bot that exists. read leaves out deleted records.
func viewUser[T any](
	ctx context.Context, s *shared, user snowflake.User, read func(r store.Reader, gone Tombstones) (T, error),
) (T, error) {
	return view(ctx, s, ErrUnknownUser, func(r store.Reader) (none T, err error) {
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

// found reports whether a read found its record.
func found[T any](_ T, err error) (bool, error) {
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// unknown replaces store.ErrNotFound with missing.
func unknown(err, missing error) error {
	if errors.Is(err, store.ErrNotFound) {
		return missing
	}
	return err
}

// page returns up to limit records, at most MaxPage, with keys above after. It leaves out deleted records.
func page[K, R any](
	after K, limit int, read func(after K, limit int) ([]R, error), gone func(R) bool, key func(R) K,
) ([]R, error) {
	limit = min(limit, MaxPage)
	var all []R
	for {
		list, err := read(after, limit)
		if err != nil || len(list) == 0 {
			return all, err
		}
		more := len(list) == limit
		after = key(list[len(list)-1])
		all = append(all, slices.DeleteFunc(list, gone)...)
		if !more || len(all) >= limit {
			return all[:min(len(all), limit)], nil
		}
	}
}
