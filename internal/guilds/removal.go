package guilds

import (
	"context"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// removeBatch bounds how many entries are removed in one commit, so that other writes do not wait long.
const removeBatch = 256

// GuildDeleted deletes the audit log of a guild and its bans.
func (s *Guilds) GuildDeleted(ctx context.Context, guild snowflake.Guild) error {
	err := s.removeAll(ctx, func(tx *store.Tx) (int, error) {
		list, err := tx.Audit.OfGuild(guild, store.GuildAuditFilter{Oldest: true}, removeBatch)
		for _, e := range list {
			tx.Delete(store.GuildEntryKey(guild, e.ID))
		}
		return len(list), err
	})
	if err != nil {
		return err
	}
	err = s.removeBans(ctx, func(q store.DirectoryQueries) ([]store.Ban, error) { return q.Bans(guild, 0, removeBatch) })
	if err != nil {
		return err
	}
	// Damaged entries are not in the list.
	return store.Decide(ctx, s.Audit.Store, func(tx *store.Tx) error {
		tx.Delete(store.GuildEntriesKey(guild))
		return nil
	})
}

// removeAll runs transactions until one removes less than a batch. remove returns how many records it removed.
func (s *Guilds) removeAll(ctx context.Context, remove func(*store.Tx) (int, error)) error {
	for removed := removeBatch; removed == removeBatch; {
		err := store.Decide(ctx, s.Audit.Store, func(tx *store.Tx) (err error) {
			removed, err = remove(tx)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// removeBans deletes the bans that list returns.
func (s *Guilds) removeBans(ctx context.Context, list func(store.DirectoryQueries) ([]store.Ban, error)) error {
	return s.removeAll(ctx, func(tx *store.Tx) (int, error) {
		bans, err := list(tx.Directory)
		for _, b := range bans {
			tx.Delete(store.BanKey(b.Guild, b.User))
		}
		return len(bans), err
	})
}

// UserDeleted deletes the bans of a user, and the day of the last activity. Entries of audit logs stay when their user is deleted.
func (s *Guilds) UserDeleted(ctx context.Context, user snowflake.User) error {
	err := store.Decide(ctx, s.Audit.Store, func(tx *store.Tx) error {
		if _, err := tx.Directory.LastDay(user); err != nil {
			return orNone(err)
		}
		tx.Delete(store.LastDayKey(user))
		return nil
	})
	if err != nil {
		return err
	}
	return s.removeBans(ctx, func(q store.DirectoryQueries) ([]store.Ban, error) { return q.BansOf(user, removeBatch) })
}

// ApplicationDeleted deletes the bans of a bot. Entries of audit logs stay when their bot is deleted.
func (s *Guilds) ApplicationDeleted(ctx context.Context, app snowflake.Application) error {
	return s.UserDeleted(ctx, snowflake.User(app))
}

// ChannelDeleted does nothing. Entries of audit logs stay when their channel is deleted.
func (s *Guilds) ChannelDeleted(context.Context, store.Channel) error { return nil }
