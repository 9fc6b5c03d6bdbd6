// Package postgres keeps a store in a database of a PostgreSQL server, which any number of processes share.
package postgres

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"hash/maphash"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/sqlstore"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/prometheus/client_golang/prometheus"
)

const (
	// maxConns is how many connections a node opens unless the URL says pool_max_conns. A hundred are what a server
	// takes by default, and more than a few for each core gain nothing.
	maxConns = 24
	// connectTime is how long a connection may take to come about, unitTime how long the server may take for a unit of work.
	connectTime = 3 * time.Second
	unitTime    = 15 * time.Second
	// maxTries is how often a unit of work is run that others get in the way of, maxPause the longest wait in between.
	// From patientTries on it waits in line.
	maxTries     = 100
	patientTries = 4
	maxPause     = 20 * time.Millisecond
	// maxLost is how often a unit of work is run anew whose connection was lost before its end was asked for.
	maxLost = 3
	// doubtTime is how long the end of a unit of work is asked after when the connection was lost while it was on its way.
	doubtTime  = 10 * time.Second
	doubtPause = 50 * time.Millisecond
	// maxWaiting is how many drafts wait in line, and how many of their questions; callers beyond it wait for a place.
	maxWaiting = 1024
)

// Statements around units of work.
const (
	beginView   = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
	beginUpdate = "BEGIN ISOLATION LEVEL SERIALIZABLE"
	// takeTurn puts units of work in line that others got in the way of, before they look at anything. The table is one that
	// nobody writes to; reading and migrating it does not mind.
	takeTurn = "LOCK TABLE schema_versions IN SHARE UPDATE EXCLUSIVE MODE"
	// identify returns the number of the transaction, which tells later how it ended, and a place in the server's log by
	// which that number is taken, and how long the transaction has run, in microseconds.
	identify = "SELECT pg_current_xact_id(), pg_logical_emit_message(true, 'bellhop', '')," +
		" (EXTRACT(EPOCH FROM clock_timestamp() - now()) * 1000000)::bigint"
	commit   = "COMMIT"
	rollback = "ROLLBACK"
	// selectEnd tells how a transaction ended, selectReplayed how far the server's log reached when it last came back from
	// a crash.
	selectEnd      = "SELECT pg_xact_status($1::xid8), (pg_last_wal_replay_lsn() - '0/0')::bigint"
	selectReplayed = "SELECT (pg_last_wal_replay_lsn() - '0/0')::bigint"
)

// What begins a unit of work that writes: at once, or in line behind others, who then cannot get in its way.
var (
	hasty  = []string{beginUpdate, identify}
	inLine = []string{beginUpdate, takeTurn, identify}
)

// migrationLock is the number under which nodes that start at the same time wait for each other.
const migrationLock = 0x62656c6c686f70

// words spells the schema for PostgreSQL: its text takes neither a zero byte nor a collation that is the same on
// every server, so texts are bytes here. A row that changes and finds room beside it leaves the indexes alone. An index more, or
// a wide one, costs little.
var words = strings.NewReplacer(
	"TEXT", "BYTEA",
	"/* often changed */", "WITH (fillfactor = 80)",
	"DROP INDEX lobbies_application /* where one process writes */",
	"CREATE INDEX IF NOT EXISTS lobbies_application ON lobbies (application_id)",
	"DROP INDEX lobby_members_user /* where one process writes */;\nCREATE INDEX lobby_members_by_user ON lobby_members (user_id)",
	"CREATE INDEX IF NOT EXISTS lobby_members_user ON lobby_members (user_id, application_id, lobby_id)",
)

// engine is a database of a PostgreSQL server, or of one that speaks its protocol. Any number of processes share it.
//
// Units of work run at the same time, as the server's serializable transactions: what they see and do is as if they ran one
// after another, and one that would break that is undone by the server and runs again here.
type engine struct {
	pool    *pgxpool.Pool
	log     *slog.Logger
	retries *prometheus.CounterVec
	refused prometheus.Counter

	ctx    context.Context //nolint:containedctx // never ends: of what is done for several callers at a time
	memory memory
	line   chan *draft    // closed by close
	asked  chan *question // closed by close
	work   sync.WaitGroup // on both
}

// DB is a store in a PostgreSQL database. It is safe for concurrent use.
type DB struct {
	*sqlstore.DB

	engine   *engine
	identity string
}

