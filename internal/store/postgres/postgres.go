// Package postgres keeps a store in a database of a PostgreSQL server, which any number of processes share.
package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
)

const (
	// maxConns bounds the connections of a node unless the URL has pool_max_conns. A server accepts a hundred by default,
	// and more than a few for each of its cores gain nothing.
	maxConns = 24
	// callTime bounds every call. hungTime bounds calls while the server does not answer: a request that makes several calls
	// is then refused in time all the same.
	callTime = 2500 * time.Millisecond
	hungTime = 300 * time.Millisecond
	// tryTime bounds one attempt, so that a call that meets a dead connection has time for a second one.
	tryTime = 1200 * time.Millisecond
	// connectTime bounds how long a connection may take to open, unless the URL has connect_timeout.
	connectTime = time.Second
	// minPause and maxPause bound the pause between two attempts. It doubles with each.
	minPause = 5 * time.Millisecond
	maxPause = 200 * time.Millisecond
	// startPause is the pause between attempts to reach the server at start.
	startPause = 500 * time.Millisecond
)

// settings are the parameters of every connection. PostgreSQL gives up what a vanished node has left behind within
// seconds: its statements, its transactions and, by TCP keep-alive, its connections. Plans are made once per prepared
// statement, so they use indexes also when they are made while a table is small.
var settings = map[string]string{
	"application_name":                    "bellhop",
	"statement_timeout":                   "2000",
	"idle_in_transaction_session_timeout": "2000",
	"tcp_keepalives_idle":                 "2",
	"tcp_keepalives_interval":             "1",
	"tcp_keepalives_count":                "3",
	"tcp_user_timeout":                    "4000",
	"default_transaction_isolation":       "read committed",
	"plan_cache_mode":                     "force_generic_plan",
	"enable_seqscan":                      "off",
	"jit":                                 "off",
}

// keepAlive makes the system notice within seconds that the server is gone.
var keepAlive = net.KeepAliveConfig{Enable: true, Idle: 2 * time.Second, Interval: time.Second, Count: 3}

// DB is a store in a PostgreSQL database. It is safe for concurrent use.
type DB struct {
	pool     *pgxpool.Pool
	identity string
	numbers  numbers
	// epoch grows when a connection is lost. All connections of earlier epochs are replaced.
	epoch atomic.Uint64
	// hung is set when a call ran out of time, and cleared by the next one that is answered.
	hung        atomic.Bool
	subscribers []func(*store.Change)
	asks        chan *ask // closed by Close

	mu     sync.RWMutex // guards closed, and calls against Close
	closed bool
	calls  sync.WaitGroup
	work   sync.WaitGroup // goroutines that outlive the call that started them
}

var _ store.Store = (*DB)(nil)

// Open opens the database that a URL names and brings its schema up to date. It waits for a server that does not answer
// until ctx ends, and for other processes that migrate the schema. A schema of a later generation is a
// store.ErrNewerSchema.
func Open(ctx context.Context, url string, log *slog.Logger) (*DB, error) {
	db := &DB{numbers: newNumbers(), asks: make(chan *ask, maxAsks)}
	cfg, err := db.config(url)
	if err != nil {
		return nil, err
	}
	for {
		err := migrate(ctx, cfg, log)
		if err == nil {
			break
		}
		if !transient(err) || ctx.Err() != nil {
			return nil, fmt.Errorf("open PostgreSQL: %w", err)
		}
		log.WarnContext(ctx, "PostgreSQL does not answer, trying again", "host", cfg.ConnConfig.Host, "err", err)
		clock.Wait(ctx, clock.System{}, startPause)
	}
	if db.pool, err = pgxpool.NewWithConfig(ctx, cfg); err != nil {
		return nil, fmt.Errorf("open PostgreSQL: %w", err)
	}
	for range collectors {
		db.work.Go(func() { db.collect(context.WithoutCancel(ctx)) })
	}
	if db.identity, err = db.readIdentity(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open PostgreSQL: %w", err), db.Close())
	}
	return db, nil
}

