package postgres

import (
	"context"
	"errors"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/jackc/pgx/v5/pgconn"
)

// Expressions of PostgreSQL: the server's time in microseconds, the number of the oldest transaction that had not ended
// when the statement began, and a number above those of all transactions that had ended.
const (
	serverMicros = "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT)"
	oldestOpen   = "CAST(CAST(pg_snapshot_xmin(pg_current_snapshot()) AS TEXT) AS BIGINT)"
	aboveEnded   = "CAST(CAST(pg_snapshot_xmax(pg_current_snapshot()) AS TEXT) AS BIGINT)"
)

const (
	insertEvents = "INSERT INTO events (revision, doc, partitions) SELECT CAST(? AS BIGINT), doc, CAST(CONVERT_FROM(parts, 'UTF8') AS INTEGER[])" +
		" FROM UNNEST(CAST(? AS BYTEA[]), CAST(? AS BYTEA[])) WITH ORDINALITY AS q (doc, parts, n)"
	// insertMissing inserts events unless there are some with the revision. The lock waits for an earlier attempt.
	insertMissing = insertEvents + " WHERE NOT EXISTS (" + selectRecorded + ") ORDER BY n"
	insertAll     = insertEvents + " ORDER BY n"
	lockBatch     = "SELECT pg_advisory_xact_lock(?)"
	// selectRecorded looks among the newest events, which are more than the nodes record while a commit may last.
	selectRecorded = "SELECT 1 FROM (SELECT revision FROM events ORDER BY xid DESC, seq DESC LIMIT 65536) AS newest WHERE revision = ?"

	// selectEvents selects the events after a position whose order is final: those of transactions below every open
	// transaction, or below a number that the caller knows to be low enough. It selects only those of the partitions of a filter.
	selectEvents  = "SELECT xid, seq, doc " + fromEvents
	selectNextKey = "SELECT xid, seq " + fromEvents
	fromEvents    = "FROM events WHERE (xid, seq) > (CAST(? AS BIGINT), CAST(? AS BIGINT)) AND " + isFinal +
		" AND EXISTS (SELECT 1 FROM UNNEST(partitions) AS p WHERE GET_BIT(CAST(? AS BYTEA), p & CAST(? AS BIGINT)) = 1) ORDER BY xid, seq LIMIT ?"
	isFinal = "xid < GREATEST(CAST(? AS BIGINT), " + oldestOpen + ")"
	// selectLast selects the last event whose order is final, of any partition.
	selectLast = "SELECT xid, seq FROM events WHERE " + isFinal + " ORDER BY xid DESC, seq DESC LIMIT 1"
	selectLog  = "SELECT xid, seq, " + oldestOpen + ", " + aboveEnded + ", COALESCE((SELECT MAX(xid) FROM events), 0), "
	fromLog    = " FROM events_removed"
	// historyName changes when a standby server becomes the primary one, or when another server takes the place.
	historyName = "CONVERT_TO(CONCAT((SELECT system_identifier FROM pg_control_system()), ' '," +
		" SUBSTR(pg_walfile_name(pg_current_wal_lsn()), 1, 8)), 'UTF8')"

	// selectWriters selects the transactions that may record events: those that hold or wait for a lock to write to
	// subjects or events. The second column says whether the server hides the number from this user.
	selectWriters = "SELECT CAST(CAST(a.backend_xid AS TEXT) AS BIGINT), CASE WHEN a.state IS NULL THEN 1 ELSE 0 END" +
		" FROM pg_locks AS l JOIN pg_stat_activity AS a ON a.pid = l.pid" +
		" WHERE l.locktype = 'relation' AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())" +
		" AND l.relation IN (CAST('subjects' AS REGCLASS), CAST('events' AS REGCLASS))" +
		" AND l.mode IN ('RowShareLock', 'RowExclusiveLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')"

	// removeEvents removes events that are older than a time, if the last removed event is still the given one and no
	// other node removes events now. It removes the first events of the log only, so that the position of the last one
	// says which are left.
	removeEvents = "WITH old AS (SELECT xid, seq FROM (SELECT xid, seq, created FROM events" +
		" WHERE (xid, seq) > (CAST(? AS BIGINT), CAST(? AS BIGINT)) ORDER BY xid, seq LIMIT ?) AS first" +
		" WHERE created < " + serverMicros + " - ?)," +
		" turn AS (SELECT 1 FROM events_removed WHERE xid = ? AND seq = ? FOR UPDATE SKIP LOCKED)," +
		" gone AS (DELETE FROM events AS e USING old, turn WHERE e.xid = old.xid AND e.seq = old.seq RETURNING e.xid, e.seq)" +
		" UPDATE events_removed SET (xid, seq) = (SELECT xid, seq FROM gone ORDER BY xid DESC, seq DESC LIMIT 1)" +
		" WHERE EXISTS (SELECT 1 FROM gone) RETURNING xid, seq, (SELECT COUNT(*) FROM gone)"
)

