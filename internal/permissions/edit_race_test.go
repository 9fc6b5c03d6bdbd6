package permissions_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/bellhop/bellhop/internal/permissions"
	"github.com/bellhop/bellhop/internal/registry"
	"github.com/bellhop/bellhop/internal/store"
)

// interrupted is a store that runs a function before each of the first commits.
type interrupted struct {
	store.Store

	commits atomic.Int32
	before  func(n int32)
}

func (s *interrupted) Commit(ctx context.Context, c store.Change) error {
	s.before(s.commits.Add(1))
	return s.Store.Commit(ctx, c)
}

// TestReplaceDependsOnItsCommand edits and creates other commands of the application between the decision and the
// commit of an edit.
func TestReplaceDependsOnItsCommand(t *testing.T) {
	t.Parallel()
	d := openEditor(t)
	c := d.create(t, globalScope, `{"name":"roll","description":"x"}`)
	s := &interrupted{Store: d.store, before: func(n int32) {
		d.create(t, globalScope, fmt.Sprintf(`{"name":"other%d","description":"x"}`, n))
		d.create(t, guildScope, fmt.Sprintf(`{"name":"other%d","description":"x"}`, n))
		d.create(t, globalScope, fmt.Sprintf(`{"name":"roll","description":"edit %d"}`, n))
	}}
	d.Editor = &permissions.Editor{Store: s, Commands: d.Commands, Clock: d.Clock}
	d.mustPut(t, c.ID, forRole(low, true))
	if n := s.commits.Load(); n != 1 {
		t.Errorf("the edit needed %d commits while other commands changed, want 1", n)
	}
	if got := d.setIDs(t); len(got) != 1 || got[0] != c.ID {
		t.Errorf("sets of %v, want of %v", got, c.ID)
	}
}

// TestReplaceAfterDelete deletes the command between the decision and the commit of an edit.
func TestReplaceAfterDelete(t *testing.T) {
	t.Parallel()
	d := openEditor(t)
	c := d.create(t, globalScope, `{"name":"roll","description":"x"}`)
	s := &interrupted{Store: d.store, before: func(n int32) {
		if n == 1 {
			if err := d.Commands.Delete(t.Context(), globalScope, c.ID); err != nil {
				t.Error(err)
			}
		}
	}}
	d.Editor = &permissions.Editor{Store: s, Commands: d.Commands, Clock: d.Clock}
	if err := d.put(t, owner, c.ID, forRole(low, true)); !errors.Is(err, registry.ErrUnknownCommand) {
		t.Errorf("Replace() = %v, want %v", err, registry.ErrUnknownCommand)
	}
	if got := d.setIDs(t); len(got) != 0 {
		t.Errorf("the deleted command has sets: %v", got)
	}
}