// Open opens the database that a URL names and brings its schema up to date, under a lock that other processes
// wait for. A database with a schema of a later generation gets sqlstore.ErrNewerSchema.
func Open(ctx context.Context, url string, log *slog.Logger) (*DB, error) {
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
	limit := strconv.FormatInt(unitTime.Milliseconds(), 10)
	cfg.ConnConfig.RuntimeParams["statement_timeout"] = limit
	cfg.ConnConfig.RuntimeParams["idle_in_transaction_session_timeout"] = limit
	cfg.ConnConfig.RuntimeParams["application_name"] = "bellhop"
	// A scan of a whole table, which the planner takes for cheap while the table is small, would get in the way of every write
	// to it.
	cfg.ConnConfig.RuntimeParams["enable_seqscan"] = "off"
	cfg.ConnConfig.RuntimeParams["jit"] = "off" // never worth it for statements of this size
	if err := migrate(ctx, cfg, log); err != nil {
		return nil, fmt.Errorf("open PostgreSQL: %w", err)
	}
	cfg.AfterConnect = func(ctx context.Context, c *pgx.Conn) error {
		var replayed *int64
		err := c.QueryRow(ctx, selectReplayed).Scan(&replayed)
		c.PgConn().CustomData()[connKey] = &conn{
			conn: c.PgConn(), ctx: context.WithoutCancel(ctx), stmts: map[string]*stmt{}, replayed: replayed,
		}
		return err
	}
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("open PostgreSQL: %w", err)
	}
	e := &engine{
		pool: pool, log: log, retries: newRetries(), refused: newRefused(), line: make(chan *draft, maxWaiting),
		asked: make(chan *question, maxWaiting), ctx: context.WithoutCancel(ctx), memory: memory{seed: maphash.MakeSeed()},
	}
	e.work.Go(e.write)
	for range readers {
		e.work.Go(e.answer)
	}
	db := &DB{DB: sqlstore.New(e), engine: e}
	if err := pool.QueryRow(ctx, selectIdentity).Scan(&db.identity); err != nil {
		return nil, errors.Join(fmt.Errorf("open PostgreSQL: %w", err), db.Close())
	}
	return db, nil
}

// Identity tells a database from all others, for as long as it exists.
func (db *DB) Identity() string { return db.identity }

// selectIdentity returns when the database was made: what is restored from a backup is the same database.
const selectIdentity = "SELECT to_char(MIN(tstamp), 'YYMMDDHH24MISSUS') FROM schema_versions"

// migrate runs the migrations on a connection of its own, for which the time of a unit of work does not count.
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
	return sqlstore.Migrate(ctx, db, goose.DialectPostgres, words, log)
}

func unlock(ctx context.Context, c *sql.Conn) error {
	_, err := c.ExecContext(ctx, "SELECT pg_advisory_unlock($1)", int64(migrationLock))
	return err
}

func (e *engine) View(ctx context.Context, fn func(*sqlstore.Tx) error) error {
	if store.IsTentative(ctx) {
		return sqlstore.NewTx(&draft{engine: e, ctx: ctx, view: true}, nil).Run(fn)
	}
	for lost := 0; ; lost++ {
		err := e.tryView(ctx, fn)
		if !errors.Is(err, errLost) || lost == maxLost {
			return err
		}
		e.pool.Reset()
	}
}

func (e *engine) tryView(ctx context.Context, fn func(*sqlstore.Tx) error) error {
	c, release, err := e.acquire(ctx, beginView)
	if err != nil {
		return err
	}
	defer release()
	t := sqlstore.NewTx(c, nil)
	defer func() {
		t.End()
		c.end()
	}()
	err = fn(t)
	if errors.Is(t.Failed(), errLost) {
		return t.Failed()
	}
	return err
}

// Update drafts a unit of work that may be, and keeps it together with others. What cannot be drafted runs live.
func (e *engine) Update(ctx context.Context, fn func(*sqlstore.Tx) error) error {
	if !store.IsTentative(ctx) {
		return e.live(ctx, fn, 1)
	}
	ctx = context.WithoutCancel(ctx) // it begins now
	var told []step
	for range maxDrafts {
		d := &draft{engine: e, ctx: ctx, told: told}
		err := sqlstore.NewTx(d, nil).Run(fn)
		if d.broken != nil || err != nil && len(d.wrote) > 0 {
			break
		}
		if len(d.steps) == 0 || d.failed {
			return err
		}
		d.refused = err != nil
		e.submit(d)
		if d.again == nil {
			if d.err == nil {
				e.memory.note(d.steps)
			}
			return cmp.Or(d.err, err)
		}
		if errors.Is(d.again, errLive) {
			break
		}
		e.retries.WithLabelValues(reason(d.again)).Inc()
		told = d.learned
		e.memory.note(told)
	}
	return e.live(ctx, fn, patientTries)
}

