package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Snapshot reads a database at one moment. Nodes may use the database meanwhile. Statements have no time limit.
type Snapshot struct {
	ctx  context.Context //nolint:containedctx // a snapshot lives as long as the command that uses it
	pgx  *pgx.Conn
	conn *conn
}

var _ store.Snapshot = (*Snapshot)(nil)

// OpenSnapshot returns a snapshot of the database that a URL names. ctx bounds the life of the snapshot.
func OpenSnapshot(ctx context.Context, url string) (*Snapshot, error) {
	c, err := connectOnce(ctx, url)
	if err != nil {
		return nil, err
	}
	s := &Snapshot{ctx: ctx, pgx: c}
	if s.conn, err = newConn(ctx, c.PgConn(), nil, nil); err == nil {
		_, err = s.conn.exec(ctx, []store.Statement{{SQL: beginSnapshot}})
	}
	if err == nil {
		err = s.Query("SELECT 1", nil, nil) // the snapshot begins with the first query
	}
	if err != nil {
		return nil, errors.Join(err, s.Close()) //nolint:contextcheck // uses the context of the snapshot
	}
	return s, nil
}

// connectOnce returns a connection outside of a pool. The URL may have settings of a pool.
func connectOnce(ctx context.Context, url string) (*pgx.Conn, error) {
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("read the address of PostgreSQL: %w", err) // the driver leaves the password out
	}
	c, err := pgx.ConnectConfig(ctx, toolConfig(cfg))
	if err != nil {
		return nil, fmt.Errorf("open PostgreSQL: %w", err)
	}
	return c, nil
}

// Query implements store.Querier.
func (s *Snapshot) Query(text string, args []any, scan func(store.Row) error) error {
	_, err := s.conn.query(s.ctx, []store.Statement{{SQL: text, Args: args}}, scan)
	return err
}

// Close ends the snapshot.
func (s *Snapshot) Close() error { return s.pgx.Close(context.WithoutCancel(s.ctx)) }

// Loader fills an empty database.
type Loader struct {
	ctx context.Context //nolint:containedctx // a loader lives as long as the command that uses it
	pgx *pgx.Conn
	tx  pgx.Tx
}

var _ store.Loader = (*Loader)(nil)

// OpenLoader creates the schema in the database that a URL names, and returns a loader for it. ctx bounds the life of
// the loader.
func OpenLoader(ctx context.Context, url string, wall clock.Clock, log *slog.Logger) (*Loader, error) {
	db, err := Open(ctx, url, wall, log)
	if err != nil {
		return nil, err
	}
	if err := db.Close(); err != nil { // Open has created the schema
		return nil, err
	}
	l := &Loader{ctx: ctx}
	if l.pgx, err = connectOnce(ctx, url); err != nil {
		return nil, err
	}
	if l.tx, err = l.pgx.Begin(ctx); err != nil {
		return nil, errors.Join(err, l.Close()) //nolint:contextcheck // uses the context of the loader
	}
	return l, nil
}

// Insert implements store.Loader. Texts are stored as bytes.
func (l *Loader) Insert(table string, columns []string, rows []store.Row) error {
	values := make([][]any, len(rows))
	for i, row := range rows {
		for j, v := range row {
			if s, ok := v.(string); ok {
				row[j] = []byte(s)
			}
		}
		values[i] = row
	}
	if _, err := l.tx.CopyFrom(l.ctx, pgx.Identifier{table}, columns, pgx.CopyFromRows(values)); err != nil {
		return fmt.Errorf("insert into %s: %w", table, err)
	}
	return nil
}

// Commit implements store.Loader.
func (l *Loader) Commit() error { return l.tx.Commit(l.ctx) }

// Close implements store.Loader.
func (l *Loader) Close() error { return l.pgx.Close(context.WithoutCancel(l.ctx)) }
