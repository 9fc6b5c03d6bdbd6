package invites

import (
	"context"
	"errors"
	"time"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// batchSize is the number of invites that a sweep reads at once.
const batchSize = 128

// committed tells the sweeper of the invites that a change writes.
func (s *Invites) committed(c *store.Change) {
	for _, r := range c.Put {
		if i, ok := r.(store.GuildInvite); ok && !i.Expires.IsZero() {
			s.Due(i.Expires)
		}
	}
}

// deleteExpired deletes the expired invites and returns when the next one expires, zero for none. Several nodes may do it at the same
// time: each invite is deleted once, because a decision reads it again.
func (s *Invites) deleteExpired(ctx context.Context) (next time.Time, err error) {
	for {
		var codes []string
		err = s.Store.Read(ctx, func(r store.Reader) error {
			if codes, err = r.Invites.Expired(s.Clock.Now(), batchSize); err != nil || len(codes) > 0 {
				return err
			}
			next, err = r.Invites.NextExpiry()
			return err
		})
		if err != nil || len(codes) == 0 {
			return next, err
		}
		for _, code := range codes {
			if err := s.expire(ctx, code); err != nil {
				return next, err
			}
		}
	}
}

// expire deletes an invite and announces it, unless another node has deleted it.
func (s *Invites) expire(ctx context.Context, code string) error {
	return s.Directory.Update(ctx, func(tx *directory.Tx) error {
		i, err := tx.Invites.Invite(code)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err != nil || !s.expired(&i) {
			return err
		}
		return remove(tx, &i)
	})
}

// ChannelDeleted deletes the invites to a channel, without events.
func (s *Invites) ChannelDeleted(ctx context.Context, c store.Channel) error {
	return store.RemoveAll(ctx, s.Store, func(tx *store.Tx, limit int) (int, error) {
		list, err := tx.Invites.OfChannel(c.ID)
		list = list[:min(len(list), limit)]
		for _, i := range list {
			tx.Delete(store.GuildInviteKey(i))
		}
		return len(list), err
	})
}

// UserDeleted does nothing. Invites stay when their creator is deleted.
func (s *Invites) UserDeleted(context.Context, snowflake.User) error { return nil }

// ApplicationDeleted does nothing. Invites stay when their application is deleted.
func (s *Invites) ApplicationDeleted(context.Context, snowflake.Application) error { return nil }

// GuildDeleted does nothing. The invites to a guild are deleted with its channels.
func (s *Invites) GuildDeleted(context.Context, snowflake.Guild) error { return nil }
