package directory

import (
	"context"
	"errors"
	"time"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/snowflake"
)

// writer writes to the directory in one transaction. Its methods note which records change, so that events can be made
// of the changes.
type writer struct {
	*shared

	tx     *store.Tx
	world  worldWriter
	writes int // the number of records that were put or deleted

	changed        []changedRecord // each once, without action and before, in the order of the first writes
	known          map[changedRecord]bool
	reset          bool                // the whole store is replaced
	activities     []store.Application // whose activities are turned on or off
	deleted        []store.Tombstone   // whose dependent records are removed after the transaction
	tombstones     tombstones          // read by checkRemoved
	tombstonesRead bool

	audited []auditedRecord // each once
	watched map[string]bool // the targets of audited
	entries []audit.Entry   // of the audit log, beside those of audited
	bulk    bool            // the transaction is a part of a large file: the file is announced and recorded as a whole
	cascade bool            // the transaction removes what depends on a deleted record: the log has the deletion
}

// unfinishedError says that a record cannot be put because the removal of a deleted record with the same id has not
// finished.
type unfinishedError struct{ store.Tombstone }

func (unfinishedError) Error() string {
	return "the deletion of a record with the same id has not finished"
}

// apply runs a transaction that writes world records. decide may run more than once. When apply returns, the records
// that depend on deleted ones are removed.
func (s *shared) apply(ctx context.Context, decide func(*writer) error) (Applied, error) {
	for {
		var w *writer
		err := store.Decide(ctx, s.store, func(tx *store.Tx) error {
			w = s.newWriter(tx)
			if err := decide(w); err != nil {
				return err
			}
			return w.finish(ctx)
		})
		if old, ok := errors.AsType[unfinishedError](err); ok {
			if err := s.removals.remove(ctx, old.Tombstone); err != nil {
				return Applied{}, err
			}
			continue
		}
		if err != nil {
			return Applied{}, err
		}
		for _, t := range w.deleted {
			s.removals.removeOrLog(ctx, t)
		}
		return w.world.applied, nil
	}
}

// update runs a transaction, like apply.
func (s *shared) update(ctx context.Context, decide func(*writer) error) error {
	_, err := s.apply(ctx, decide)
	return err
}

func (s *shared) newWriter(tx *store.Tx) *writer {
	w := &writer{shared: s, tx: tx, known: map[changedRecord]bool{}}
	w.world = worldWriter{writer: w, now: s.clock.Now().UTC().Truncate(time.Millisecond)}
	return w
}

// finish calls OnActivities, records the changes in the audit log and announces them.
func (w *writer) finish(ctx context.Context) error {
	for _, app := range w.activities {
		if w.onActivities == nil {
			break
		}
		if err := w.onActivities(w.tx, app); err != nil {
			return err
		}
	}
	if !w.cascade {
		if err := w.writeAudit(ctx); err != nil {
			return err
		}
	}
	return w.announce()
}

// maxChanges is the largest number of changes that are announced one by one. After more changes, sessions reload
// everything.
const maxChanges = 1000

// announce adds the events of the changes to the transaction.
func (w *writer) announce() error {
	switch {
	case w.bulk:
		return nil
	case w.reset || len(w.changed) > maxChanges:
		w.tx.Announce(store.Event{
			Subject: store.TombstonesSubject(), // the one subject that belongs to the whole directory
			Event:   events.Event{Change: &events.Change{Everything: true, Recheck: w.reset}},
		})
		return nil
	}
	changes, err := w.changes()
	if err != nil {
		return err
	}
	list, err := eventsOf(w.tx.Reader, changes)
	if err != nil {
		return err
	}
	w.tx.Announce(list...)
	return nil
}

// note remembers that a record changes.
func (w *writer) note(c changedRecord) {
	if !w.known[c] && !w.bulk {
		w.known[c] = true
		w.changed = append(w.changed, c)
	}
}

// put stores records of the directory.
func (w *writer) put(records ...store.Record) error {
	for _, r := range records {
		if err := w.notePut(r); err != nil {
			return err
		}
		w.watch(r)
	}
	return w.putSilently(records...)
}

