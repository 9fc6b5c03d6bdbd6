package provision_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/provision"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/cache"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/internal/testkit/lab"
)

// recordedStore records the events and the audit entries of all commits.
type recordedStore struct {
	store.Store

	mu      sync.Mutex
	events  []store.Event
	actions []string
}

func (s *recordedStore) Commit(ctx context.Context, c store.Change) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, c.Events...)
	for _, r := range c.Put {
		if e, ok := r.(store.AuditEntry); ok {
			s.actions = append(s.actions, e.Action)
		}
	}
	return s.Store.Commit(ctx, c)
}

// TestWorldAsAWhole checks that a reset and a large file are announced and recorded as a whole, not record by record.
func TestWorldAsAWhole(t *testing.T) {
	t.Parallel()
	for action, write := range map[string]func(*testing.T, *provision.Provisioner) error{
		"world.reset": func(t *testing.T, p *provision.Provisioner) error {
			_, err := p.Reset(t.Context(), lab.Parse(t, lab.World))
			return err
		},
		"world.apply": func(t *testing.T, p *provision.Provisioner) error {
			_, err := p.ApplyFile(t.Context(), openWorld(t, largeWorld(2000, 2000)), func(int, int) {})
			return err
		},
	} {
		t.Run(action, func(t *testing.T) {
			t.Parallel()
			db, err := sqlite.OpenVolatile(t.Context(), filepath.Join(t.TempDir(), "bellhop.db"), clock.System{}, slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := db.Close(); err != nil {
					t.Error(err)
				}
			})
			recorded, ids := &recordedStore{Store: db}, &lab.IDs{}
			log := &audit.Log{Store: recorded, Clock: clock.System{}, Wall: clock.System{}, IDs: ids, Logger: slog.New(slog.DiscardHandler)}
			d := directory.New(directory.Config{Store: recorded, Cache: cache.New(recorded, 1<<24), Clock: clock.System{}, IDs: ids, Audit: log})
			err = write(t, &provision.Provisioner{Directory: d, Clock: clock.System{}, Audit: log})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(recorded.actions, []string{action}) {
				t.Errorf("%d entries of the audit log, first %q, want one %s",
					len(recorded.actions), recorded.actions[:min(3, len(recorded.actions))], action)
			}
			if len(recorded.events) != 1 || recorded.events[0].Change == nil || !recorded.events[0].Change.Everything {
				t.Errorf("%d events, want one that makes sessions reload", len(recorded.events))
			}
		})
	}
}
