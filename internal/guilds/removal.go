package guilds

import (
	"context"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// removeBatch bounds how many entries are removed in one commit, so that other writes do not wait long.
const removeBatch = 256

// GuildDeleted deletes the audit log of a guild.
func (s *Guilds) GuildDeleted(ctx context.Context, guild snowflake.Guild) error {
	for removed := removeBatch; removed == removeBatch; {
		err := store.Decide(ctx, s.Audit.Store, func(tx *store.Tx) error {
			list, err := tx.Audit.OfGuild(guild, store.GuildAuditFilter{Oldest: true}, removeBatch)
			removed = len(list)
			for _, e := range list {
				tx.Delete(store.GuildEntryKey(guild, e.ID))
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	// Damaged entries are not in the list.
	return store.Decide(ctx, s.Audit.Store, func(tx *store.Tx) error {
		tx.Delete(store.GuildEntriesKey(guild))
		return nil
	})
}

// UserDeleted does nothing. Entries of audit logs stay when their user is deleted.
func (s *Guilds) UserDeleted(context.Context, snowflake.User) error { return nil }

// ApplicationDeleted does nothing. Entries of audit logs stay when their bot is deleted.
func (s *Guilds) ApplicationDeleted(context.Context, snowflake.Application) error { return nil }

// ChannelDeleted does nothing. Entries of audit logs stay when their channel is deleted.
func (s *Guilds) ChannelDeleted(context.Context, store.Channel) error { return nil }
