// Package postgres keeps a store in a database of a PostgreSQL server, which any number of processes share.
package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net"
	"slices"
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
	// maxConns bounds the connections of a node unless the URL has pool_max_conns. A server accepts a hundred by default.
	// More than a few connections for each core of the server do not make it faster.
	maxConns = 24
	// maxOpening bounds the connections that a node opens at a time. A server that hangs accepts connections all the same. When it
	// works again, it starts a process for each, although the node has given up, and then for each that the node still wants. A call
	// that waits its turn often gets a connection that another one has released.
	maxOpening = 2
	// statementTime bounds a statement unless the URL has statement_timeout. DB.attemptTime is 6/5 of it and DB.callTime
	// 5/2: a server that works answers a slow statement with an error before the connection counts as lost.
	statementTime = time.Second
	// connectTime bounds how long a connection may take to open, unless the URL has connect_timeout.
	connectTime = time.Second
	// minPause and maxPause bound the pause between two attempts. The pause doubles with each attempt.
	minPause = 5 * time.Millisecond
	maxPause = 200 * time.Millisecond
	// startPause is the pause between attempts to reach the server at start. startTime bounds all attempts.
	startPause = 500 * time.Millisecond
	startTime  = 2 * time.Minute
)

// sessionSettings are parameters of every session. When a node disappears, PostgreSQL ends its transactions and, by TCP
// keep-alive, its connections within seconds. PostgreSQL plans each prepared statement once, so plans have to use indexes
// also when the tables are small. They are not startup parameters, because connection poolers refuse those.
var sessionSettings = settings{
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

// The names of connections in pg_stat_activity: of those that commit changes, and of those of migrations and tools.
const (
	nodeName = "bellhop"
	toolName = "bellhop-tool"
)

// keepAlive makes the operating system detect within seconds that the server is gone.
var keepAlive = net.KeepAliveConfig{Enable: true, Idle: 2 * time.Second, Interval: time.Second, Count: 3}

// DB is a store in a PostgreSQL database. It is safe for concurrent use.
type DB struct {
	pool     *pgxpool.Pool
	identity string
	metrics  metrics
	damage   *store.Damage
	wall     clock.Clock // the system's clock
	holder   int64       // names this process in claims
	// revisions makes the revisions of this node's changes.
	revisions *store.Revisions
	// callTime bounds every call. attemptTime bounds one attempt, so that a call has time for a second attempt after a
	// dead connection.
	callTime, attemptTime time.Duration
	// opening has a place for each call for which the pool may open a connection.
	opening chan struct{}
	// generation grows when a connection is lost. The pool then replaces the connections of earlier generations.
	generation  atomic.Uint64
	subscribers []func(*store.Change)
	lookups     chan *lookup // closed by Close

	mu     sync.RWMutex // guards closed, and calls against Close
	closed bool
	calls  sync.WaitGroup
	// background counts the goroutines that run longer than the call that started them.
	background sync.WaitGroup
}

var _ store.Store = (*DB)(nil)

// Open opens the database that a URL names and brings its schema up to date. It waits for a server that does not answer,
// for two minutes, and for other processes that migrate the schema. It returns an error at once when the server refuses
// the user or has no such database, and store.ErrNewerSchema when a later version of the program has migrated the schema.
// wall is the system's clock, also when dev controls move the clock of the service.
func Open(ctx context.Context, url string, wall clock.Clock, log *slog.Logger) (*DB, error) {
	db := &DB{metrics: newMetrics(), damage: store.NewDamage(log), wall: wall, holder: rand.Int64(), revisions: store.NewRevisions(), lookups: make(chan *lookup, maxLookups), opening: make(chan struct{}, maxOpening)}
	cfg, err := db.config(url)
	if err != nil {
		return nil, err
	}
	if err := migrateAtStart(ctx, cfg, wall, log); err != nil {
		return nil, fmt.Errorf("open PostgreSQL: %w", err)
	}
	if db.pool, err = pgxpool.NewWithConfig(ctx, cfg); err != nil {
		return nil, fmt.Errorf("open PostgreSQL: %w", err)
	}
	for range collectors {
		db.background.Go(func() { db.collect(context.WithoutCancel(ctx)) })
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
	params := cfg.ConnConfig.RuntimeParams
	timeout := cmp.Or(params["statement_timeout"], strconv.FormatInt(statementTime.Milliseconds(), 10))
	limit, err := strconv.ParseUint(timeout, 10, 31)
	if err != nil || limit == 0 {
		return nil, fmt.Errorf("statement_timeout in the address of PostgreSQL is %q, but must be a number of milliseconds", timeout)
	}
	delete(params, "statement_timeout")
	params["application_name"] = cmp.Or(params["application_name"], nodeName)
	db.callTime = time.Duration(limit) * time.Millisecond * 5 / 2
	db.attemptTime = time.Duration(limit) * time.Millisecond * 6 / 5
	local := settings{"statement_timeout": timeout, "idle_in_transaction_session_timeout": "2000"}
	session := maps.Clone(sessionSettings)
	maps.Copy(session, local)
	cfg.ConnConfig.DialFunc = (&net.Dialer{KeepAliveConfig: keepAlive}).DialContext
	cfg.ShouldPing = func(context.Context, pgxpool.ShouldPingParams) bool { return false } // lost connections are retried
	cfg.BeforeClose = func(c *pgx.Conn) {
		_ = c.PgConn().Conn().SetDeadline(clock.DeadlineNow().Add(connectTime)) // it fails on a closed connection
	}
	cfg.AfterConnect = func(ctx context.Context, pooled *pgx.Conn) error {
		pg, generation := pooled.PgConn(), db.generation.Load()
		_ = pg.Conn().SetDeadline(clock.DeadlineNow().Add(cfg.ConnConfig.ConnectTimeout)) // it fails on a closed connection
		c, err := newConn(ctx, pg, session, local)
		if err != nil {
			return err
		}
		c.generation = generation
		pg.CustomData()[connKey] = c
		return nil
	}
	return cfg, nil
}

// migrateAtStart migrates the schema. It waits for a server that does not answer, at most for startTime.
func migrateAtStart(ctx context.Context, cfg *pgxpool.Config, wall clock.Clock, log *slog.Logger) error {
	began := clock.Elapsed(wall)
	for {
		err := migrate(ctx, cfg, log)
		switch {
		case err == nil || ctx.Err() != nil:
			return err
		case refused(err):
			return fmt.Errorf("the server refuses the user, the password or the database of the address: %w", err)
		case !transient(err):
			return err
		case clock.Elapsed(wall)-began >= startTime:
			return fmt.Errorf("the server did not answer within %v: %w", startTime, err)
		}
		log.WarnContext(ctx, "PostgreSQL does not answer, trying again", "host", cfg.ConnConfig.Host, "err", err)
		clock.Wait(ctx, wall, startPause)
	}
}

// refused reports whether an operator has to act before the server accepts the connection. PgBouncer has one code for all
// its errors.
func refused(err error) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return false
	}
	switch e.Code[:min(2, len(e.Code))] {
	case "28", "3D": // invalid authorization, invalid catalog name
		return true
	case "08":
		return slices.ContainsFunc([]string{"no such", "does not exist", "authentication failed", "not allowed", "disabled", "config error"},
			func(part string) bool { return strings.Contains(e.Message, part) })
	}
	return false
}

