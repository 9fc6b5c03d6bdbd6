// Package registry keeps the commands of applications and who may use them: it reads, creates, edits, replaces and
// deletes commands, holds their numbers and daily creates to the limits, reads and replaces permission sets, and shows
// both from memory. It knows nothing of HTTP.
package registry

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"

	"github.com/bellhop/bellhop/command"
	held "github.com/bellhop/bellhop/internal/cache"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/latest"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// What the registry refuses. Findings on a definition are a *problem.Tree, counts a *command.LimitError, daily creates a
// *command.QuotaError.
var (
	ErrUnknownCommand    = errors.New("unknown command")
	ErrNameTaken         = errors.New("a command of that name and type exists already")
	ErrEntryPointDropped = command.ErrEntryPointDropped
)

// IDs makes ids that only grow.
type IDs interface {
	// Run returns the first of n consecutive new ids.
	Run(n int) uint64
	// Observe makes every later id larger than the given one.
	Observe(id uint64)
}

// Registry keeps the commands of applications. It is safe for concurrent use. A write is on disk and seen by every later
// read when it returns.
type Registry struct {
	// Events is told of permission sets that were put. It may be nil.
	Events Announcer

	store  store.Store
	shared bool // other processes write to it
	clock  clock.Clock
	ids    IDs
	cache  *latest.Cache[command.Scope, snapshot]

	overwrites held.Sized[setsKey, *Sets]
	editing    turns
}

// DefaultCacheBytes is how much memory the lists and definitions in use may take.
const DefaultCacheBytes = 1 << 30

// New returns a registry over a store that keeps at most cacheBytes of it in memory.
func New(s store.Store, c clock.Clock, ids IDs, cacheBytes int) *Registry {
	return NewShared(s, c, ids, cacheBytes, nil)
}

// NewShared is New for a store that other processes write to. fresh reports whether what is in memory can be shown: they
// were able to have it forgotten.
func NewShared(s store.Store, c clock.Clock, ids IDs, cacheBytes int, fresh func() bool) *Registry {
	return &Registry{
		store: s, shared: fresh != nil, clock: c, ids: ids, editing: turns{seed: maphash.MakeSeed()}, overwrites: held.Sized[setsKey, *Sets]{Fresh: fresh},
		cache: latest.New(latest.Config[command.Scope, snapshot]{
			Store: s, Read: readSnapshot, Revision: func(s *snapshot) uint64 { return s.revision }, Size: (*snapshot).size, Budget: cacheBytes,
			Fresh: fresh,
		}),
	}
}

// List returns the commands of a scope in ascending order of ids, as a JSON list. The caller does not change it.
func (r *Registry) List(ctx context.Context, scope command.Scope, v View) ([]byte, error) {
	s, err := r.snapshot(ctx, scope)
	if err != nil {
		return nil, err
	}
	body, made, err := s.list(v)
	if err != nil {
		return nil, fmt.Errorf("list commands of %v: %w", scope, err)
	}
	if made > 0 {
		r.cache.Grow(scope, made)
	}
	return body, nil
}

// Commands returns the commands of a scope in ascending order of ids. The caller does not change them.
func (r *Registry) Commands(ctx context.Context, scope command.Scope) ([]*command.Command, error) {
	s, err := r.snapshot(ctx, scope)
	if err != nil {
		return nil, err
	}
	return s.commands, nil
}

// Quota returns how many commands were created in a scope in its running day, which may have ended.
func (r *Registry) Quota(ctx context.Context, scope command.Scope) (command.Quota, error) {
	snap, err := r.snapshot(ctx, scope)
	if err != nil {
		return command.Quota{}, err
	}
	return snap.quota, nil
}

// Command returns one command.
func (r *Registry) Command(ctx context.Context, scope command.Scope, id snowflake.Command) (*command.Command, error) {
	s, err := r.snapshot(ctx, scope)
	if err != nil {
		return nil, err
	}
	if c := s.byID(id); c != nil {
		return c, nil
	}
	return nil, ErrUnknownCommand
}

// snapshot returns the scope's state: everything acknowledged before the call.
func (r *Registry) snapshot(ctx context.Context, scope command.Scope) (*snapshot, error) {
	s, err := r.cache.Get(ctx, scope)
	if err != nil {
		return nil, fmt.Errorf("read commands of %v: %w", scope, err)
	}
	return s, nil
}

// Forget makes the registry read a scope again. Whoever changed its records without the registry calls it after the
// change is durable and before it is acknowledged.
func (r *Registry) Forget(scope command.Scope) { r.cache.Forget(scope) }

// ForgetAll is Forget and ForgetOverwrites for everything.
func (r *Registry) ForgetAll() {
	r.cache.ForgetAll()
	r.overwrites.Reset()
}
