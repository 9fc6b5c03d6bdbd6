package threads

import (
	"context"
	"errors"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/rules/channel"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

const (
	// sweepConcurrency is the number of due threads that are decided at the same time.
	sweepConcurrency = 16
	// deleteBatch is the number of memberships that one commit deletes.
	deleteBatch = 128
)

// committed tells the sweeper of the threads that a change writes.
func (s *Threads) committed(c *store.Change) {
	for _, r := range c.Put {
		if t, ok := r.(store.Channel); ok && t.Thread != nil && !t.Thread.Due.IsZero() {
			s.Due(t.Thread.Due)
		}
	}
}

// expire archives a thread that was inactive for long enough. Otherwise it sets when to check again.
func (s *Threads) expire(ctx context.Context, id snowflake.Channel) error {
	return s.Cache.Decide(context.WithoutCancel(ctx), func(ctx context.Context) (c store.Change, err error) {
		found, err := s.Directory.Channels.Channel(ctx, id)
		if errors.Is(err, directory.ErrUnknownChannel) {
			return c, nil
		}
		if err != nil || found.Thread == nil || found.Archived || found.Thread.Due.IsZero() {
			return c, err
		}
		last, err := s.Messages.Last(ctx, id)
		if err != nil {
			return c, err
		}
		next, active := copyOf(found), found.Thread.Since
		if last != 0 && last.Time().After(active) {
			active = last.Time()
		}
		next.Thread.Due = channel.ArchiveTime(active, next.Thread.AutoArchive, channel.Flags(next.Flags))
		if next.Thread.Due.After(s.Clock.Now()) {
			return c, s.putRecord(ctx, &c, next)
		}
		s.setArchived(&next, true)
		return c, s.put(ctx, &c, &next, false)
	})
}

// Enliven prepares a thread for a new message: it unarchives the thread, and adds the author and the mentioned users who see its
// channel to its members. Users for whom there is no room are left out. author is 0 for a webhook.
func (s *Threads) Enliven(
	ctx context.Context, c *store.Change, p *directory.Place, author snowflake.User, mentioned []snowflake.User,
) error {
	t := p.Channel
	if t.Archived {
		next := copyOf(t)
		if err := s.checkActive(ctx, next.Guild, channel.Type(next.Type)); err != nil {
			return err
		}
		s.setArchived(&next, false)
		if err := s.put(ctx, c, &next, true); err != nil {
			return err
		}
		t = &next
	}
	members, err := s.Directory.Channels.ThreadMembers(ctx, p.Channel.ID)
	if err != nil {
		return err
	}
	var users []snowflake.User
	if author != 0 && !p.Joined {
		users = append(users, author)
	}
	for _, id := range mentioned {
		if id == author || members.Has(id) {
			continue
		}
		sees, err := s.Directory.Guilds.Sees(ctx, p.Channel.Guild, p.Channel.Parent, directory.Viewer{User: id})
		if err != nil {
			return err
		}
		if sees {
			users = append(users, id)
		}
	}
	users = users[:min(len(users), max(MaxMembers-len(members), 0))]
	return s.addMembers(ctx, c, t, users)
}

// ChannelDeleted deletes the members of a thread.
func (s *Threads) ChannelDeleted(ctx context.Context, c store.Channel) error {
	return store.Decide(ctx, s.Cache.Store(), func(tx *store.Tx) error {
		tx.Delete(store.ThreadMembersKey(c.ID))
		tx.End(store.ThreadsSubject(c.ID))
		return nil
	})
}

// UserDeleted deletes the memberships of a user.
func (s *Threads) UserDeleted(ctx context.Context, user snowflake.User) error {
	for {
		found := 0
		err := store.Decide(ctx, s.Cache.Store(), func(tx *store.Tx) error {
			joined, err := tx.Threads.Joined(user)
			found = min(len(joined), deleteBatch)
			for _, m := range joined[:found] {
				tx.Delete(store.ThreadMemberKey(m.Thread, user))
			}
			return err
		})
		if err != nil || found < deleteBatch {
			return err
		}
	}
}

// ApplicationDeleted deletes the memberships of the bot of an application.
func (s *Threads) ApplicationDeleted(ctx context.Context, app snowflake.Application) error {
	return s.UserDeleted(ctx, snowflake.User(app))
}

// GuildDeleted does nothing. The members of the threads of a guild are deleted with its channels.
func (s *Threads) GuildDeleted(context.Context, snowflake.Guild) error { return nil }