// transient reports whether an error at start may go away without an operator: the server cannot be reached, is
// starting, or has no free connection, or a pooler cannot reach it.
func transient(err error) bool {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return strings.HasPrefix(e.Code, "57") || strings.HasPrefix(e.Code, "53") || strings.HasPrefix(e.Code, "08")
	}
	_, connecting := errors.AsType[*pgconn.ConnectError](err)
	_, network := errors.AsType[net.Error](err)
	return connecting || network
}

// migrationLock is the number of the lock that nodes hold while they migrate.
const migrationLock = 0x62656c6c686f70

// dialect replaces the parts of the schema that PostgreSQL writes differently. Texts are bytes: a TEXT column cannot
// hold a zero byte, and its order depends on the server. The fill factor leaves room for a new version of a row on the
// same page, so that an update does not change the indexes.
var dialect = strings.NewReplacer("TEXT", "BYTEA", "/* often changed */", "WITH (fillfactor = 80)",
	"/* of the transaction */", "DEFAULT CAST(CAST(pg_current_xact_id() AS TEXT) AS BIGINT)",
	"/* counted */", "GENERATED ALWAYS AS IDENTITY", "/* unlogged */", "UNLOGGED",
	"/* of the server's clock */", "DEFAULT "+serverMicros, "/* triggers that count members */", countMembers,
	"/* triggers that note lobbies */", noteLobbies)

