// Package store keeps the state of the service. It defines the records, the subjects that they belong to, and the one
// way to write: a decision reads a snapshot and commits a Change that names the revisions it expects. Packages sqlite
// and postgres are the engines, package storetest is the suite that both pass.
package store

import (
	"context"
	"errors"
)

// Errors of the store.
var (
	// ErrNotFound says that there is no such record.
	ErrNotFound = errors.New("not found")
	// ErrStale says that a subject is no longer at the revision that a change expects. Nothing was changed.
	ErrStale = errors.New("stale revision")
	// ErrConflict says that a record violates a unique constraint of the store. Nothing was changed.
	ErrConflict = errors.New("conflict")
	// ErrUnavailable says that the engine did not answer in time, has no room on its disk, or is closed. Nothing was
	// changed, unless the error is ErrUnsure too.
	ErrUnavailable = errors.New("store unavailable")
	// ErrUnsure says that the engine failed during a commit and did not recover in time, so it is unknown whether the
	// change was stored. The error is ErrUnavailable too.
	ErrUnsure = errors.New("outcome of a commit unknown")
	// ErrNoRoom, ErrReadOnly and ErrDisk say why a write failed: the disk of the engine is full, the engine accepts no
	// writes, or the disk failed. The error is ErrUnavailable too.
	ErrNoRoom   = errors.New("disk full")
	ErrReadOnly = errors.New("read-only")
	ErrDisk     = errors.New("disk error")
	// ErrDamaged says that the stored data is not what was written: a checksum is wrong, or the engine found its file
	// corrupt. DamagedRowError names the row.
	ErrDamaged = errors.New("stored data is damaged")
)

// Store keeps records. It is safe for concurrent use. Every call ends within a few seconds, with ErrUnavailable if the
// engine does not answer.
type Store interface {
	// Read runs fn on one snapshot that contains every commit acknowledged before the call. fn must be short, must not
	// call the store, and must not keep the Reader.
	Read(ctx context.Context, fn func(Reader) error) error
	// Load runs fn, which reads the state of a subject, on one snapshot like Read, and returns the revision of the subject
	// in the snapshot. With ErrUnavailable the revision is unknown.
	Load(ctx context.Context, subject Subject, fn func(Reader) error) (revision uint64, err error)
	// Commit applies a change completely or not at all. It returns ErrStale when a subject is no longer at the revision
	// that the change expects; the caller loads the subject and decides again.
	Commit(ctx context.Context, c Change) error
	// Revisions returns the revision of each subject, 0 for subjects that do not exist. All are read at one moment after
	// the call began. Concurrent calls share one query.
	Revisions(ctx context.Context, subjects ...Subject) ([]uint64, error)
	// Shared reports whether other processes write to the store, so that earlier results may be out of date.
	Shared() bool
	// Subscribe makes the store call fn with every change that this process commits, before Commit returns. When the store
	// is not shared, fn also returns before a Read returns that saw the change, and fn gets the changes of one subject in
	// the order of their revisions. fn must not block and must not call the store. Call Subscribe before the first commit.
	Subscribe(fn func(*Change))
	// Ping reports whether the engine answers, and returns ErrNewerSchema when a later version of the program has migrated
	// a shared store.
	Ping(ctx context.Context) error
	// Close waits for the calls in progress and closes the store. Later calls return ErrUnavailable.
	Close() error
}