// config returns the settings of the pool.
func (db *DB) config(url string) (*pgxpool.Config, error) {
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("read the address of PostgreSQL: %w", err) // the driver leaves the password out
	}
	if !strings.Contains(url, "pool_max_conns") {
		cfg.MaxConns = maxConns
	}
	if cfg.ConnConfig.ConnectTimeout == 0 {
		cfg.ConnConfig.ConnectTimeout = connectTime
	}
	maps.Copy(cfg.ConnConfig.RuntimeParams, settings)
	cfg.ConnConfig.DialFunc = (&net.Dialer{KeepAliveConfig: keepAlive}).DialContext
	cfg.ShouldPing = func(context.Context, pgxpool.ShouldPingParams) bool { return false } // lost connections are retried
	cfg.BeforeClose = func(c *pgx.Conn) {
		_ = c.PgConn().Conn().SetDeadline(clock.System{}.Now().Add(connectTime)) // it fails on a closed connection
	}
	cfg.AfterConnect = func(_ context.Context, c *pgx.Conn) error {
		c.PgConn().CustomData()[connKey] = &conn{
			pg: c.PgConn(), stmts: map[string]*pgconn.StatementDescription{}, epoch: db.epoch.Load(),
		}
		return nil
	}
	return cfg, nil
}

// transient reports whether an error at start may go away by itself: the server cannot be reached, starts, or has no
// connection to spare.
func transient(err error) bool {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return strings.HasPrefix(e.Code, "57") || strings.HasPrefix(e.Code, "53")
	}
	_, connecting := errors.AsType[*pgconn.ConnectError](err)
	_, network := errors.AsType[net.Error](err)
	return connecting || network
}

// migrationLock is the number of the lock that nodes hold while they migrate.
const migrationLock = 0x62656c6c686f70

// words spells the schema for PostgreSQL. Its TEXT takes no zero byte and sorts differently on different servers, so texts
// are bytes. A row that changes and finds room beside it leaves the indexes alone.
var words = strings.NewReplacer("TEXT", "BYTEA", "/* often changed */", "WITH (fillfactor = 80)")

// migrate runs the migrations on connections of their own, without bounds on the time of a statement.
func migrate(ctx context.Context, cfg *pgxpool.Config, log *slog.Logger) (err error) {
	own := cfg.ConnConfig.Copy()
	delete(own.RuntimeParams, "statement_timeout")
	delete(own.RuntimeParams, "idle_in_transaction_session_timeout")
	db := stdlib.OpenDB(*own)
	db.SetMaxOpenConns(2)
	defer func() { err = errors.Join(err, db.Close()) }()
	lock, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	if _, err := lock.ExecContext(ctx, "SELECT pg_advisory_lock($1)", int64(migrationLock)); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock(context.WithoutCancel(ctx), lock)) }()
	return store.Migrate(ctx, db, goose.DialectPostgres, words, log)
}

func unlock(ctx context.Context, c *sql.Conn) error {
	_, err := c.ExecContext(ctx, "SELECT pg_advisory_unlock($1)", int64(migrationLock))
	return err
}

// Identity distinguishes the database from all others. A database that was restored from a backup keeps its identity.
func (db *DB) Identity() string { return db.identity }

// selectIdentity returns when the schema was made.
const selectIdentity = "SELECT CAST(EXTRACT(EPOCH FROM MIN(tstamp)) * 1000000 AS BIGINT) FROM schema_versions"

func (db *DB) readIdentity(ctx context.Context) (identity string, err error) {
	_, err = db.ask(ctx, selectIdentity, nil, func(row store.Row) error {
		made, _ := row[0].(int64)
		identity = strconv.FormatInt(made, 36)
		return nil
	})
	return identity, err
}

// Shared returns true: other nodes write to the same database.
func (db *DB) Shared() bool { return true }

// Subscribe has fn called with every change that this process commits.
func (db *DB) Subscribe(fn func(*store.Change)) { db.subscribers = append(db.subscribers, fn) }

// Ping reports whether the server answers.
func (db *DB) Ping(ctx context.Context) error {
	_, err := db.ask(ctx, "SELECT 1", nil, nil)
	return err
}

