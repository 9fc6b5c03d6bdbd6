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
)

// maxDecisions bounds how often Decide runs a decision that keeps meeting concurrent writes.
const maxDecisions = 64

// Decide lets decide read a snapshot and say what to change, and commits that. The commit expects every subject that
// decide read or wrote to be as it was. When one is not, decide runs again on a new snapshot, so it has no side effects
// but on its Tx. An error of decide is returned as it is, and nothing is changed.
func Decide(ctx context.Context, s Store, decide func(*Tx) error) error {
	for n := range maxDecisions {
		if n > 1 { // let the others finish; callers that met each other do not meet again
			clock.Pause(ctx, time.Duration(rand.Int64N(int64(n)*int64(time.Millisecond)))) //nolint:gosec // a pause is no secret
		}
		var c Change
		err := s.Read(ctx, func(r Reader) error {
			tx := newTx(r)
			if err := decide(tx); err != nil {
				return err
			}
			var err error
			c, err = tx.change()
			return err
		})
		if err != nil {
			return err
		}
		if c.Empty() {
			return nil
		}
		if err := s.Commit(ctx, c); !errors.Is(err, ErrStale) {
			return err
		}
	}
	return fmt.Errorf("%w: %d decisions in a row met concurrent writes", ErrUnavailable, maxDecisions)
}

// Tx is a decision that is being made: it reads a snapshot, sees its own writes, and collects a change.
type Tx struct {
	Reader        // sees what the decision has written
	Before Reader // does not

	draft   Change
	puts    []rowKey // the main row of each record in draft.Put
	own     overlay
	seen    map[Subject]bool // that were read
	written map[Subject]bool // that are written to; true: they end
}

func newTx(r Reader) *Tx {
	tx := &Tx{seen: map[Subject]bool{}, written: map[Subject]bool{}}
	saw := func(s Subject) { tx.seen[s] = true }
	tx.Reader = newReader(&reader{q: r.core.q, own: &tx.own, saw: saw})
	tx.Before = newReader(&reader{q: r.core.q, saw: saw})
	return tx
}

// Put stores records, each in place of the one with the same key.
func (tx *Tx) Put(records ...Record) error {
	for _, r := range records {
		for _, s := range r.subjects() {
			tx.written[s] = false
		}
		w := writes{noted: &tx.own}
		r.write(&w)
		if w.err != nil {
			return w.err
		}
		tx.draft.Put = append(tx.draft.Put, r)
		tx.puts = append(tx.puts, w.main)
	}
	return nil
}

// Delete removes records, also those that the decision has put. Those that do not exist are no error.
func (tx *Tx) Delete(keys ...Key) {
	for _, k := range keys {
		for _, s := range k.subs {
			touch(tx.written, s)
		}
		for _, s := range k.ends {
			tx.written[s] = true
		}
		k.write(&writes{noted: &tx.own})
		tx.draft.Delete = append(tx.draft.Delete, k)
		tx.unput(k)
	}
}

// unput takes back the puts of records that a key names: in a change, deletes come before puts. The stored row with the
// same key goes too. The key may not match it: the put may have changed the columns that the key names.
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

// Touch writes to subjects without a record of theirs: whatever depends on them is decided again.
func (tx *Tx) Touch(subjects ...Subject) {
	for _, s := range subjects {
		touch(tx.written, s)
	}
}

// End removes subjects that have no record of their own, such as the list of a user's memberships.
func (tx *Tx) End(subjects ...Subject) { tx.Delete(Key{ends: subjects}) }

// Announce records events with the change. Each is about a subject that the change writes to.
func (tx *Tx) Announce(list ...Event) {
	for _, e := range list {
		tx.Touch(e.Subject)
	}
	tx.draft.Events = append(tx.draft.Events, list...)
}

// Clear removes every record but the node numbers. It comes first in a decision.
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

// clears reports whether the change removes a subject before everything else.
func (c *Change) clears(s Subject) bool { return c.Clear && s.Kind != KindNode }

// Empty reports whether the change does nothing.
func (c *Change) Empty() bool {
	return !c.Clear && len(c.Expect)+len(c.Put)+len(c.Delete)+len(c.Events) == 0
}
