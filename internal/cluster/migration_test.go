package cluster

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
)

// TestNodesUpgrade migrates the database to a later schema, as the first node of a later version does, and restarts the nodes one
// after another, all under load. No acknowledged write may be lost, and no read may be stale.
func TestNodesUpgrade(t *testing.T) {
	t.Parallel()
	cl := startCluster(t, 3, "--limits", "off")
	l := &commandLoad{cluster: cl}
	for _, step := range []struct {
		name string
		do   func(ctx context.Context) error
	}{
		{"the database is migrated", cl.migrate},
		{"node 0 is replaced", func(context.Context) error { return l.restartGracefully(t, 0) }},
		{"node 1 is replaced", func(context.Context) error { return l.restartGracefully(t, 1) }},
		{"node 2 is replaced", func(context.Context) error { return l.restartGracefully(t, 2) }},
	} {
		l.check(t, step.name, step.do)
	}
	for _, p := range cl.nodes {
		p.StopCleanly(t)
	}
}

// migrate adds a column to tables and a schema version, as a migration of a later version may.
func (cl *cluster) migrate(ctx context.Context) (err error) {
	conn, err := pgx.Connect(ctx, cl.url)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()
	for _, table := range []string{"commands", "scopes", "nodes", "credentials", "lobbies"} {
		if _, err := conn.Exec(ctx, "ALTER TABLE "+table+" ADD COLUMN later BIGINT NOT NULL DEFAULT 7"); err != nil {
			return fmt.Errorf("%s: %w", table, err)
		}
	}
	_, err = conn.Exec(ctx, "INSERT INTO schema_versions (version_id, is_applied) VALUES (1999, true)")
	return err
}

// restartGracefully stops node i with SIGTERM and starts it again, as an upgrade does.
func (l *commandLoad) restartGracefully(t *testing.T, i int) error {
	t.Helper()
	old := l.cluster.nodes[i]
	l.stopped.Store(old, true) // it may refuse connections from now on
	if err := old.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	if err := old.Wait(); err != nil {
		return fmt.Errorf("after SIGTERM: %w\n%s", err, old.Log())
	}
	p := l.cluster.start(t, i)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cluster.nodes[i] = p
	return nil
}