// countMembers creates the trigger that keeps the table member_counts. The slot follows from the connection: a transaction writes
// to one slot only, and rarely waits for another one.
const countMembers = `
-- +goose StatementBegin
CREATE FUNCTION count_member() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    change BIGINT := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
    guild  BIGINT := CASE TG_OP WHEN 'INSERT' THEN NEW.guild_id ELSE OLD.guild_id END;
BEGIN
    INSERT INTO member_counts AS c VALUES (guild, pg_backend_pid() % 64, change)
        ON CONFLICT (guild_id, slot) DO UPDATE SET members = c.members + change;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER members_counted AFTER INSERT OR DELETE ON members FOR EACH ROW EXECUTE FUNCTION count_member();
`

// migrate runs the migrations on separate connections, without a limit on the time of a statement.
func migrate(ctx context.Context, cfg *pgxpool.Config, log *slog.Logger) (err error) {
	db := stdlib.OpenDB(*toolConfig(cfg))
	db.SetMaxOpenConns(2)
	defer func() { err = errors.Join(err, db.Close()) }()
	lock, err := db.BeginTx(ctx, nil) // the lock ends with its transaction, also behind a connection pooler
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Rollback()) }()
	if _, err := lock.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1)", int64(migrationLock)); err != nil {
		return err
	}
	return store.Migrate(ctx, db, goose.DialectPostgres, dialect, log)
}

// toolConfig returns the settings of a connection that commits no changes. It prepares no statements, because a
// connection pooler may be in between.
func toolConfig(cfg *pgxpool.Config) *pgx.ConnConfig {
	own := cfg.ConnConfig.Copy()
	delete(own.RuntimeParams, "statement_timeout")
	own.RuntimeParams["application_name"] = toolName
	own.DefaultQueryExecMode = pgx.QueryExecModeExec
	return own
}

// Identity returns a name that no other database has. A database that was restored from a backup keeps it.
func (db *DB) Identity() string { return db.identity }

// selectIdentity selects when the schema was created.
const selectIdentity = "SELECT CAST(EXTRACT(EPOCH FROM MIN(tstamp)) * 1000000 AS BIGINT) FROM schema_versions"

func (db *DB) readIdentity(ctx context.Context) (identity string, err error) {
	err = db.query(ctx, selectIdentity, nil, func(row store.Row) error {
		created, _ := row[0].(int64)
		identity = strconv.FormatInt(created, 36)
		return nil
	})
	return identity, err
}

// Shared returns true: other nodes write to the same database.
func (db *DB) Shared() bool { return true }

// SetNode makes the revisions of later changes contain the node number of this process, which no other process may have.
func (db *DB) SetNode(number uint16) { db.revisions.SetNode(number) }

// Subscribe makes the store call fn with every change that this process commits.
func (db *DB) Subscribe(fn func(*store.Change)) { db.subscribers = append(db.subscribers, fn) }

// Ping reports whether the server answers. It returns store.ErrNewerSchema when a later version of the program has
// migrated the database.
func (db *DB) Ping(ctx context.Context) error {
	var has int64
	err := db.query(ctx, "SELECT MAX(version_id) FROM schema_versions", nil, func(row store.Row) error {
		has, _ = row[0].(int64)
		return nil
	})
	if err != nil {
		return err
	}
	return store.CheckSchema(has)
}

// Close waits for the calls in progress and closes the store.
func (db *DB) Close() error {
	db.mu.Lock()
	closed := db.closed
	db.closed = true
	db.mu.Unlock()
	if !closed {
		db.calls.Wait()
		close(db.lookups)
		db.background.Wait()
		db.pool.Close()
	}
	return nil
}

// errClosed says that the store was closed.
var errClosed = fmt.Errorf("%w: the store is closed", store.ErrUnavailable)

// begin begins a call that Close waits for. If it returns no error, the caller ends the call with db.calls.Done.
func (db *DB) begin() error {
	db.mu.RLock()
	defer db.mu.RUnlock()
	if db.closed {
		return errClosed
	}
	db.calls.Add(1)
	return nil
}

