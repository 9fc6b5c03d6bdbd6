package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/metrics"
)

// maxDecisions bounds how often Decide runs a decision when concurrent writes change what it read.
const maxDecisions = 64

// Decide runs decide, which reads a snapshot and collects a change in its Tx, and commits the change. The commit
// succeeds if no subject that decide read or wrote has changed. Otherwise decide runs again on a new snapshot, so it
// must have no side effects except on its Tx. Decide returns an error of decide unchanged, and changes nothing then.
func Decide(ctx context.Context, s Store, decide func(*Tx) error) error {
	for n := range maxDecisions {
		if n > 1 { // a random pause lets concurrent decisions commit first
			clock.Pause(ctx, time.Duration(rand.Int64N(int64(n)*int64(time.Millisecond))))
		}
		var c Change
		reading, span := metrics.StartSpan(ctx, "store read", metrics.InternalSpan)
		err := s.Read(reading, func(r Reader) error {
			tx := newTx(r)
			if err := decide(tx); err != nil {
				return err
			}
			var err error
			c, err = tx.change()
			return err
		})
		span.End()
		if err != nil {
			return err
		}
		if c.Empty() {
			return nil
		}
		committing, span := metrics.StartSpan(ctx, "store commit", metrics.InternalSpan)
		err = s.Commit(committing, c)
		span.Fail(err)
		span.End()
		if !errors.Is(err, ErrStale) {
			return err
		}
	}
	return fmt.Errorf("%w: concurrent writes made a decision fail %d times", ErrUnavailable, maxDecisions)
}

// Tx is a decision in progress. It reads a snapshot, sees its own writes, and collects a change.
type Tx struct {
	Reader        // sees the writes of the decision
	Before Reader // sees the snapshot without the writes of the decision

	draft   Change
	puts    []rowKey // the main row of each record in draft.Put
	own     overlay
	seen    map[Subject]bool // subjects that were read
	written map[Subject]bool // subjects that the decision writes to; true when it removes the subject
}

func newTx(r Reader) *Tx {
	tx := &Tx{seen: map[Subject]bool{}, written: map[Subject]bool{}}
	onRead := func(s Subject) { tx.seen[s] = true }
	tx.Reader = newReader(&reader{q: r.core.q, own: &tx.own, onRead: onRead, damage: r.core.damage})
	tx.Before = newReader(&reader{q: r.core.q, onRead: onRead, damage: r.core.damage})
	return tx
}

// Put stores records. Each replaces the record with the same key.
func (tx *Tx) Put(records ...Record) error {
	for _, r := range records {
		for _, s := range r.subjects() {
			tx.written[s] = false
		}
		w := writes{own: &tx.own}
		r.write(&w)
		if w.err != nil {
			return w.err
		}
		tx.draft.Put = append(tx.draft.Put, r)
		tx.puts = append(tx.puts, w.main)
	}
	return nil
}

// Delete removes records, including those that the decision has put. It ignores records that do not exist.
func (tx *Tx) Delete(keys ...Key) {
	for _, k := range keys {
		for _, s := range k.subs {
			touch(tx.written, s)
		}
		for _, s := range k.ends {
			tx.written[s] = true
		}
		k.write(&writes{own: &tx.own})
		tx.draft.Delete = append(tx.draft.Delete, k)
		tx.unput(k)
	}
}

// unput removes records that a key names from the puts, because a change applies deletes before puts. It also deletes
// the stored row with the same primary key: k may not match that row, because the put may have changed the columns that
// k names.
func (tx *Tx) unput(k Key) {
	for i, main := range slices.Backward(tx.puts) {
		if slices.ContainsFunc(k.rows, func(d rowKey) bool { return d.table == main.table && d.matches(main.values) }) {
			tx.puts = slices.Delete(tx.puts, i, i+1)
			tx.draft.Put = slices.Delete(tx.draft.Put, i, i+1)
			t := main.table
			tx.draft.Delete = append(tx.draft.Delete, Key{rows: []rowKey{{t, t.columns[:t.keys], main.values[:t.keys]}}})
		}
	}
}

// Len returns how many records the decision has put and deleted.
func (tx *Tx) Len() int { return len(tx.draft.Put) + len(tx.draft.Delete) }

// Touch gives subjects a new revision without writing a record. Concurrent decisions that depend on them run again.
func (tx *Tx) Touch(subjects ...Subject) {
	for _, s := range subjects {
		touch(tx.written, s)
	}
}

// End removes subjects that have no record, such as the list of a user's memberships.
func (tx *Tx) End(subjects ...Subject) { tx.Delete(Key{ends: subjects}) }

// Announce adds events to the change, and writes to their subjects.
func (tx *Tx) Announce(list ...Event) {
	for _, e := range list {
		tx.Touch(e.Subject)
	}
	tx.draft.Events = append(tx.draft.Events, list...)
}

// Clear removes all records except node numbers. A decision calls it first.
func (tx *Tx) Clear() {
	tx.draft.Clear = true
	tx.own.clear()
}

// change returns the change with the revisions that it expects.
func (tx *Tx) change() (Change, error) {
	c := tx.draft
	if len(c.Put)+len(c.Delete)+len(tx.written) == 0 && !c.Clear {
		return Change{}, nil
	}
	subjects := slices.SortedFunc(maps.Keys(tx.written), Subject.Compare)
	writes := len(subjects)
	for _, s := range slices.SortedFunc(maps.Keys(tx.seen), Subject.Compare) {
		if _, written := tx.written[s]; !written && !c.clears(s) {
			subjects = append(subjects, s)
		}
	}
	revisions, err := tx.Revisions(subjects...)
	if err != nil {
		return Change{}, err
	}
	for i, s := range subjects {
		e := Expectation{Subject: s, Revision: revisions[i], Ends: tx.written[s]}
		if c.clears(s) {
			e.Revision = 0
		}
		if i < writes {
			c.Expect = append(c.Expect, e)
		} else {
			c.Check = append(c.Check, e)
		}
	}
	return c, nil
}

// clears reports whether Clear removes a subject.
func (c *Change) clears(s Subject) bool { return c.Clear && s.Kind != KindNode }

// Empty reports whether the change does nothing.
func (c *Change) Empty() bool {
	return !c.Clear && len(c.Expect)+len(c.Put)+len(c.Delete)+len(c.Events) == 0
}
