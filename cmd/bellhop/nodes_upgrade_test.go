package main

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
)

// TestNodesUpgrade migrates the database under nodes that do not know of it, as the first node of a later version does, and
// ends and starts them one after another, all in the middle of load: no acknowledged write is lost, no read shows the past.
func TestNodesUpgrade(t *testing.T) {
	t.Parallel()
	f := startFleet(t, 3, "--limits", "off")
	h := &history{fleet: f}
	for _, step := range []struct {
		name string
		do   func(ctx context.Context) error
	}{
		{"the database is migrated", f.migrate},
		{"node 0 is replaced", func(context.Context) error { return h.roll(t, 0) }},
		{"node 1 is replaced", func(context.Context) error { return h.roll(t, 1) }},
		{"node 2 is replaced", func(context.Context) error { return h.roll(t, 2) }},
	} {
		h.through(t, step.name, step.do)
	}
	for _, p := range f.nodes {
		p.stop(t)
	}
}

// migrate adds what a later version may add.
func (f *fleet) migrate(ctx context.Context) (err error) {
	conn, err := pgx.Connect(ctx, f.url)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()
	for _, table := range []string{"commands", "scopes", "nodes", "credentials", "lobbies"} {
		if _, err := conn.Exec(ctx, "ALTER TABLE "+table+" ADD COLUMN of_the_future BIGINT NOT NULL DEFAULT 7"); err != nil {
			return fmt.Errorf("%s: %w", table, err)
		}
	}
	_, err = conn.Exec(ctx, "INSERT INTO schema_versions (version_id, is_applied) VALUES (999, true)")
	return err
}

// roll ends a node in good order and starts it again, as an upgrade does. Requests under way are answered.
func (h *history) roll(t *testing.T, i int) error {
	t.Helper()
	old := h.fleet.nodes[i]
	h.down.Store(old, true) // it is no fault that it takes no more
	if err := old.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	if err := old.Wait(); err != nil {
		return fmt.Errorf("after SIGTERM: %w\n%s", err, old.Stderr)
	}
	p := h.fleet.start(t, i)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.fleet.nodes[i] = p
	return nil
}
