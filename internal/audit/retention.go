package audit

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store"
)

// removeInterval is the time between two removals of old entries.
const removeInterval = time.Hour

// GuildRetention is the time for which entries of the audit logs of guilds stay.
const GuildRetention = 45 * 24 * time.Hour

// Run removes old entries now and every hour until ctx ends.
func (l *Log) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		if err := store.Exclusively(ctx, l.Store, store.AuditCleanWork, 0, l.RemoveOld); err != nil && ctx.Err() == nil {
			l.Logger.ErrorContext(ctx, "old entries of the audit log not removed", "err", err)
		}
		clock.Wait(ctx, l.Clock, removeInterval)
	}
	return nil
}

// RemoveOld removes the entries that are older than the retention, and the oldest ones above the largest number. It does the
// same in the audit logs of guilds. All guilds together have at most the largest number.
func (l *Log) RemoveOld(ctx context.Context) error {
	if err := l.removeExcess(ctx); err != nil {
		return err
	}
	noNth := func(store.AuditQueries, int) (uint64, error) { return 0, nil }
	err := l.removeOld(ctx, cmp.Or(l.Settings.Retention, DefaultRetention), noNth, l.outdated)
	if err != nil {
		return err
	}
	if err := l.trim(ctx); err != nil {
		return err
	}
	return l.removeOld(ctx, GuildRetention, store.AuditQueries.NthOfGuilds, outdatedOfGuilds)
}

// removeExcess removes entries above the largest number: the oldest ones of the actors that have most. So the entries of one
// actor do not displace those of others.
func (l *Log) removeExcess(ctx context.Context) error {
	var actors []store.AuditActor
	err := l.Store.Read(ctx, func(r store.Reader) (err error) {
		actors, err = r.Audit.Actors()
		return err
	})
	share, over := fairShare(actors, cmp.Or(l.Settings.MaxEntries, DefaultMaxEntries))
	if err != nil {
		return err
	}
	for _, a := range over {
		err := store.RemoveAll(ctx, l.Store, func(tx *store.Tx, limit int) (int, error) {
			list, err := tx.Audit.Excess(a.Actor, share, limit)
			for _, id := range list {
				tx.Delete(store.AuditKey(id))
			}
			return len(list), cmp.Or(err, l.forget(tx, list))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// fairShare returns how many entries each actor keeps so that all keep at most a number of entries together, and the actors
// that have more than their share. Each actor keeps one entry in any case.
func fairShare(actors []store.AuditActor, most int) (share int, over []store.AuditActor) {
	slices.SortFunc(actors, func(a, b store.AuditActor) int { return cmp.Compare(a.Entries, b.Entries) })
	left := most
	for i, a := range actors {
		share = max(left/(len(actors)-i), 1)
		if a.Entries > share {
			return share, actors[i:]
		}
		left -= a.Entries
	}
	return share, nil
}

// outdated returns up to limit entries with ids below before. It removes them from the chain.
func (l *Log) outdated(tx *store.Tx, before uint64, limit int) ([]store.Key, error) {
	list, err := tx.Audit.Outdated(before, limit)
	keys := make([]store.Key, len(list))
	for i, id := range list {
		keys[i] = store.AuditKey(id)
	}
	return keys, cmp.Or(err, l.forget(tx, list))
}

// outdatedOfGuilds returns up to limit entries of guilds with ids below before.
func outdatedOfGuilds(tx *store.Tx, before uint64, limit int) ([]store.Key, error) {
	list, err := tx.Audit.OutdatedOfGuilds(before, limit)
	keys := make([]store.Key, len(list))
	for i, e := range list {
		keys[i] = store.GuildEntryKey(e.Guild, e.ID)
	}
	return keys, err
}

// removeOld removes the entries that are older than a retention, and the oldest ones above the largest number. nth returns the
// id of the nth newest entry.
func (l *Log) removeOld(
	ctx context.Context, retention time.Duration, nth func(store.AuditQueries, int) (uint64, error),
	outdated func(*store.Tx, uint64, int) ([]store.Key, error),
) error {
	before := IDAt(l.Clock.Now().Add(-retention))
	err := l.Store.Read(ctx, func(r store.Reader) error {
		last, err := nth(r.Audit, cmp.Or(l.Settings.MaxEntries, DefaultMaxEntries))
		before = max(before, last)
		return err
	})
	if err != nil {
		return err
	}
	return store.RemoveAll(ctx, l.Store, func(tx *store.Tx, limit int) (int, error) {
		keys, err := outdated(tx, before, limit)
		tx.Delete(keys...)
		return len(keys), err
	})
}
