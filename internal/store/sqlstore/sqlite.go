package sqlstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/pressly/goose/v3"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// readers is how many views can run at once. Reads of this driver hardly gain from more cores, so a few are enough.
const readers = 4

// Settings of connections. Another process that looks at the file, a backup for instance, is waited for.
var (
	writerPragmas = []string{
		"busy_timeout(10000)", "journal_mode(wal)", "synchronous(full)", "temp_store(memory)", "cache_size(-65536)",
	}
	readerPragmas = []string{"busy_timeout(10000)", "query_only(1)", "temp_store(memory)", "cache_size(-8192)"}
)

// sqliteWords spells the schema for SQLite: an integer key is the row's own number, a table by key needs no other.
var sqliteWords = strings.NewReplacer(
	"BIGINT PRIMARY KEY", "INTEGER PRIMARY KEY",
	"BYTEA", "BLOB",
	") /* by key */", ") WITHOUT ROWID",
)

// sqliteEngine is one database file: a connection that writes and some that read.
type sqliteEngine struct {
	*writer
	idle chan *sqliteConn // the readers that nobody uses
	lock *os.File
}

// OpenSQLite opens the database at path, which it creates together with its folder, and brings its schema up to date.
// The file belongs to one store at a time: a second one gets ErrLocked. A database with a schema of the future gets
// ErrNewerSchema.
func OpenSQLite(ctx context.Context, path string, log *slog.Logger) (*DB, error) {
	e, err := openEngine(ctx, path, log)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return newDB(e), nil
}

func openEngine(ctx context.Context, path string, log *slog.Logger) (_ *sqliteEngine, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	e := &sqliteEngine{idle: make(chan *sqliteConn, readers)}
	if e.lock, err = lockFile(path + ".lock"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, e.close())
		}
	}()
	if err := createFile(path); err != nil {
		return nil, err
	}
	if err := migrateSQLite(ctx, path, log); err != nil {
		return nil, err
	}
	conn, err := connect(ctx, path, writerPragmas)
	if err != nil {
		return nil, err
	}
	e.writer = startWriter(conn)
	for range readers {
		r, err := connect(ctx, path, readerPragmas)
		if err != nil {
			return nil, err
		}
		e.idle <- r
	}
	return e, nil
}

// createFile makes an empty database for the owner's eyes only; SQLite gives the files beside it the same mode.
func createFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600) //nolint:gosec // the operator names the path
	if err != nil {
		return err
	}
	return f.Close()
}

func migrateSQLite(ctx context.Context, path string, log *slog.Logger) error {
	connector, err := sqlite.NewConnector(dataSource(path, writerPragmas))
	if err != nil {
		return err
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(1)
	return errors.Join(migrate(ctx, db, goose.DialectSQLite3, sqliteWords, log), db.Close())
}

func dataSource(path string, pragmas []string) string {
	name := url.URL{Path: filepath.Clean(path)}
	return "file:" + name.EscapedPath() + "?" + url.Values{"_pragma": pragmas}.Encode()
}

func (e *sqliteEngine) view(ctx context.Context, fn func(*tx) error) error {
	var c *sqliteConn
	select {
	case c = <-e.idle:
	case <-ctx.Done():
		return fmt.Errorf("wait for a reader: %w", ctx.Err())
	}
	defer func() { e.idle <- c }()
	if _, err := c.exec("BEGIN", nil); err != nil {
		return fmt.Errorf("begin a view: %w", err)
	}
	t := &tx{session: c}
	defer func() {
		t.end()
		_, _ = c.exec("ROLLBACK", nil) // there is nothing to keep, and nothing to do when it is over already
	}()
	return fn(t)
}

// close waits for the writer, then folds the log into the database and gives the file up. It also takes apart an engine
// that did not get further than its lock.
func (e *sqliteEngine) close() error {
	var errs []error
	for range len(e.idle) {
		errs = append(errs, (<-e.idle).close())
	}
	if e.writer != nil {
		errs = append(errs, e.writer.stop())
	}
	return errors.Join(append(errs, e.lock.Close())...)
}

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
