// Package sqlite keeps a store in a SQLite database: one file that belongs to one process at a time. One connection writes,
// the units of work of all callers together, and some read.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/bellhop/bellhop/internal/store/sqlstore"
	"github.com/pressly/goose/v3"
	driver "modernc.org/sqlite"
)

const (
	// readers is how many views can run at once. Reads of this driver hardly gain from more cores, so a few are enough.
	readers = 4
	// foldLog is the size in bytes at which the write-ahead log is folded into the database. The larger it is, the more often a
	// page has been written again by then, and is folded once for all.
	foldLog = 64 << 20
	// maxLog is the usual limit: above it the log is folded even if views have to wait.
	maxLog = 2 * foldLog
	// pageSize is SQLite's own.
	pageSize = 4096
	// foldPatience is how long that waits for a slow view before it lets the log grow by another half of its limit.
	foldPatience = 100 * time.Millisecond
)

// Settings of connections. Another process that looks at the file, a backup for instance, is waited for.
var (
	writerPragmas = []string{
		"busy_timeout(10000)", "journal_mode(wal)", "synchronous(full)", "temp_store(memory)", "cache_size(-65536)",
		fmt.Sprintf("journal_size_limit(%d)", foldLog), fmt.Sprintf("wal_autocheckpoint(%d)", foldLog/pageSize),
	}
	readerPragmas = []string{"busy_timeout(10000)", "query_only(1)", "temp_store(memory)", "cache_size(-8192)"}
)

// words spells the schema for SQLite: an integer key is the row's own number, a table by key needs no other.
var words = strings.NewReplacer(
	"BIGINT PRIMARY KEY", "INTEGER PRIMARY KEY",
	"BYTEA", "BLOB",
	") /* by key */", ") WITHOUT ROWID",
)

// engine is one database file: a connection that writes and some that read.
type engine struct {
	*writer
	idle   chan *conn // the readers that nobody uses
	lock   *os.File
	log    string // path of the write-ahead log
	limit  int64  // size of the log above which it is folded even if views have to wait
	foldAt int64  // size at which that is tried next
}

// Open opens the database at path, which it creates together with its folder, and brings its schema up to date.
// The file belongs to one store at a time: a second one gets ErrLocked. A database with a schema of a later generation
// gets sqlstore.ErrNewerSchema.
func Open(ctx context.Context, path string, log *slog.Logger) (*sqlstore.DB, error) {
	return open(ctx, path, writerPragmas, log)
}

func open(ctx context.Context, path string, pragmas []string, log *slog.Logger) (*sqlstore.DB, error) {
	e, err := openEngine(ctx, path, pragmas, log)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return sqlstore.New(e), nil
}

func openEngine(ctx context.Context, path string, pragmas []string, log *slog.Logger) (_ *engine, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	e := &engine{idle: make(chan *conn, readers), log: path + "-wal", limit: maxLog, foldAt: maxLog}
	if e.lock, err = lockFile(path + ".lock"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, e.Close())
		}
	}()
	if err := createFile(path); err != nil {
		return nil, err
	}
	if err := migrate(ctx, path, pragmas, log); err != nil {
		return nil, err
	}
	conn, err := connect(ctx, path, pragmas)
	if err != nil {
		return nil, err
	}
	e.writer = startWriter(conn, e.fold)
	if err := checkMode(conn); err != nil {
		return nil, err
	}
	if err := conn.bufferLog(); err != nil {
		return nil, err
	}
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

func migrate(ctx context.Context, path string, pragmas []string, log *slog.Logger) error {
	db, err := openPool(path, pragmas)
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	return errors.Join(sqlstore.Migrate(ctx, db, goose.DialectSQLite3, words, log), db.Close())
}

// OpenTables opens a database that exists so that its tables can be read as they are, past the contract of a store.
func OpenTables(path string) (*sql.DB, error) { return openPool(path, readerPragmas) }

// openPool opens a database by way of database/sql.
func openPool(path string, pragmas []string) (*sql.DB, error) {
	name := url.URL{Path: filepath.Clean(path)}
	connector, err := driver.NewConnector("file:" + name.EscapedPath() + "?" + url.Values{"_pragma": pragmas}.Encode())
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(connector), nil
}

// checkMode refuses a database that did not take the write-ahead log, as on file systems without shared memory.
func checkMode(c *conn) error {
	var mode string
	err := c.Query("PRAGMA journal_mode", func(r sqlstore.Row) error {
		mode, _ = r[0].(string)
		return nil
	}, nil)
	if err == nil && mode != "wal" {
		err = fmt.Errorf("the file system has no write-ahead logging: journal mode is %q", mode)
	}
	return err
}

func (e *engine) View(ctx context.Context, fn func(*sqlstore.Tx) error) error {
	var c *conn
	select {
	case c = <-e.idle:
	case <-ctx.Done():
		return fmt.Errorf("wait for a reader: %w", ctx.Err())
	}
	defer func() { e.idle <- c }()
	if _, err := c.Exec("BEGIN", nil); err != nil {
		return fmt.Errorf("begin a view: %w", err)
	}
	t := sqlstore.NewTx(c, nil)
	defer func() {
		t.End()
		_, _ = c.Exec("ROLLBACK", nil) // there is nothing to keep, and nothing to do when it is over already
	}()
	return fn(t)
}

// fold keeps the write-ahead log small. SQLite begins it anew by itself when a commit finds no view under way; where
// there is always one, the log would grow for ever. So above some size no view begins until those under way have ended
// and the pages are in the database.
func (e *engine) fold() {
	info, err := os.Stat(e.log)
	if err != nil || info.Size() < e.limit {
		e.foldAt = e.limit
		return
	}
	if info.Size() < e.foldAt {
		return
	}
	e.foldAt = info.Size() + e.limit/2
	var held []*conn
	ctx, cancel := context.WithTimeout(e.conn.ctx, foldPatience)
	defer cancel()
	for len(held) < readers && ctx.Err() == nil {
		select {
		case r := <-e.idle:
			held = append(held, r)
		case <-ctx.Done():
		}
	}
	if len(held) == readers {
		// The next commit begins the log anew and cuts it. What keeps this from success keeps it until the next try.
		_ = e.conn.Query("PRAGMA wal_checkpoint(PASSIVE)", func(sqlstore.Row) error { return nil }, nil)
	}
	for _, r := range held {
		e.idle <- r
	}
}

// Close waits for the writer, then folds the log into the database and gives the file up. It also takes apart an engine
// that was not opened to the end.
func (e *engine) Close() error {
	var errs []error
	if e.writer != nil {
		e.stop() // before the readers go: the writer may hold them
	}
	for range len(e.idle) {
		errs = append(errs, (<-e.idle).close())
	}
	if e.writer != nil {
		errs = append(errs,
			e.conn.Query("PRAGMA wal_checkpoint(TRUNCATE)", func(sqlstore.Row) error { return nil }, nil),
			e.conn.close())
	}
	return errors.Join(append(errs, unlockFile(e.lock))...)
}