// putSilently stores records without events.
func (w *writer) putSilently(records ...store.Record) error {
	w.writes += len(records)
	return w.tx.Put(records...)
}

func (w *writer) notePut(r store.Record) error {
	switch r := r.(type) {
	case store.User:
		w.note(changedRecord{kind: userRecordKind, user: r.ID})
		return w.checkRemoved(uint64(r.ID), store.KindUser, store.KindApplication)
	case store.Application:
		old, err := w.tx.Directory.Application(r.ID)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		if old.Activities != r.Activities {
			w.activities = append(w.activities, r)
		}
		w.note(changedRecord{kind: userRecordKind, user: snowflake.User(r.ID)})
		return w.checkRemoved(uint64(r.ID), store.KindUser, store.KindApplication)
	case store.Guild:
		w.note(changedRecord{kind: guildRecordKind, guild: r.ID})
		return w.checkRemoved(uint64(r.ID), store.KindGuild)
	case store.Role:
		w.note(changedRecord{kind: roleRecordKind, guild: r.Guild, role: r.ID})
		return w.checkRemoved(uint64(r.ID), store.KindRole)
	case store.Channel:
		w.note(changedRecord{kind: channelRecordKind, guild: r.Guild, channel: r.ID})
		return w.checkRemoved(uint64(r.ID), store.KindChannel)
	case store.Member:
		w.note(changedRecord{kind: memberRecordKind, guild: r.Guild, user: r.User})
	case store.Install:
		if r.Guild != 0 {
			w.note(changedRecord{kind: installRecordKind, guild: r.Guild, application: r.Application})
		}
	}
	return nil
}

// checkRemoved returns an unfinishedError when records of a deleted record with the same id are left.
func (w *writer) checkRemoved(id uint64, kinds ...store.Kind) error {
	if !w.tombstonesRead {
		var err error
		if w.tombstones, err = readTombstones(w.tx.Directory); err != nil {
			return err
		}
		w.tombstonesRead = true
	}
	for t := range w.tombstones {
		for _, kind := range kinds {
			if t.ID == id && t.Kind == kind {
				return unfinishedError{t}
			}
		}
	}
	return nil
}

// delete removes records without events.
func (w *writer) delete(keys ...store.Key) {
	w.writes += len(keys)
	w.tx.Delete(keys...)
}

func (w *writer) deleteGuild(id snowflake.Guild) {
	w.note(changedRecord{kind: guildRecordKind, guild: id})
	w.watch(store.Guild{ID: id})
	w.delete(store.GuildKey(id))
}

func (w *writer) deleteRole(guild snowflake.Guild, id snowflake.Role) {
	w.note(changedRecord{kind: roleRecordKind, guild: guild, role: id})
	w.watch(store.Role{Guild: guild, ID: id})
	w.delete(store.RoleKey(guild, id))
}

func (w *writer) deleteChannel(c store.Channel) {
	w.note(changedRecord{kind: channelRecordKind, guild: c.Guild, channel: c.ID})
	w.watch(c)
	w.delete(store.ChannelKey(c))
}

func (w *writer) deleteMember(guild snowflake.Guild, user snowflake.User) {
	w.note(changedRecord{kind: memberRecordKind, guild: guild, user: user})
	w.watch(store.Member{Guild: guild, User: user})
	w.delete(store.MemberKey(guild, user))
}

// deleteInstall removes an install in a guild.
func (w *writer) deleteInstall(guild snowflake.Guild, app snowflake.Application) {
	w.note(changedRecord{kind: installRecordKind, guild: guild, application: app})
	w.watch(store.Install{Guild: guild, Application: app})
	w.delete(store.InstallKey(store.Install{Guild: guild, Application: app}))
}

// putTombstone stores a tombstone. After the transaction, the records that depend on the deleted record are removed.
func (w *writer) putTombstone(t store.Tombstone) error {
	w.deleted = append(w.deleted, t)
	return w.putSilently(t)
}