// Close ends the store after the calls under way.
func (db *DB) Close() error {
	db.mu.Lock()
	closed := db.closed
	db.closed = true
	db.mu.Unlock()
	if !closed {
		db.calls.Wait()
		close(db.asks)
		db.work.Wait()
		db.pool.Close()
	}
	return nil
}

// errClosed says that the store was closed.
var errClosed = fmt.Errorf("%w: it is closed", store.ErrUnavailable)

// enter begins a call that Close waits for. Without an error, the caller ends it with db.calls.Done.
func (db *DB) enter() error {
	db.mu.RLock()
	defer db.mu.RUnlock()
	if db.closed {
		return errClosed
	}
	db.calls.Add(1)
	return nil
}

// ask runs one statement, again when the connection is lost. The statement may safely run twice.
func (db *DB) ask(ctx context.Context, text string, args []any, scan func(store.Row) error) (rows int64, err error) {
	err = db.call(ctx, func(ctx context.Context, c *conn) error {
		rows, err = c.query(ctx, []store.Statement{{SQL: text, Args: args}}, scan)
		return err
	})
	return rows, err
}

// call runs fn with a connection, and again with another one when the connection is lost or the server undid the
// transaction, until callTime is over.
func (db *DB) call(ctx context.Context, fn func(ctx context.Context, c *conn) error) error {
	if err := db.enter(); err != nil {
		return err
	}
	defer db.calls.Done()
	return db.repeat(ctx, fn)
}

// repeat is call on a store that Close waits for anyway.
func (db *DB) repeat(ctx context.Context, fn func(ctx context.Context, c *conn) error) error {
	end := db.deadline()
	ctx, cancel := context.WithDeadline(ctx, end)
	defer cancel()
	for pause := minPause; ; pause = min(2*pause, maxPause) {
		err := db.try(ctx, end, fn)
		if !errors.Is(err, errLost) && !errors.Is(err, errClash) {
			db.hung.Store(false)
			return err
		}
		db.numbers.retries.Inc()
		clock.Wait(ctx, clock.System{}, pause)
		if ctx.Err() != nil {
			db.numbers.unavailable.Inc()
			db.hung.Store(errors.Is(err, errLost))
			return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
		}
	}
}

// deadline returns when a call that begins now ends at the latest.
func (db *DB) deadline() time.Time {
	if db.hung.Load() {
		return clock.System{}.Now().Add(hungTime)
	}
	return clock.System{}.Now().Add(callTime)
}

// try runs fn once. ctx bounds the wait for a connection. The context of fn does not end: the connection has a deadline of
// its own, which is cheaper and does not break off a commit when a caller goes away.
func (db *DB) try(ctx context.Context, end time.Time, fn func(ctx context.Context, c *conn) error) error {
	pooled, err := db.pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("%w: %w", errLost, err)
	}
	c := pooled.Conn().PgConn().CustomData()[connKey].(*conn)
	lasting := context.WithoutCancel(ctx)
	defer db.release(lasting, pooled, c)
	if now := (clock.System{}).Now(); now.Add(tryTime).Before(end) {
		end = now.Add(tryTime)
	}
	c.limit(end)
	return fn(lasting, c)
}

// release returns a connection to the pool. After a lost one the others are replaced too: they lead to the same server.
func (db *DB) release(ctx context.Context, pooled *pgxpool.Conn, c *conn) {
	switch {
	case c.pg.IsClosed():
		// The driver takes up to 15 seconds to close a connection that is black-holed. Its place in the pool is free at once.
		pooled.Hijack()
		if db.epoch.CompareAndSwap(c.epoch, c.epoch+1) {
			db.pool.Reset()
		}
	case c.pg.TxStatus() != 'I':
		db.work.Go(func() { db.rollback(ctx, pooled, c) }) // the caller does not wait for it
	default:
		pooled.Release()
	}
}

// rollback ends the transaction of a connection and releases it. An error closes the connection, which does the same.
func (db *DB) rollback(ctx context.Context, pooled *pgxpool.Conn, c *conn) {
	c.limit(clock.System{}.Now().Add(tryTime))
	_, err := c.exec(ctx, []store.Statement{{SQL: "ROLLBACK"}})
	if err == nil {
		pooled.Release()
		return
	}
	pooled.Hijack()
}
