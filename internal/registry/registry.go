// Package registry stores the commands of applications. It reads, creates, edits, replaces and deletes commands,
// enforces the limits on their number and on daily creates, and deletes the permission sets of commands that go.
// Package permissions edits permission sets; this package reads them together with the commands.
package registry

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/cache"
	"github.com/bellhop/bellhop/snowflake"
)

// Errors of the registry. An invalid definition is a *jsonbody.Tree, too many commands a *LimitError, too many
// creates on one day a *QuotaError.
var (
	ErrUnknownCommand    = errors.New("unknown command")
	ErrNameTaken         = errors.New("a command with that name and type already exists")
	ErrEntryPointDropped = errors.New("the list would remove the entry point command")
)

// IDs generates increasing ids.
type IDs interface {
	// Run returns the first of n consecutive new ids.
	Run(n int) uint64
	// Observe makes every later id larger than the given one.
	Observe(id uint64)
}

// Registry stores the commands of applications. It is safe for concurrent use. When a write returns, it is durable and
// every later read sees it.
type Registry struct {
	// DailyCreates is the highest number of commands that a scope creates in each CreateWindow; 0: any number. New sets
	// MaxCreates.
	DailyCreates int

	// Audit gets the changes of the default permissions of commands. It may be nil.
	Audit *audit.Log

	cache  *cache.Cache
	clock  clock.Clock
	ids    IDs
	scopes *cache.Kind[command.Scope, snapshot]
	sets   *cache.Kind[setsKey, Sets]
	// marks are subjects that have only a revision.
	marks *cache.Kind[store.Subject, struct{}]

	serial atomic.Uint64 // of the newest snapshot
}

// New returns a registry over the store of a cache.
func New(c *cache.Cache, now clock.Clock, ids IDs) *Registry {
	r := &Registry{DailyCreates: MaxCreates, cache: c, clock: now, ids: ids}
	r.scopes = &cache.Kind[command.Scope, snapshot]{
		Cache: c, Subject: store.ScopeSubject, Read: r.readSnapshot, Size: (*snapshot).size,
	}
	r.sets = &cache.Kind[setsKey, Sets]{Cache: c, Subject: setsKey.subject, Read: readSets, Size: (*Sets).Size}
	r.marks = &cache.Kind[store.Subject, struct{}]{
		Cache: c, Subject: func(s store.Subject) store.Subject { return s },
		Read: func(store.Reader, store.Subject) (*struct{}, error) { return &struct{}{}, nil },
		Size: func(*struct{}) int { return 0 },
	}
	return r
}

// List returns the commands of a scope as a JSON list, in ascending order of ids. The caller must not modify it.
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

// Commands returns the commands of a scope in ascending order of ids. The caller must not modify them.
func (r *Registry) Commands(ctx context.Context, scope command.Scope) ([]*command.Command, error) {
	s, err := r.snapshot(ctx, scope)
	if err != nil {
		return nil, err
	}
	return s.commands, nil
}

// Quota returns how many commands were created in a scope in its current day. That day may have ended.
func (r *Registry) Quota(ctx context.Context, scope command.Scope) (Quota, error) {
	s, err := r.snapshot(ctx, scope)
	if err != nil {
		return Quota{}, err
	}
	return s.quota, nil
}

// Command returns one command, or ErrUnknownCommand.
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

// snapshot returns the state of a scope. It contains every write that was acknowledged before the call.
func (r *Registry) snapshot(ctx context.Context, scope command.Scope) (*snapshot, error) {
	s, err := r.scopes.Load(ctx, scope)
	if err != nil {
		return nil, fmt.Errorf("read commands of %v: %w", scope, err)
	}
	return s, nil
}
