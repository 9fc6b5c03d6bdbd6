package guilds

import (
	"context"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// GuildDeleted deletes the audit log of a guild and its bans.
func (s *Guilds) GuildDeleted(ctx context.Context, guild snowflake.Guild) error {
	err := store.RemoveAll(ctx, s.Audit.Store, func(tx *store.Tx, limit int) (int, error) {
		list, err := tx.Audit.OfGuild(guild, store.GuildAuditFilter{Oldest: true}, limit)
		for _, e := range list {
			tx.Delete(store.GuildEntryKey(guild, e.ID))
		}
		return len(list), err
	})
	if err != nil {
		return err
	}
	if err := s.deleteEvents(ctx, guild); err != nil {
		return err
	}
	err = s.removeBans(ctx, func(q store.DirectoryQueries, limit int) ([]store.Ban, error) { return q.Bans(guild, 0, limit) })
	if err != nil {
		return err
	}
	// Damaged entries are not in the list.
	return store.Decide(ctx, s.Audit.Store, func(tx *store.Tx) error {
		tx.Delete(store.GuildEntriesKey(guild))
		return nil
	})
}

// removeBans deletes the bans that list returns.
func (s *Guilds) removeBans(ctx context.Context, list func(store.DirectoryQueries, int) ([]store.Ban, error)) error {
	return store.RemoveAll(ctx, s.Audit.Store, func(tx *store.Tx, limit int) (int, error) {
		bans, err := list(tx.Directory, limit)
		for _, b := range bans {
			tx.Delete(store.BanKey(b.Guild, b.User))
		}
		return len(bans), err
	})
}

// UserDeleted deletes the bans and the interests of a user, and the day of the last activity. Entries of audit logs stay when their user is deleted.
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
	if err := s.forgetInterests(ctx, user); err != nil {
		return err
	}
	return s.removeBans(ctx, func(q store.DirectoryQueries, limit int) ([]store.Ban, error) { return q.BansOf(user, limit) })
}

// ApplicationDeleted deletes the bans of a bot. Entries of audit logs stay when their bot is deleted.
func (s *Guilds) ApplicationDeleted(ctx context.Context, app snowflake.Application) error {
	return s.UserDeleted(ctx, snowflake.User(app))
}

// ChannelDeleted ends the scheduled events in a channel. Entries of audit logs stay when their channel is deleted.
func (s *Guilds) ChannelDeleted(ctx context.Context, c store.Channel) error {
	if c.Guild == 0 {
		return nil
	}
	return s.Directory.Update(ctx, func(tx *directory.Tx) error {
		all, err := tx.Directory.ScheduledEvents(c.Guild)
		if err != nil {
			return err
		}
		for _, e := range all {
			next := convert.Event(e)
			if e.Channel != c.ID || next.Status.Ended() {
				continue
			}
			next.Cancel()
			if err := directory.ScheduledEventKind.Put(tx, convert.WithEvent(e, next)); err != nil {
				return err
			}
		}
		return nil
	})
}

// deleteEvents deletes the scheduled events of a guild.
func (s *Guilds) deleteEvents(ctx context.Context, guild snowflake.Guild) error {
	return store.Decide(ctx, s.Audit.Store, func(tx *store.Tx) error {
		all, err := tx.Directory.ScheduledEvents(guild)
		for _, e := range all {
			tx.Delete(store.ScheduledEventKey(e))
		}
		return err
	})
}

// forgetInterests makes a deleted user no longer interested in scheduled events.
func (s *Guilds) forgetInterests(ctx context.Context, user snowflake.User) error {
	return store.RemoveAll(ctx, s.Audit.Store, func(tx *store.Tx, limit int) (int, error) {
		list, err := tx.Directory.EventsOfUser(user, limit)
		for _, id := range list {
			e, err := tx.Directory.ScheduledEvent(id)
			if err != nil {
				return 0, err
			}
			e.Users--
			tx.Delete(store.EventUserKey(store.EventUser{Guild: e.Guild, Event: id, User: user}))
			if err := tx.Put(e); err != nil {
				return 0, err
			}
		}
		return len(list), err
	})
}
