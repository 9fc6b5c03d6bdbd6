// Package sqlite keeps a store in a SQLite database. One process at a time can open the file. One goroutine owns the
// connection that writes; a few other connections read.
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
	"sync"
	"sync/atomic"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/pressly/goose/v3"
	"github.com/prometheus/client_golang/prometheus"
	driver "modernc.org/sqlite"
	"zombiezen.com/go/sqlite"
)

// readers is the number of reads that can run at the same time. More connections than cores make reads hardly faster.
const readers = 4

// dialect replaces the parts of the schema that SQLite writes differently.
var dialect = strings.NewReplacer(
	"BIGINT PRIMARY KEY", "INTEGER PRIMARY KEY", // the column is the row id and needs no index
	"BYTEA", "BLOB", "INTEGER[]", "BLOB",
	") /* by key */", ") WITHOUT ROWID",
	"/* triggers that count members */", countMembers,
	"/* triggers that note lobbies */", "", // there is one process
)

// countMembers creates the triggers that keep the table member_counts. There is one writer, so one slot is enough.
const countMembers = `
-- +goose StatementBegin
CREATE TRIGGER members_added AFTER INSERT ON members BEGIN
    INSERT INTO member_counts VALUES (NEW.guild_id, 0, 1) ON CONFLICT (guild_id, slot) DO UPDATE SET members = members + 1;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER members_removed AFTER DELETE ON members BEGIN
    UPDATE member_counts SET members = members - 1 WHERE guild_id = OLD.guild_id AND slot = 0;
END;
-- +goose StatementEnd
`

// Pragmas of the connections.
var (
	writerPragmas = []string{
		"journal_mode = wal", "synchronous = full", "temp_store = memory", "cache_size = -65536",
		fmt.Sprintf("journal_size_limit = %d", checkpointSize), fmt.Sprintf("wal_autocheckpoint = %d", checkpointSize/pageSize),
	}
	readerPragmas = []string{"query_only = 1", "temp_store = memory", "cache_size = -8192"}
)

// DB is a store in a SQLite database. It is safe for concurrent use.
type DB struct {
	lock *sqlite.Conn // holds the lock file
	idle chan *conn   // reading connections that are not in use
	wall clock.Clock  // the system's clock
	// revisions needs no node number: this process is the only one that writes.
	revisions *store.Revisions
	damage    *store.Damage
	writer    *writer

	restricted atomic.Bool // only changes of node numbers are accepted

	mu     sync.RWMutex // guards closed, and calls.Add against calls.Wait
	closed bool
	calls  sync.WaitGroup // calls in progress
}

var _ store.Store = (*DB)(nil)

// Open opens the database at path and brings its schema up to date. It creates the file and its folder if they do not
// exist. It returns ErrLocked when another DB, in this process or another, has the file open, and store.ErrNewerSchema
// when a later version of the program has migrated it. It returns ErrLogDamaged when the write-ahead log has lost
// commits.
//
// wall is the system's clock, also when dev controls move the clock of the service.
func Open(ctx context.Context, path string, wall clock.Clock, log *slog.Logger) (*DB, error) {
	return open(ctx, path, wall, log, settings{pragmas: writerPragmas, readers: readers})
}

// OpenDamaged is like Open, but opens a database whose write-ahead log is damaged. The commits behind the damage are
// lost.
func OpenDamaged(ctx context.Context, path string, wall clock.Clock, log *slog.Logger) (*DB, error) {
	return open(ctx, path, wall, log, settings{pragmas: writerPragmas, readers: readers, acceptLoss: true})
}

// settings are options for opening a database.
type settings struct {
	pragmas    []string // of the writer
	readers    int      // number of reading connections
	acceptLoss bool     // open a database whose write-ahead log is damaged
	migrated   bool     // the schema is known to be up to date
}

func open(ctx context.Context, path string, wall clock.Clock, log *slog.Logger, set settings) (_ *DB, err error) {
	d := &DB{idle: make(chan *conn, set.readers), wall: wall, revisions: store.NewRevisions(), damage: store.NewDamage(log)}
	defer func() {
		if err != nil {
			err = fmt.Errorf("open %s: %w", path, errors.Join(err, d.release()))
		}
	}()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	if d.lock, err = lockFile(path + ".lock"); err != nil {
		return nil, err
	}
	if err := checkLog(ctx, path+"-wal", log, set.acceptLoss); err != nil {
		return nil, err
	}
	if err := createFile(path); err != nil {
		return nil, err
	}
	if !set.migrated {
		if err := migrate(ctx, path, log); err != nil {
			return nil, err
		}
	}
	c, err := connect(path, set.pragmas)
	if err != nil {
		return nil, err
	}
	d.writer = startWriter(c, d.idle, path+"-wal", wall)
	for range set.readers {
		c, err := connect(path, readerPragmas)
		if err != nil {
			return nil, err
		}
		d.idle <- c
	}
	return d, nil
}

// LimitCache sets the memory of the page caches of all connections, in bytes. Two thirds are for the connection that
// writes. Call it before the first use.
func (d *DB) LimitCache(bytes int) error {
	all := make([]*conn, 0, cap(d.idle))
	defer func() {
		for _, c := range all {
			d.idle <- c
		}
	}()
	for range cap(d.idle) {
		c := <-d.idle
		all = append(all, c)
		if err := c.exec(fmt.Sprintf("PRAGMA cache_size = -%d", bytes/3/cap(d.idle)>>10)); err != nil {
			return err
		}
	}
	return d.writer.conn.exec(fmt.Sprintf("PRAGMA cache_size = -%d", bytes*2/3>>10))
}

