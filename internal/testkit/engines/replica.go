package engines

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// Follow makes a server that does not run a synchronous replica of a primary: it replaces its data by a copy, starts it, and
// returns when every commit that the primary acknowledges is also on the replica.
func (p *Postgres) Follow(ctx context.Context, primary *Postgres) error {
	program, err := find("pg_basebackup")
	if err != nil {
		return err
	}
	if err := os.RemoveAll(p.data()); err != nil {
		return err
	}
	copying := p.command(ctx, program, "-D", p.data(), "-d", primary.URL("postgres"), "-R", "-c", "fast", "--no-sync")
	if err := copying.Run(); err != nil {
		return fmt.Errorf("pg_basebackup: %w: %s", err, p.output.String())
	}
	if err := p.start(ctx); err != nil {
		return err
	}
	if err := primary.run(ctx, "ALTER SYSTEM SET synchronous_standby_names = '*'"); err != nil {
		return err
	}
	return errors.Join(primary.run(ctx, "SELECT pg_reload_conf()"), primary.awaitReplica(ctx))
}

// awaitReplica waits until the replica of a server is synchronous and has everything that was committed before the call.
func (p *Postgres) awaitReplica(ctx context.Context) (err error) {
	conn, err := pgx.Connect(ctx, p.URL("postgres"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()
	deadline := time.Now().Add(startTimeout)
	const synchronous = "SELECT EXISTS (SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync')"
	if err := awaitTrue(ctx, conn, deadline, "a synchronous replica", synchronous); err != nil {
		return err
	}
	// Commits wait for the replica only after the checkpointer has read the setting. It does so before a checkpoint.
	if _, err := conn.Exec(ctx, "CHECKPOINT"); err != nil {
		return err
	}
	var position string
	if err := conn.QueryRow(ctx, "SELECT pg_current_wal_lsn()::text").Scan(&position); err != nil {
		return err
	}
	const flushed = "SELECT EXISTS (SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync' AND flush_lsn >= $1::text::pg_lsn)"
	return awaitTrue(ctx, conn, deadline, "position "+position+" at the replica", flushed, position)
}

// awaitTrue waits until a query returns true. what names what it waits for.
func awaitTrue(ctx context.Context, conn *pgx.Conn, deadline time.Time, what, query string, args ...any) error {
	for ; ; time.Sleep(probeInterval) {
		var got bool
		if err := conn.QueryRow(ctx, query, args...).Scan(&got); err != nil || got {
			return err
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("waited %v for %s", startTimeout, what)
		}
	}
}

// Promote makes a replica accept writes.
func (p *Postgres) Promote(ctx context.Context) error {
	return p.run(ctx, "SELECT pg_promote(true, 30)")
}

// Addr returns the host and port of the server.
func (r *Redis) Addr() string { return fmt.Sprintf("127.0.0.1:%d", r.port) }

// Follow makes a running server a replica of the one at an address, and returns when it has the data of that server.
func (r *Redis) Follow(ctx context.Context, address string) error {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	if err := r.send(ctx, "REPLICAOF "+host+" "+port+"\r\n", "+OK\r\n"); err != nil {
		return err
	}
	for deadline := time.Now().Add(startTimeout); ; time.Sleep(probeInterval) {
		state, err := r.Ask(ctx, "INFO replication\r\n")
		if err == nil && strings.Contains(state, "master_link_status:up") {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("the replica has no data: %s %w", state, err)
		}
	}
}

// Promote makes a replica accept writes.
func (r *Redis) Promote(ctx context.Context) error {
	return r.send(ctx, "REPLICAOF NO ONE\r\n", "+OK\r\n")
}
