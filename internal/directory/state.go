package directory

import (
	"context"
	"errors"
	"fmt"

	"github.com/bellhop/bellhop/internal/cache"

	"github.com/bellhop/bellhop/internal/locale"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// states reads the states of the directory's subjects.
type states struct {
	users        cache.Kind[snowflake.User, userState]
	applications cache.Kind[snowflake.Application, applicationState]
	guilds       cache.Kind[snowflake.Guild, Place]
	members      cache.Kind[memberKey, store.Member]
	channels     cache.Kind[snowflake.Channel, channelState]
	gone         cache.Kind[struct{}, Tombstones]
}

type memberKey struct {
	guild snowflake.Guild
	user  snowflake.User
}

// userState is a user with the apps they installed. Of a bot it says no more than that there is an application with the id.
type userState struct {
	user     User
	installs []store.Install
}

// applicationState is an application with its bot.
type applicationState struct {
	app store.Application
	bot User
}

// channelState is a channel, also in the form that most callers need.
type channelState struct {
	channel store.Channel
	where   Where
}

func (d *Directory) kinds() *states {
	d.once.Do(func() {
		d.states = states{
			users: cache.Kind[snowflake.User, userState]{
				Cache: d.Cache, Subject: store.UserSubject, Read: readUserState, Size: (*userState).size,
			},
			applications: cache.Kind[snowflake.Application, applicationState]{
				Cache: d.Cache, Subject: store.ApplicationSubject, Read: readApplicationState, Size: (*applicationState).size,
			},
			guilds: cache.Kind[snowflake.Guild, Place]{
				Cache: d.Cache, Subject: store.GuildSubject, Read: ReadPlace, Size: (*Place).Size,
			},
			members: cache.Kind[memberKey, store.Member]{
				Cache: d.Cache, Subject: func(k memberKey) store.Subject { return store.MemberSubject(k.guild, k.user) },
				Read: readMemberState, Size: func(m *store.Member) int { return 128 + len(m.Nick) + 8*len(m.Roles) },
			},
			channels: cache.Kind[snowflake.Channel, channelState]{
				Cache: d.Cache, Subject: store.ChannelSubject, Read: readChannelState, Size: (*channelState).size,
			},
			gone: cache.Kind[struct{}, Tombstones]{
				Cache: d.Cache, Subject: func(struct{}) store.Subject { return store.TombstonesSubject() },
				Read: readGone, Size: func(g *Tombstones) int { return 64 * len(*g) },
			},
		}
	})
	return &d.states
}

func readUserState(r store.Reader, id snowflake.User) (*userState, error) {
	u, err := r.Directory.User(id)
	if errors.Is(err, store.ErrNotFound) {
		_, err = r.Directory.Application(snowflake.Application(id))
		return &userState{user: User{User: store.User{ID: id}, Bot: true}}, err
	}
	if err != nil {
		return nil, err
	}
	installs, err := r.Directory.UserInstalls(id)
	return &userState{User{User: u}, installs}, err
}

func (s *userState) size() int {
	return 160 + len(s.user.Username) + len(s.user.GlobalName) + len(s.user.Email) + 144*len(s.installs)
}

func readApplicationState(r store.Reader, id snowflake.Application) (*applicationState, error) {
	a, err := r.Directory.Application(id)
	return &applicationState{a, botOf(a)}, err
}

// botOf returns the bot of an application.
func botOf(a store.Application) User {
	return User{User: store.User{ID: snowflake.User(a.ID), Username: a.Name, Locale: locale.EnglishUS}, Bot: true}
}

func (s *applicationState) size() int {
	n := 640 + len(s.app.Name) + len(s.app.Description)
	for _, uri := range s.app.RedirectURIs {
		n += 16 + len(uri)
	}
	return n
}

func readMemberState(r store.Reader, k memberKey) (*store.Member, error) {
	m, err := r.Directory.Member(k.guild, k.user)
	return &m, err
}

func readChannelState(r store.Reader, id snowflake.Channel) (*channelState, error) {
	c, err := r.Directory.Channel(id)
	return &channelState{c, Where{c.Guild, c.Type, c.Recipients}}, err
}

func (s *channelState) size() int {
	return 256 + len(s.channel.Name) + len(s.channel.Topic) + 32*len(s.channel.Overwrites) + 8*len(s.channel.Recipients)
}

func readGone(r store.Reader, _ struct{}) (*Tombstones, error) {
	g, err := ReadTombstones(r.Directory)
	return &g, err
}

// load returns the state of a subject. Where there is none it returns missing.
func load[K comparable, T any](ctx context.Context, kind *cache.Kind[K, T], key K, missing error) (*T, error) {
	state, err := kind.Load(ctx, key)
	if err != nil {
		return nil, readError(err, missing)
	}
	return state, nil
}

// readError puts an error of a read into the words of the directory. missing stands for a record that does not exist.
func readError(err, missing error) error {
	if errors.Is(err, store.ErrNotFound) {
		return missing
	}
	return fmt.Errorf("read the directory: %w", err)
}

// deletions returns the deletions whose dependent rows are still being removed.
func (d *Directory) deletions(ctx context.Context) (Tombstones, error) {
	g, err := load(ctx, &d.kinds().gone, struct{}{}, store.ErrNotFound)
	if err != nil {
		return nil, err
	}
	return *g, nil
}