// query runs one statement, and runs it again when the connection is lost. So the statement must be safe to run twice.
func (db *DB) query(ctx context.Context, text string, args []any, scan func(store.Row) error) error {
	if err := db.begin(); err != nil {
		return err
	}
	defer db.calls.Done()
	return db.call(ctx, func(ctx context.Context, c *conn) error {
		_, err := c.query(ctx, []store.Statement{{SQL: text, Args: args}}, scan)
		return err
	})
}

// call runs fn with a connection. When the connection is lost or the server rolled the transaction back, it runs fn
// again with another connection, until db.callTime or the wait budget of the request is over. ctx bounds the wait for a
// connection. The context of fn does not end: the connection has a deadline, which is cheaper and does not interrupt a
// commit when the caller's context ends.
func (db *DB) call(ctx context.Context, fn func(ctx context.Context, c *conn) error) error {
	began := clock.DeadlineNow()
	end := began.Add(store.WaitBudget(ctx, db.callTime))
	waiting, cancel := context.WithDeadline(ctx, end)
	defer cancel()
	err := db.attempts(waiting, end, fn)
	store.Waited(ctx, clock.DeadlineNow().Sub(began), !errors.Is(err, store.ErrUnavailable))
	return err
}

// attempts runs fn until the server has answered or ctx ends.
func (db *DB) attempts(ctx context.Context, end time.Time, fn func(ctx context.Context, c *conn) error) error {
	unbounded := context.WithoutCancel(ctx)
	var pooled *pgxpool.Conn
	defer func() {
		if pooled != nil { // fn panicked
			db.release(unbounded, pooled)
		}
	}()
	for pause := minPause; ; pause = min(2*pause, maxPause) {
		var err error
		if pooled, err = db.acquire(ctx); err != nil {
			err = fmt.Errorf("%w: %w", errLost, err)
		} else {
			c := connOf(pooled)
			c.end = end
			c.limit(db.attemptTime)
			err = fn(unbounded, c)
			db.release(unbounded, pooled)
			pooled = nil
		}
		if !errors.Is(err, errLost) && !errors.Is(err, errRolledBack) {
			return err
		}
		db.metrics.retries.Inc()
		clock.Wait(ctx, db.wall, pause)
		if ctx.Err() != nil {
			db.metrics.unavailable.Inc()
			return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
		}
	}
}

// acquire takes a connection of the pool. The pool opens one for each call that finds none idle, so such a call waits until it has a
// place. By then another call may have released its connection.
func (db *DB) acquire(ctx context.Context) (*pgxpool.Conn, error) {
	if db.pool.Stat().IdleConns() == 0 {
		select {
		case db.opening <- struct{}{}:
			defer func() { <-db.opening }()
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return db.pool.Acquire(ctx)
}

// connOf returns the conn of a connection in the pool.
func connOf(pooled *pgxpool.Conn) *conn { return pooled.Conn().PgConn().CustomData()[connKey].(*conn) }

// release returns a connection to the pool. When the connection is lost, release replaces the others too: they lead to
// the same server. It keeps them when the call has ended: its last statement had less time than a slow one may take.
func (db *DB) release(ctx context.Context, pooled *pgxpool.Conn) {
	switch c := connOf(pooled); {
	case c.pg.IsClosed():
		// The driver takes up to 15 seconds to close a connection whose packets are dropped. Hijack frees its place in the
		// pool at once.
		pooled.Hijack()
		ended := !clock.DeadlineNow().Before(c.end)
		if !ended && db.generation.CompareAndSwap(c.generation, c.generation+1) {
			db.pool.Reset()
		}
	case c.pg.TxStatus() != 'I':
		db.background.Go(func() { db.rollback(ctx, pooled, c) }) // the caller does not wait for it
	default:
		pooled.Release()
	}
}

// rollback rolls back the transaction of a connection and releases the connection. On an error it closes the
// connection, which rolls the transaction back too.
func (db *DB) rollback(ctx context.Context, pooled *pgxpool.Conn, c *conn) {
	c.end = clock.DeadlineNow().Add(db.attemptTime)
	c.limit(db.attemptTime)
	_, err := c.exec(ctx, []store.Statement{{SQL: "ROLLBACK"}})
	if err == nil {
		pooled.Release()
		return
	}
	pooled.Hijack()
}