// checkLog returns ErrLogDamaged when commits in the write-ahead log are lost, unless accept is set.
func checkLog(ctx context.Context, path string, log *slog.Logger, accept bool) error {
	state, err := CheckLog(path)
	if errors.Is(err, ErrLogDamaged) && accept {
		log.ErrorContext(ctx, "commits are lost", "err", err)
		return nil
	}
	if err == nil && state.Tail {
		log.WarnContext(ctx, "the write-ahead log ends with an incomplete transaction: after a crash it was never acknowledged, "+
			"otherwise the log is damaged", "frames", state.Frames)
	}
	return err
}

// createFile creates an empty file that only its owner can access, unless it exists. SQLite gives the files beside a
// database the same mode.
func createFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// migrate runs the migrations. The migration library needs database/sql, which the rest of the package does not use.
func migrate(ctx context.Context, path string, log *slog.Logger) error {
	db, err := openSQL(path, "journal_mode = wal", "synchronous = full")
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	return errors.Join(store.Migrate(ctx, db, goose.DialectSQLite3, dialect, log), db.Close())
}

// OpenTables opens an existing database with database/sql, for tests that read or damage its tables. It does not migrate or
// lock the database.
func OpenTables(path string) (*sql.DB, error) { return openSQL(path, readerPragmas...) }

func openSQL(path string, pragmas ...string) (*sql.DB, error) {
	name := url.URL{Path: filepath.ToSlash(filepath.Clean(path))}
	options := url.Values{"_pragma": append([]string{"busy_timeout = 10000"}, pragmas...)}
	connector, err := driver.NewConnector("file:" + name.EscapedPath() + "?" + options.Encode())
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(connector), nil
}

// begin registers a call, which ends with d.calls.Done.
func (d *DB) begin(ctx context.Context) error {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if d.closed {
		return fmt.Errorf("%w: the database is closed", store.ErrUnavailable)
	}
	if err := ctx.Err(); err != nil {
		return waitError(err)
	}
	d.calls.Add(1)
	return nil
}

// waitError returns the error of a call whose context ended before the call had an effect.
func waitError(err error) error { return fmt.Errorf("%w: %w", store.ErrUnavailable, err) }

// Read implements store.Store.
func (d *DB) Read(ctx context.Context, fn func(store.Reader) error) error {
	if err := d.begin(ctx); err != nil {
		return err
	}
	defer d.calls.Done()
	err := d.read(ctx, fn)
	if wait := d.writer.waitNotified(ctx); err == nil {
		err = wait
	}
	return err
}

// read runs fn on a snapshot.
func (d *DB) read(ctx context.Context, fn func(store.Reader) error) error {
	var c *conn
	select {
	case c = <-d.idle:
	case <-ctx.Done():
		return waitError(ctx.Err())
	}
	defer func() { d.idle <- c }()
	if err := c.exec("BEGIN"); err != nil {
		return err
	}
	defer c.rollback()
	return d.damage.Check(fn(store.NewReader(c, d.damage)))
}

// Restrict makes Commit accept only changes of node numbers. A process without a node number cannot create ids.
func (d *DB) Restrict(on bool) { d.restricted.Store(on) }

// Collectors returns the metrics of the store, for the registry.
func (d *DB) Collectors() []prometheus.Collector { return []prometheus.Collector{d.damage.Collector()} }

// Load implements store.Store. fn runs on a snapshot.
func (d *DB) Load(ctx context.Context, subject store.Subject, fn func(store.Reader) error) (revision uint64, err error) {
	err = d.Read(ctx, func(r store.Reader) error {
		revisions, err := r.Revisions(subject)
		if err != nil {
			return err
		}
		revision = revisions[0]
		return fn(r)
	})
	return revision, err
}

// Revisions implements store.Store.
func (d *DB) Revisions(ctx context.Context, subjects ...store.Subject) (revisions []uint64, err error) {
	err = d.Read(ctx, func(r store.Reader) error {
		revisions, err = r.Revisions(subjects...)
		return err
	})
	return revisions, err
}

// Shared returns false: the database belongs to this process.
func (d *DB) Shared() bool { return false }

// Subscribe implements store.Store. The writer calls fn with the changes of all subjects, in the order of their
// commits.
func (d *DB) Subscribe(fn func(*store.Change)) {
	d.writer.subscribers = append(d.writer.subscribers, fn)
}

// Ping implements store.Store.
func (d *DB) Ping(ctx context.Context) error {
	_, err := d.Revisions(ctx, store.Subject{})
	return err
}

// Close implements store.Store. A second call does nothing.
func (d *DB) Close() error {
	d.mu.Lock()
	closed := d.closed
	d.closed = true
	d.mu.Unlock()
	if closed {
		return nil
	}
	d.calls.Wait()
	return d.release()
}

// release closes all connections and then releases the lock. The writing connection is closed after the others, so that
// SQLite copies the write-ahead log into the database and removes it.
func (d *DB) release() error {
	var errs []error
	if d.writer != nil {
		d.writer.stop() // first: it may hold reading connections
	}
	for range len(d.idle) {
		errs = append(errs, (<-d.idle).Close())
	}
	if d.writer != nil {
		errs = append(errs, d.writer.conn.Close())
	}
	if d.lock != nil {
		errs = append(errs, d.lock.Close())
	}
	return errors.Join(errs...)
}
