package directory

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store"
)

// Tx is a decision on the directory in progress: a store.Tx that knows which records of the directory change. Put and
// Delete of a Kind note a change, so that it is announced and recorded in the audit log. Put and Delete of store.Tx note
// nothing.
type Tx struct {
	*store.Tx

	changes    []change        // each record once, in the order of the first writes
	noted      map[string]bool // the targets of changes
	entries    []audit.Entry   // of the audit log, in addition to those of changes
	inGuilds   []audit.GuildEntry
	deleted    []store.Tombstone
	tombstones func() (Tombstones, error) // reads them once
	threads    func(*Tx) error            // may be nil
}

func newTx(tx *store.Tx) *Tx {
	read := func() (Tombstones, error) { return ReadTombstones(tx.Directory) }
	return &Tx{Tx: tx, noted: map[string]bool{}, tombstones: sync.OnceValues(read)}
}

// removalPause is the pause between looks at a removal that another node does.
const removalPause = 10 * time.Millisecond

// Update runs decide in a transaction, announces the changes that decide notes, and records them in the audit log. decide
// may run more than once. When Update returns, the records that depend on deleted ones are removed.
func (s *shared) Update(ctx context.Context, decide func(*Tx) error) error {
	for attempt := 0; ; attempt++ {
		if attempt > 1 { // another node removes the records
			clock.Pause(ctx, removalPause)
		}
		var deleted []store.Tombstone
		err := store.Decide(ctx, s.store, func(t *store.Tx) error {
			tx := newTx(t)
			if err := decide(tx); err != nil {
				return err
			}
			deleted, tx.threads = tx.deleted, s.threads
			return tx.record(ctx, s.log)
		})
		if old, ok := errors.AsType[unfinishedError](err); ok {
			if err := s.removals.remove(ctx, old.Tombstone); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return err
		}
		for _, t := range deleted {
			s.removals.removeOrLog(ctx, t)
		}
		return nil
	}
}

// record adds the entries of the audit logs and the events of the changes.
func (tx *Tx) record(ctx context.Context, log *audit.Log) error {
	if err := tx.writeAudit(ctx, log); err != nil {
		return err
	}
	if err := tx.announce(); err != nil {
		return err
	}
	for _, e := range tx.inGuilds { // after the events about the objects
		if err := log.AddToGuildIn(ctx, tx.Tx, e); err != nil {
			return err
		}
	}
	return nil
}

// Forget drops the changes and entries that were noted so far. Update neither announces nor records them. A decision
// calls it to add events and entries that describe its change as a whole.
func (tx *Tx) Forget() {
	tx.changes, tx.entries = nil, nil
	clear(tx.noted)
}

// unfinishedError says that a record cannot be put because the removal of a deleted record with the same id has not
// finished.
type unfinishedError struct{ store.Tombstone }

func (unfinishedError) Error() string {
	return "the deletion of a record with the same id has not finished"
}

// putTombstone stores a tombstone. After the transaction, the records that depend on the deleted record are removed.
func (tx *Tx) putTombstone(t store.Tombstone) error {
	tx.deleted = append(tx.deleted, t)
	return tx.Put(t)
}
