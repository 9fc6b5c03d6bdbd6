// Package registry keeps the commands of applications and who may use them: it reads, creates, edits, replaces and
// deletes commands, holds their numbers and daily creates to the limits, reads and replaces permission sets, and shows
// both from memory. It knows nothing of HTTP.
package registry

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/cache"
	"github.com/bellhop/bellhop/internal/clock"
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
	cache  *cache.Cache
	clock  clock.Clock
	ids    IDs
	scopes *cache.Kind[command.Scope, snapshot]
	sets   *cache.Kind[setsKey, Sets]

	serial atomic.Uint64 // of the snapshot that was made last
}

// New returns a registry over the store of a cache.
func New(c *cache.Cache, now clock.Clock, ids IDs) *Registry {
	r := &Registry{cache: c, clock: now, ids: ids}
	r.scopes = &cache.Kind[command.Scope, snapshot]{
		Cache: c, Subject: store.ScopeSubject, Read: r.readSnapshot, Size: (*snapshot).size,
	}
	r.sets = &cache.Kind[setsKey, Sets]{Cache: c, Subject: setsKey.subject, Read: readSets, Size: (*Sets).Size}
	return r
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
		r.scopes.Grow(scope, made)
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

// snapshot returns the state of a scope: everything acknowledged before the call.
func (r *Registry) snapshot(ctx context.Context, scope command.Scope) (*snapshot, error) {
	s, err := r.scopes.Load(ctx, scope)
	if err != nil {
		return nil, fmt.Errorf("read commands of %v: %w", scope, err)
	}
	return s, nil
}
