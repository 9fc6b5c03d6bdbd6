package server

import (
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store/sqlite"
)

// TestNodesWithDifferentKeys starts nodes beside a node that runs, with its encryption keys and with others.
func TestNodesWithDifferentKeys(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, running, starting string
		fails                   bool
	}{
		{name: "the same key", running: "old", starting: "old"},
		{name: "first step of a change", running: "old", starting: "old new"},
		{name: "second step of a change", running: "old new", starting: "new old"},
		{name: "last step of a change", running: "new old", starting: "new"},
		{name: "first step of turning it on", running: "none", starting: "none new"},
		{name: "second step of turning it on", running: "none new", starting: "new"},
		{name: "a node of an earlier version", running: "", starting: "new"},
		{name: "another key", running: "old", starting: "new", fails: true},
		{name: "no key", running: "old", starting: "none", fails: true},
		{name: "a key that the others lack", running: "none", starting: "new", fails: true},
		{name: "a change in one step", running: "old", starting: "new old", fails: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			log, wall := slog.New(slog.DiscardHandler), clock.System{}
			db, err := sqlite.OpenVolatile(t.Context(), filepath.Join(t.TempDir(), "bellhop.db"), wall, log)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = db.Close() })
			leaseOf := func(name, keys string) *lease {
				return &lease{store: db, clock: wall, wall: wall, holder: holderOf(name, strings.Fields(keys)), log: log}
			}
			running, starting := leaseOf("running", tt.running), leaseOf("starting", tt.starting)
			if err := running.take(t.Context()); err != nil {
				t.Fatal(err)
			}
			err = starting.take(t.Context())
			if errors.Is(err, errKeysDiffer) != tt.fails {
				t.Errorf("take() = %v, want an error: %v", err, tt.fails)
			}
			if err := running.extend(t.Context(), 0); err != nil {
				t.Errorf("the node that runs: %v", err)
			}
			if position, count := running.nodes(); tt.fails && count != 1 {
				t.Errorf("nodes() = %d, %d: the node that did not start keeps its number", position, count)
			}
		})
	}
}