// reason says in a word why a draft is made again.
func reason(err error) string {
	if errors.Is(err, errLost) {
		return "lost"
	}
	return "changed"
}

// live runs a unit of work in a transaction of its own until it has ended one way or the other. It begins with the given try.
func (e *engine) live(ctx context.Context, fn func(*sqlstore.Tx) error, try int) error {
	conflicts, lost := 0, 0
	begun := context.WithoutCancel(ctx)
	for first := try; ; try++ {
		until := begun // a unit that has begun is finished
		if try == first {
			until = ctx
		}
		opening := hasty
		if try >= patientTries {
			opening = inLine
		}
		err, again := e.tryUpdate(until, fn, opening)
		switch {
		case errors.Is(again, errDisturbed) && try < maxTries:
			e.retries.WithLabelValues("disturbed").Inc()
			if try >= patientTries {
				clock.Wait(begun, clock.System{}, min(time.Duration(try)*time.Millisecond, maxPause))
			}
		case errors.Is(again, errClash) && conflicts == 0:
			// What it clashed with may have come about after its snapshot: then it decides differently now.
			e.retries.WithLabelValues("clash").Inc()
			conflicts++
		case errors.Is(again, errLost) && lost < maxLost:
			e.retries.WithLabelValues("lost").Inc()
			lost++
			e.pool.Reset()
		case errors.Is(again, errDisturbed):
			return fmt.Errorf("%w: %w", store.ErrUnavailable, again)
		case errors.Is(again, errLost):
			return again
		default:
			return err
		}
	}
}

// tryUpdate runs a unit of work once. again says why it is worth another try.
func (e *engine) tryUpdate(ctx context.Context, fn func(*sqlstore.Tx) error, opening []string) (err, again error) {
	c, release, err := e.acquire(ctx, opening...)
	if err != nil {
		return err, nil
	}
	defer release()
	if err := sqlstore.NewTx(c, nil).Run(fn); err != nil || c.broken != nil {
		c.end()
		return err, c.broken
	}
	err = c.commit()
	if errors.Is(err, errLost) {
		err = e.settle(context.WithoutCancel(ctx), c)
		return err, err
	}
	return err, c.broken
}

// settle finds out how a transaction ended whose connection was lost while it was told to commit.
func (e *engine) settle(ctx context.Context, c *conn) error {
	ctx, cancel := context.WithTimeout(ctx, doubtTime)
	defer cancel()
	e.pool.Reset()
	for {
		var status *string
		var replayed *int64
		err := e.pool.QueryRow(ctx, selectEnd, c.xid).Scan(&status, &replayed)
		switch {
		case isFuture(err), err == nil && (status == nil || *status == "aborted" || c.forgotten(replayed)):
			return errLost
		case err == nil && *status == "committed":
			return nil
		}
		clock.Wait(ctx, clock.System{}, doubtPause)
		if ctx.Err() != nil {
			return fmt.Errorf("%w: %w: %w", store.ErrUnavailable, store.ErrUnsure, errors.Join(err, ctx.Err()))
		}
	}
}

// acquire returns a connection on which nothing is under way, and what gives it back. The opening is sent together with the
// first statement.
func (e *engine) acquire(ctx context.Context, opening ...string) (*conn, func(), error) {
	wait, cancel := context.WithTimeout(ctx, unitTime)
	defer cancel()
	pooled, err := e.pool.Acquire(wait)
	if err != nil {
		if ctx.Err() != nil {
			return nil, nil, fmt.Errorf("wait for a connection: %w", ctx.Err())
		}
		e.refused.Inc()
		return nil, nil, fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	c := pooled.Conn().PgConn().CustomData()[connKey].(*conn)
	c.open(opening)
	return c, func() {
		c.rest()
		pooled.Release()
	}, nil
}

func (e *engine) Close() error {
	close(e.line)
	close(e.asked)
	e.work.Wait()
	e.pool.Close()
	return nil
}
