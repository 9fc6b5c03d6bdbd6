package sqlstore

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"

	"github.com/bellhop/bellhop/internal/store"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// sqliteConn is a connection with its prepared statements, for one goroutine at a time. It stays below database/sql,
// whose locks and conversions cost as much as a small statement.
type sqliteConn struct {
	conn  driver.Conn
	ctx   context.Context //nolint:containedctx // never ends: the driver would watch one that can with a goroutine a call
	stmts map[string]sqliteStmt
	args  []driver.NamedValue // of the statement that runs
	row   []driver.Value      // of the query that runs
}

// sqliteStmt is what the driver's statements can do.
type sqliteStmt interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

func connect(ctx context.Context, path string, pragmas []string) (*sqliteConn, error) {
	connector, err := sqlite.NewConnector(dataSource(path, pragmas))
	if err != nil {
		return nil, err
	}
	conn, err := connector.Connect(ctx)
	if err != nil {
		return nil, sqliteError(err)
	}
	return &sqliteConn{conn: conn, ctx: context.WithoutCancel(ctx), stmts: map[string]sqliteStmt{}}, nil
}

func (c *sqliteConn) close() error {
	var errs []error
	for _, s := range c.stmts {
		errs = append(errs, s.Close())
	}
	return errors.Join(append(errs, c.conn.Close())...)
}

// prepare returns the statement for a query and binds its arguments to c.args.
func (c *sqliteConn) prepare(query string, args []any) (sqliteStmt, error) {
	c.args = c.args[:0]
	for i, v := range args {
		c.args = append(c.args, driver.NamedValue{Ordinal: i + 1, Value: v})
	}
	if s, ok := c.stmts[query]; ok {
		return s, nil
	}
	prepared, err := c.conn.(driver.ConnPrepareContext).PrepareContext(c.ctx, query)
	if err != nil {
		return nil, sqliteError(err)
	}
	s := prepared.(sqliteStmt)
	c.stmts[query] = s
	return s, nil
}

func (c *sqliteConn) exec(query string, args []any) (int64, error) {
	s, err := c.prepare(query, args)
	if err != nil {
		return 0, err
	}
	result, err := s.ExecContext(c.ctx, c.args)
	if err != nil {
		return 0, sqliteError(err)
	}
	return result.RowsAffected()
}

func (c *sqliteConn) do(query string, args []any) (int64, error) { return c.exec(query, args) }

func (c *sqliteConn) steady(query string, scan func(row) error, args []any) error {
	return c.query(query, scan, args)
}

// attempt is exec: a statement that fails undoes itself alone.
func (c *sqliteConn) attempt(query string, args []any) (int64, error) { return c.exec(query, args) }

func (c *sqliteConn) query(query string, scan func(row) error, args []any) (err error) {
	s, err := c.prepare(query, args)
	if err != nil {
		return err
	}
	rows, err := s.QueryContext(c.ctx, c.args)
	if err != nil {
		return sqliteError(err)
	}
	defer func() { err = errors.Join(err, sqliteError(rows.Close())) }()
	c.row = append(c.row[:0], make([]driver.Value, len(rows.Columns()))...)
	for {
		if err := rows.Next(c.row); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return sqliteError(err)
		}
		if err := scan(c.row); err != nil {
			return err
		}
	}
}

// sqliteError puts the driver's errors into the words of the contract.
func sqliteError(err error) error {
	e, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return err
	}
	switch e.Code() {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY:
		return fmt.Errorf("%w: %w", store.ErrConflict, err)
	}
	switch e.Code() & 0xff { // the kind; the rest says more about it
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL, sqlite3.SQLITE_NOMEM,
		sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	return err
}
