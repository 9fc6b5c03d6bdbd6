package directory

import (
	"errors"
	"iter"
	"reflect"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/store"
)

// Kind describes one kind of record: how it is named, read, deleted and announced. The file of a record has its Kind.
type Kind[R store.Record] struct {
	// Name is the noun in the actions of the audit log, such as "role" in "role.create".
	Name string
	// Target names a record in the audit log, such as "guild/300/role/301". No two records have the same target.
	Target func(R) string
	// Key names the stored record.
	Key func(R) store.Key
	// Read returns the stored record with the key of its argument, or store.ErrNotFound.
	Read func(store.DirectoryQueries, R) (R, error)
	// Show returns what the audit log shows of a record, without secrets. nil hides the record.
	Show func(R) any
	// Events adds the events of a change. before is nil for a new record, after for a deleted one. store.ErrNotFound
	// means that the change has no events. Events is nil for a kind without events.
	Events func(e *Events, before, after *R) error
	// Deleted reports whether a tombstone is of an earlier record with the same id. Put waits until the removal of such a
	// record has finished. Deleted is nil for a kind without tombstones.
	Deleted func(R, store.Tombstone) bool
}

// Put stores a record and notes the change.
func (k *Kind[R]) Put(tx *Tx, r R) error {
	if k.Deleted != nil {
		gone, err := tx.tombstones()
		if err != nil {
			return err
		}
		for t := range gone {
			if k.Deleted(r, t) {
				return unfinishedError{t}
			}
		}
	}
	k.note(tx, r)
	return tx.Put(r)
}

// Replace puts a record unless it equals the stored one, and reports whether it did. old and err are the results of reading
// the stored one.
func (k *Kind[R]) Replace(tx *Tx, old R, err error, r R) (bool, error) {
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return false, err
	}
	if err == nil && reflect.DeepEqual(old, r) {
		return false, nil
	}
	return true, k.Put(tx, r)
}

// Delete deletes the stored record with the key of r and notes the change.
func (k *Kind[R]) Delete(tx *Tx, r R) {
	k.note(tx, r)
	tx.Delete(k.Key(r))
}

func (k *Kind[R]) note(tx *Tx, r R) {
	target := k.Target(r)
	if !tx.noted[target] {
		tx.noted[target] = true
		tx.changes = append(tx.changes, &changeOf[R]{kind: k, record: r})
	}
}

// change is a record that a transaction may change.
type change interface {
	// load reads the record before and after the writes of the transaction. It must be called before the methods below.
	load(tx *store.Tx) error
	// entry returns the entry of the audit log, and false when there is none.
	entry() (audit.Entry, bool)
	hasEvents() bool
	addEvents(e *Events) error
}

// ChangesOf returns the records of one kind that a transaction changes, before and after it. A side that does not exist is nil.
func ChangesOf[R store.Record](tx *Tx) iter.Seq2[*R, *R] {
	return func(yield func(before, after *R) bool) {
		for _, c := range tx.changes {
			if c, ok := c.(*changeOf[R]); ok && c.loaded && !yield(c.before, c.after) {
				return
			}
		}
	}
}

// changeOf is a change of one kind of record.
type changeOf[R store.Record] struct {
	kind          *Kind[R]
	record        R // has the key
	before, after *R
	loaded        bool
}

func (c *changeOf[R]) load(tx *store.Tx) error {
	if c.loaded {
		return nil
	}
	before, err := c.kind.Read(tx.Before.Directory, c.record)
	existed, err := found(before, err)
	if err != nil {
		return err
	}
	after, err := c.kind.Read(tx.Directory, c.record)
	exists, err := found(after, err)
	if err != nil {
		return err
	}
	if existed {
		c.before = &before
	}
	if exists {
		c.after = &after
	}
	c.loaded = true
	return nil
}

func (c *changeOf[R]) entry() (audit.Entry, bool) {
	e := audit.Entry{Action: c.kind.Name + ".update", Target: c.kind.Target(c.record)}
	if c.before != nil {
		e.Before = c.kind.Show(*c.before)
	}
	if c.after != nil {
		e.After = c.kind.Show(*c.after)
	}
	switch {
	case e.Before == nil && e.After == nil:
		return e, false
	case e.Before == nil:
		e.Action = c.kind.Name + ".create"
	case e.After == nil:
		e.Action = c.kind.Name + ".delete"
	}
	return e, true
}

func (c *changeOf[R]) hasEvents() bool { return c.kind.Events != nil }

func (c *changeOf[R]) addEvents(e *Events) error {
	if c.kind.Events == nil || c.before == nil && c.after == nil {
		return nil
	}
	return c.kind.Events(e, c.before, c.after)
}
