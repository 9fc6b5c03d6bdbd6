package audit

import (
	"cmp"
	"context"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store"
)

// Removal of old entries.
const (
	removeInterval = time.Hour
	removeBatch    = 256 // entries in one commit, so that other writes do not wait long
)

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

// RemoveOld removes the entries that are older than the retention, and the oldest ones above the largest number.
func (l *Log) RemoveOld(ctx context.Context) error {
	before, err := l.oldest(ctx)
	if err != nil {
		return err
	}
	for ctx.Err() == nil {
		removed := 0
		err := store.Decide(ctx, l.Store, func(tx *store.Tx) error {
			list, err := tx.Audit.Outdated(before, removeBatch)
			removed = len(list)
			for _, id := range list {
				tx.Delete(store.AuditKey(id))
			}
			return err
		})
		if err != nil || removed < removeBatch {
			return err
		}
	}
	return ctx.Err()
}

// oldest returns the id of the oldest entry that stays.
func (l *Log) oldest(ctx context.Context) (uint64, error) {
	before := IDAt(l.Clock.Now().Add(-cmp.Or(l.Settings.Retention, DefaultRetention)))
	err := l.Store.Read(ctx, func(r store.Reader) error {
		last, err := r.Audit.Nth(cmp.Or(l.Settings.MaxEntries, DefaultMaxEntries))
		before = max(before, last)
		return err
	})
	return before, err
}