// isRecorded reports whether a change with events was committed a moment ago.
func isRecorded(ctx context.Context, on *conn, revision int64) (bool, error) {
	rows, err := on.query(ctx, []store.Statement{{SQL: selectRecorded, Args: []any{revision}}}, nil)
	return rows > 0, err
}

// eventPage is a part of the log, and what the server said about the log at that moment.
type eventPage struct {
	rows    []eventRow
	last    events.Position // of the last event of any partition that the read has passed, if there is one
	history uint64          // identifies the history of the server
	removed events.Position // of the last event that was removed
	oldest  uint64          // the oldest open transaction
	end     uint64          // larger than the number of every transaction that has ended
	newest  uint64          // transaction of the newest event, which may be in no page yet
}

type eventRow struct {
	at    events.Position
	entry []byte
}

// errHistory says that the events after a position cannot be read: some were removed, or the position belongs to another
// history.
var errHistory = errors.New("the event log does not reach back to the position")

// check returns errHistory when events after a position may be missing in the log.
func (p *eventPage) check(at events.Position) error {
	if at.History != p.history || at.Transaction > p.end || at.Before(p.removed) {
		return errHistory
	}
	return nil
}

// eventLimits bounds what readEvents returns.
type eventLimits struct {
	rows   int
	filter events.Filter
	// settled is a number below which no open transaction can record an event. 0: the server's oldest transaction counts.
	settled uint64
	ownOnly bool // look for a larger number: only transactions that may record events count
	unnamed bool // the server does not tell the name of its history
	keys    bool // without the events themselves
}

// readEvents returns the events after a position. With ownOnly it returns the number that it found.
func (db *DB) readEvents(ctx context.Context, at events.Position, l eventLimits) (page eventPage, settled uint64, err error) {
	if err := db.begin(); err != nil {
		return page, 0, err
	}
	defer db.calls.Done()
	err = db.call(ctx, func(ctx context.Context, on *conn) error {
		settled = l.settled
		if l.ownOnly {
			own, err := ownHorizon(ctx, on)
			if err != nil {
				return err
			}
			settled = max(settled, own)
		}
		page, err = readPage(ctx, on, at, settled, &l)
		return err
	})
	return page, settled, err
}

