package directory

import (
	"context"
	"errors"
	"time"

	"github.com/bellhop/bellhop/internal/events"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// work is one decision about the directory. Everything that it writes goes through its methods, which note what changes.
type work struct {
	*Directory

	tx     *store.Tx
	ledger Writer
	writes int // how many records were put or deleted

	noted    []Change // without How and Was, each once, in the order in which they were written first
	known    map[Change]bool
	reset    bool                // everything is replaced
	switched []store.Application // their activities
	deleted  []store.Tombstone   // what has to be removed after the decision
	gone     Tombstones
	goneRead bool
}

// unfinished says that a decision puts a record whose predecessor with the same id is still being removed.
type unfinished struct{ store.Tombstone }

func (unfinished) Error() string { return "the deletion of a record with the same id has not finished" }

// update makes a decision. Rows that depend on what it deletes are removed when update returns.
func (d *Directory) update(ctx context.Context, decide func(*work) error) (Applied, error) {
	for {
		var w *work
		err := store.Decide(ctx, d.Store, func(tx *store.Tx) error {
			w = d.begin(tx)
			if err := decide(w); err != nil {
				return err
			}
			return w.finish()
		})
		if old, ok := errors.AsType[unfinished](err); ok {
			if err := d.remove(ctx, old.Tombstone); err != nil {
				return Applied{}, err
			}
			continue
		}
		if err != nil {
			return Applied{}, err
		}
		for _, t := range w.deleted {
			d.removeOrLog(ctx, t)
		}
		return w.ledger.Applied, nil
	}
}

// change runs a decision that has no result but its error.
func (d *Directory) change(ctx context.Context, decide func(*work) error) error {
	_, err := d.update(ctx, decide)
	return err
}

func (d *Directory) begin(tx *store.Tx) *work {
	w := &work{Directory: d, tx: tx, known: map[Change]bool{}}
	w.ledger = Writer{Tx: tx, Put: w.put, IDs: d.IDs, Now: d.Clock.Now().UTC().Truncate(time.Millisecond)}
	return w
}

// finish ends a decision with what follows from the records that it wrote.
func (w *work) finish() error {
	for _, app := range w.switched {
		if w.OnActivities == nil {
			break
		}
		if err := w.OnActivities(w.tx, app); err != nil {
			return err
		}
	}
	return w.announce()
}

// maxChanges is how many changes of one decision are announced one by one. After more of them sessions look at everything
// again.
const maxChanges = 1000

// announce records events for what the decision changes.
func (w *work) announce() error {
	if w.reset || len(w.noted) > maxChanges {
		w.tx.Announce(store.Event{
			Subject: store.TombstonesSubject(), // the one subject that is about the directory as a whole
			Event:   events.Event{Change: &events.Change{Everything: true, Recheck: w.reset}},
		})
		return nil
	}
	if w.Describe == nil {
		return nil
	}
	changes, err := w.changes()
	if err != nil {
		return err
	}
	list, err := w.Describe(w.tx.Reader, changes)
	if err != nil {
		return err
	}
	w.tx.Announce(list...)
	return nil
}

// note remembers that a record is written to. c does not say how.
func (w *work) note(c Change) {
	if !w.known[c] {
		w.known[c] = true
		w.noted = append(w.noted, c)
	}
}

// put stores records of the directory.
func (w *work) put(records ...store.Record) error {
	for _, r := range records {
		if err := w.notePut(r); err != nil {
			return err
		}
	}
	return w.putSilently(records...)
}

// putSilently stores records without an event.
func (w *work) putSilently(records ...store.Record) error {
	w.writes += len(records)
	return w.tx.Put(records...)
}

func (w *work) notePut(r store.Record) error {
	switch r := r.(type) {
	case store.User:
		w.note(Change{What: ThisUser, User: r.ID})
		return w.removed(uint64(r.ID), store.KindUser, store.KindApplication)
	case store.Application:
		old, err := w.tx.Directory.Application(r.ID)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		if old.Activities != r.Activities {
			w.switched = append(w.switched, r)
		}
		w.note(Change{What: ThisUser, User: snowflake.User(r.ID)})
		return w.removed(uint64(r.ID), store.KindUser, store.KindApplication)
	case store.Guild:
		w.note(Change{What: ThisGuild, Guild: r.ID})
		return w.removed(uint64(r.ID), store.KindGuild)
	case store.Role:
		w.note(Change{What: ThisRole, Guild: r.Guild, Role: r.ID})
		return w.removed(uint64(r.ID), store.KindRole)
	case store.Channel:
		w.note(Change{What: ThisChannel, Guild: r.Guild, Channel: r.ID})
		return w.removed(uint64(r.ID), store.KindChannel)
	case store.Member:
		w.note(Change{What: ThisMember, Guild: r.Guild, User: r.User})
	case store.Install:
		if r.Guild != 0 {
			w.note(Change{What: ThisInstall, Guild: r.Guild, Application: r.Application})
		}
	}
	return nil
}

// removed refuses an id as long as rows of a deleted record with that id are left.
func (w *work) removed(id uint64, kinds ...store.Kind) error {
	if !w.goneRead {
		var err error
		if w.gone, err = ReadTombstones(w.tx.Directory); err != nil {
			return err
		}
		w.goneRead = true
	}
	for t := range w.gone {
		for _, kind := range kinds {
			if t.ID == id && t.Kind == kind {
				return unfinished{t}
			}
		}
	}
	return nil
}

// delete removes records without an event.
func (w *work) delete(keys ...store.Key) {
	w.writes += len(keys)
	w.tx.Delete(keys...)
}

func (w *work) deleteGuild(id snowflake.Guild) {
	w.note(Change{What: ThisGuild, Guild: id})
	w.delete(store.GuildKey(id))
}

func (w *work) deleteRole(guild snowflake.Guild, id snowflake.Role) {
	w.note(Change{What: ThisRole, Guild: guild, Role: id})
	w.delete(store.RoleKey(guild, id))
}

func (w *work) deleteChannel(c store.Channel) {
	w.note(Change{What: ThisChannel, Guild: c.Guild, Channel: c.ID})
	w.delete(store.ChannelKey(c))
}

func (w *work) deleteMember(guild snowflake.Guild, user snowflake.User) {
	w.note(Change{What: ThisMember, Guild: guild, User: user})
	w.delete(store.MemberKey(guild, user))
}

// deleteInstall removes an install in a guild.
func (w *work) deleteInstall(guild snowflake.Guild, app snowflake.Application) {
	w.note(Change{What: ThisInstall, Guild: guild, Application: app})
	w.delete(store.InstallKey(store.Install{Guild: guild, Application: app}))
}

// bury leaves a tombstone: what depends on a deleted record is removed after the decision.
func (w *work) bury(t store.Tombstone) error {
	w.deleted = append(w.deleted, t)
	return w.putSilently(t)
}
