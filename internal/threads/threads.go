// Package threads creates, edits, archives and lists threads and the posts of forums, and keeps their members. A thread is a
// channel of the directory, and package messages has its messages.
package threads

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/channel"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/cache"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// Limits of threads.
const (
	MaxActive  = 1000 // active threads of a guild; announcement channels have as many of their own
	MaxMembers = 1000 // of a thread
)

// Config contains the dependencies of Threads. All fields are required unless noted.
type Config struct {
	Cache     *cache.Cache // of the store
	Clock     clock.Clock
	IDs       interface{ Next() uint64 }
	Directory *directory.Directory
	Messages  *messages.Messages
	Audit     *audit.Log // of guilds; may be nil
	Log       *slog.Logger
}

// Threads keeps threads and their members. It is safe for concurrent use.
type Threads struct {
	Config
	*clock.Sweeper // archives inactive threads

	lists cache.Kind[snowflake.Channel, threadList]
}

// threadList stands for the threads of a channel: decisions depend on its revision only.
type threadList struct{}

// New returns the service. It must be called before the first commit.
func New(c Config) *Threads {
	s := &Threads{Config: c, lists: cache.Kind[snowflake.Channel, threadList]{
		Cache: c.Cache, Subject: store.ThreadsSubject, Size: func(*threadList) int { return 0 },
		Read: func(store.Reader, snowflake.Channel) (*threadList, error) { return &threadList{}, nil },
	}}
	due := &store.Sweep[snowflake.Channel]{
		Store: c.Cache.Store(), Work: store.ThreadWork, Now: c.Clock.Now, Log: c.Log, Handle: s.expire, Concurrency: sweepConcurrency,
		List: func(r store.Reader, limit int) ([]store.DueThread, error) { return r.Threads.Due(limit) },
	}
	s.Sweeper = clock.NewSweeper(c.Clock, c.Log, "threads", due.Run)
	c.Cache.Store().Subscribe(s.committed)
	return s
}

// now returns the time with the precision of the store.
func (s *Threads) now() time.Time { return s.Clock.Now().UTC().Truncate(time.Millisecond) }

// enter returns a channel in which a viewer acts, if the viewer sees it.
func (s *Threads) enter(ctx context.Context, viewer directory.Viewer, id snowflake.Channel) (*directory.Place, error) {
	p, err := s.Directory.Channels.Enter(ctx, id, viewer)
	if err != nil {
		return nil, err
	}
	return p, p.Allow(permission.OpViewChannel, true)
}

// enterThread is enter for a thread.
func (s *Threads) enterThread(ctx context.Context, viewer directory.Viewer, id snowflake.Channel) (*directory.Place, error) {
	p, err := s.enter(ctx, viewer, id)
	switch {
	case err != nil:
		return nil, err
	case p.Guild == nil:
		return nil, apierror.DirectChannel
	case !p.IsThread():
		return nil, apierror.WrongChannelType
	}
	return p, nil
}

// copyOf returns a copy of a thread that can be changed. A thread of a world file gets a state.
func copyOf(c *store.Channel) store.Channel {
	t := *c
	state := store.Thread{Since: c.ID.Time(), AutoArchive: worldArchiveDuration, Invitable: true}
	if c.Thread != nil {
		state = *c.Thread
	}
	t.Thread = &state
	return t
}

// worldArchiveDuration is the archive duration of the threads of world files, in minutes.
const worldArchiveDuration = 1440

// owns reports whether a user created a thread. The owner of the guild stands for the creator of a thread of a world file.
func owns(p *directory.Place, user snowflake.User) bool {
	if p.Channel.Owner == 0 {
		return p.Guild.Owner == user
	}
	return p.Channel.Owner == user
}

// setArchived archives or unarchives a thread.
func (s *Threads) setArchived(t *store.Channel, archived bool) {
	t.Archived, t.Thread.Since = archived, s.now()
	if archived {
		t.Flags &^= int(channel.Pinned)
	}
	schedule(t)
}

// schedule sets when to check whether to archive a thread.
func schedule(t *store.Channel) {
	t.Thread.Due = time.Time{}
	if !t.Archived {
		t.Thread.Due = channel.ArchiveTime(t.Thread.Since, t.Thread.AutoArchive, channel.Flags(t.Flags))
	}
}

// checkActive checks that a guild has room for one more active thread of a type.
func (s *Threads) checkActive(ctx context.Context, guild snowflake.Guild, kind channel.Type) error {
	channels, err := s.Directory.Guilds.Channels(ctx, guild)
	if err != nil {
		return err
	}
	news, n := kind == channel.AnnouncementThread, 0
	for i := range channels {
		c := &channels[i]
		if world.IsThread(c.Type) && !c.Archived && (c.Type == world.AnnouncementThread) == news {
			n++
		}
	}
	switch {
	case n < MaxActive:
		return nil
	case news:
		return apierror.TooManyNews
	}
	return apierror.TooManyThreads
}

// putRecord adds a new or changed thread to a change. The decision depends on the thread, its guild and the threads of its parent
// from then on.
func (s *Threads) putRecord(ctx context.Context, c *store.Change, t store.Channel) error {
	if _, err := s.Directory.Channels.Channel(ctx, t.ID); err != nil && !errors.Is(err, directory.ErrUnknownChannel) {
		return err
	}
	if _, err := s.Directory.Guilds.State(ctx, t.Guild); err != nil {
		return err
	}
	if _, err := s.lists.Load(ctx, t.Parent); err != nil {
		return err
	}
	c.Put = append(c.Put, t)
	return nil
}