// readPage reads the end of the log, then events, and then the state of the log. Each may be newer than the one before.
func readPage(ctx context.Context, on *conn, at events.Position, settled uint64, l *eventLimits) (eventPage, error) {
	query, state := selectEvents, selectLog+historyName+fromLog
	if l.keys {
		query = selectNextKey
	}
	if l.unnamed {
		state = selectLog + "NULL" + fromLog
	}
	var page eventPage
	list := []store.Statement{
		{SQL: query, Args: []any{
			int64(at.Transaction), int64(at.Number), int64(settled), l.filter.Bits, int64(l.filter.Mask), int64(l.rows),
		}},
		{SQL: state},
	}
	if l.rows > 1 { // otherwise a row is damaged, maybe the last one
		list = slices.Insert(list, 0, store.Statement{SQL: selectLast, Args: []any{int64(settled)}})
	}
	_, err := on.queries(ctx, list, func(i int, row store.Row) error {
		where := events.Position{Transaction: number(row[0]), Number: number(row[1])}
		switch list[i].SQL {
		case selectLast:
			page.last = where
			return nil
		case query:
			r := eventRow{at: where}
			if !l.keys {
				r.entry, _ = row[2].([]byte)
			}
			page.rows = append(page.rows, r)
			return nil
		}
		page.removed = where
		page.oldest, page.end, page.newest = number(row[2]), number(row[3]), number(row[4])
		h := fnv.New64a()
		if name, ok := row[5].([]byte); ok {
			_, _ = h.Write(name) // it never fails
		}
		page.history = h.Sum64()
		return nil
	})
	page.removed.History, page.last.History = page.history, page.history
	if len(page.rows) == l.rows {
		page.last = events.Position{} // there may be more events before it
	}
	for i := range page.rows {
		page.rows[i].at.History = page.history
	}
	return page, err
}

func number(v any) uint64 {
	n, _ := v.(int64)
	return uint64(n)
}

// isRefused reports whether the server does not have a function, or does not let this user call it.
func isRefused(err error) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && strings.HasPrefix(e.Code, "42")
}

// ownHorizon returns a number such that no open transaction below it can record an event, whatever transactions of other
// programs are open. It returns 0 when the server hides the transactions of another user.
//
// A transaction that records events locks the table subjects or events before it gets its number. So each one with a
// number below the end, which is read first, is in the list of writers, or has ended and can be read.
func ownHorizon(ctx context.Context, on *conn) (horizon uint64, err error) {
	var end uint64
	var own []uint64
	hidden := false
	_, err = on.queries(ctx, []store.Statement{{SQL: "SELECT " + aboveEnded}, {SQL: selectWriters}}, func(i int, row store.Row) error {
		switch {
		case i == 0:
			end = number(row[0])
		case row[0] != nil:
			own = append(own, number(row[0]))
		case number(row[1]) != 0:
			hidden = true
		}
		return nil
	})
	if err != nil || hidden {
		return 0, err
	}
	horizon = end
	for _, xid := range own {
		// The list has the last 32 bits of each number.
		if behind := int32(uint32(end) - uint32(xid)); behind > 0 {
			horizon = min(horizon, end-uint64(behind))
		}
	}
	return horizon, nil
}

// entriesOf returns events as arguments of insertEvents: the entries, and the partitions as PostgreSQL writes arrays.
func entriesOf(list []*events.Event) (entries, partitions [][]byte) {
	for _, e := range list {
		entries = append(entries, events.AppendEntry(nil, e))
		text := []byte{'{'}
		for i, p := range e.Partitions() {
			if i > 0 {
				text = append(text, ',')
			}
			text = strconv.AppendUint(text, uint64(p), 10)
		}
		partitions = append(partitions, append(text, '}'))
	}
	return entries, partitions
}

// removeEvents removes up to limit events that are older than an age. removed is the position of the last event that was
// removed before. It returns the position of the last one that it removed, and how many it removed: none when another
// node removes events.
func (db *DB) removeEvents(
	ctx context.Context, age time.Duration, removed events.Position, limit int,
) (last events.Position, n uint64, err error) {
	x, seq := int64(removed.Transaction), int64(removed.Number)
	err = db.query(ctx, removeEvents, []any{x, seq, int64(limit), age.Microseconds(), x, seq}, func(row store.Row) error {
		last, n = events.Position{Transaction: number(row[0]), Number: number(row[1])}, number(row[2])
		return nil
	})
	return last, n, err
}
