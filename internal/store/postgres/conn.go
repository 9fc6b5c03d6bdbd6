package postgres

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// Errors after which the same statements are sent again.
var (
	errLost       = errors.New("lost the connection to PostgreSQL")
	errRolledBack = errors.New("PostgreSQL rolled a transaction back because of a concurrent one")
)

// conn is a connection with its prepared statements. It does not use the batches of pgx: those forget their prepared
// statements after every error, and a stale change is an error to PostgreSQL.
type conn struct {
	pg         *pgconn.PgConn
	stmts      map[string]*pgconn.StatementDescription // by their text with question marks
	generation uint64                                  // value of DB.generation when the connection was opened
	// local is set when a connection pooler is between this process and the server, so that each transaction may use
	// another session. It is the statement that sets the limits of a transaction. Statements are not prepared then.
	local string

	prepared int // number of statements that were prepared, including those that failed

	end    time.Time // when the current call ends
	values [][]byte  // arguments of the current statement
	row    store.Row // current row of a query
}

// newConn sets up a connection, with settings of the session. When there is a pooler, it does not change the session,
// which other clients use too: it sets those of local in each transaction. A pooler is recognized by the number of the
// server's process: poolers tell clients another one.
func newConn(ctx context.Context, pg *pgconn.PgConn, session, local settings) (*conn, error) {
	text := "SELECT CASE WHEN pg_backend_pid() = CAST($1 AS INTEGER) THEN CONCAT('direct', " + session.list(false) + ") END"
	pid := []byte(strconv.FormatUint(uint64(pg.PID()), 10))
	if pg.PID() > math.MaxInt32 {
		pid = []byte("0") // no process of a server has such a number
	}
	answer := pg.ExecParams(ctx, text, [][]byte{pid}, nil, nil, nil).Read()
	if answer.Err != nil {
		return nil, answer.Err
	}
	c := &conn{pg: pg, stmts: map[string]*pgconn.StatementDescription{}}
	if len(answer.Rows) != 1 || answer.Rows[0][0] == nil {
		c.local = "SELECT CAST(LENGTH(CONCAT(" + local.list(true) + ")) AS BIGINT)"
	}
	return c, nil
}

// settings are parameters of a session and their values. They contain no quotes.
type settings map[string]string

// list returns the calls that set the parameters, for the session or only for the current transaction.
func (s settings) list(local bool) string {
	calls := []string{"''"}
	for _, name := range slices.Sorted(maps.Keys(s)) {
		calls = append(calls, fmt.Sprintf("set_config('%s', '%s', %t)", name, s[name], local))
	}
	return strings.Join(calls, ", ")
}

// connKey is the key under which the driver's connection keeps its conn.
const connKey = "bellhop"

// binaryFormat asks for the binary format of every argument or column.
var binaryFormat = []int16{1}

// limit sets the deadline of the connection: after a time, but not after the end of the call. Statements without an
// answer fail then, and the driver closes the connection.
func (c *conn) limit(attempt time.Duration) {
	at := clock.DeadlineNow().Add(attempt)
	if c.end.Before(at) {
		at = c.end
	}
	_ = c.pg.Conn().SetDeadline(at) // it fails on a closed connection, and so does the next statement
}

// exec runs statements in one transaction. It takes one round trip when all statements are prepared: the server commits
// at the end of the batch. When exec fails, sent reports whether the server may have committed the transaction.
func (c *conn) exec(ctx context.Context, list []store.Statement) (sent bool, err error) {
	batch, _, err := c.batch(ctx, list)
	if err != nil {
		return false, err
	}
	err = c.pg.ExecBatch(ctx, batch).Close()
	return true, c.storeError(err)
}

// batch returns a batch of statements, which are prepared or need no preparation. extra is the index of the statement that
// batch has added to set the limits of a transaction, -1 for none.
func (c *conn) batch(ctx context.Context, list []store.Statement) (batch *pgconn.Batch, extra int, err error) {
	extra, batch = -1, &pgconn.Batch{}
	if c.local == "" {
		err = c.prepare(ctx, list...)
	} else if c.pg.TxStatus() == 'I' {
		extra = 0
		if len(list) > 0 && strings.HasPrefix(list[0].SQL, "BEGIN") { // it has to be the first statement
			extra = 1
		}
		list = slices.Insert(slices.Clone(list), extra, store.Statement{SQL: c.local})
	}
	for i := 0; err == nil && i < len(list); i++ {
		err = c.add(batch, list[i])
	}
	return batch, extra, err
}

// query runs statements in one round trip and passes the rows of the last statement to scan, which may be nil. It
// returns how many rows the last statement returned or changed.
func (c *conn) query(ctx context.Context, list []store.Statement, scan func(store.Row) error) (int64, error) {
	return c.queries(ctx, list, func(i int, row store.Row) error {
		if i < len(list)-1 || scan == nil {
			return nil
		}
		return scan(row)
	})
}

// queries is like query, but passes the rows of all statements to scan, with the index of the statement.
func (c *conn) queries(ctx context.Context, list []store.Statement, scan func(i int, row store.Row) error) (int64, error) {
	batch, extra, err := c.batch(ctx, list)
	if err != nil {
		return 0, err
	}
	results := c.pg.ExecBatch(ctx, batch)
	var rows int64
	var failed error
	for i := 0; results.NextResult(); i++ {
		r := results.ResultReader()
		for r.NextRow() {
			if failed != nil || i == extra {
				continue
			}
			if failed = c.load(r); failed == nil {
				failed = scan(i-skipped(i, extra), c.row)
			}
		}
		tag, _ := r.Close() // results has the same error
		rows = tag.RowsAffected()
	}
	if err := c.storeError(results.Close()); err != nil {
		return 0, err
	}
	return rows, failed
}

// skipped returns how many statements before the i-th one batch has added.
func skipped(i, extra int) int {
	if extra >= 0 && i > extra {
		return 1
	}
	return 0
}

// add appends a statement with its arguments to a batch. Without a pooler the statement is prepared.
func (c *conn) add(batch *pgconn.Batch, s store.Statement) error {
	stmt := c.stmts[s.SQL]
	if stmt != nil && len(s.Args) != len(stmt.ParamOIDs) {
		return fmt.Errorf("%d arguments for %d parameters in %q", len(s.Args), len(stmt.ParamOIDs), s.SQL)
	}
	c.values = c.values[:0]
	for i, arg := range s.Args {
		v, err := encode(arg)
		if err != nil {
			return fmt.Errorf("argument %d of %q: %w", i+1, s.SQL, err)
		}
		c.values = append(c.values, v)
	}
	if stmt == nil {
		batch.ExecParams(numbered(s.SQL), c.values, nil, binaryFormat, binaryFormat)
	} else {
		batch.ExecStatement(stmt, c.values, binaryFormat, binaryFormat)
	}
	return nil
}

// prepare prepares the statements that are not prepared yet, in one round trip.
func (c *conn) prepare(ctx context.Context, list ...store.Statement) error {
	var missing []string
	for _, s := range list {
		if _, known := c.stmts[s.SQL]; !known {
			c.stmts[s.SQL] = nil // the same text may occur again in list
			missing = append(missing, s.SQL)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	p := c.pg.StartPipeline(ctx)
	for i, text := range missing {
		p.SendPrepare(c.name(i), numbered(text), nil)
	}
	err := p.Sync()
	for i := 0; err == nil && i < len(missing); i++ {
		var result any
		if result, err = p.GetResults(); err != nil {
			break
		}
		stmt, ok := result.(*pgconn.StatementDescription)
		if !ok {
			err = fmt.Errorf("unexpected answer %T to a prepared statement", result)
			break
		}
		stmt.Name = c.name(i)
		c.stmts[missing[i]] = stmt
	}
	c.prepared += len(missing)
	if err = errors.Join(err, p.Close()); err != nil {
		for _, text := range missing {
			delete(c.stmts, text)
		}
	}
	return c.storeError(err)
}

// name returns the name of the i-th statement that is prepared next.
func (c *conn) name(i int) string { return "s" + strconv.Itoa(c.prepared+i) }

// numbered replaces the question marks of a statement by $1, $2 ….
func numbered(text string) string {
	var b strings.Builder
	for i, part := range strings.Split(text, "?") {
		if i > 0 {
			b.WriteString("$" + strconv.Itoa(i))
		}
		b.WriteString(part)
	}
	return b.String()
}

// encode returns an argument in PostgreSQL's binary format. Texts are stored as bytes.
func encode(arg any) ([]byte, error) {
	switch arg := arg.(type) {
	case nil:
		return nil, nil
	case int64:
		return binary.BigEndian.AppendUint64(make([]byte, 0, 8), uint64(arg)), nil
	case string:
		return append(make([]byte, 0, max(len(arg), 1)), arg...), nil // nil would be NULL
	case []byte:
		if arg == nil {
			return []byte{}, nil
		}
		return arg, nil
	case []int64:
		b := arrayOf(pgtype.Int8OID, len(arg))
		for _, n := range arg {
			b = binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint32(b, 8), uint64(n))
		}
		return b, nil
	case [][]byte:
		b := arrayOf(pgtype.ByteaOID, len(arg))
		for _, v := range arg {
			b = append(binary.BigEndian.AppendUint32(b, uint32(len(v))), v...)
		}
		return b, nil
	default:
		return nil, fmt.Errorf("unexpected type %T", arg)
	}
}

// arrayOf returns the beginning of an array: dimensions, flags, type of the elements, length and lower bound. The elements
// follow, each after its length.
func arrayOf(oid uint32, length int) []byte {
	b := make([]byte, 0, 20+12*length)
	for _, n := range []uint32{1, 0, oid, uint32(length), 1} {
		b = binary.BigEndian.AppendUint32(b, n)
	}
	return b
}

// load sets c.row to the row that r has read.
func (c *conn) load(r *pgconn.ResultReader) error {
	c.row = c.row[:0]
	for i, v := range r.Values() {
		var value any
		switch oid := r.FieldDescriptions()[i].DataTypeOID; {
		case v == nil:
		case oid == pgtype.Int8OID:
			value = int64(binary.BigEndian.Uint64(v))
		case oid == pgtype.Int4OID:
			value = int64(int32(binary.BigEndian.Uint32(v)))
		case oid == pgtype.ByteaOID:
			value = append(make([]byte, 0, len(v)), v...)
		default:
			return fmt.Errorf("column %q has the unexpected type %d", r.FieldDescriptions()[i].Name, oid)
		}
		c.row = append(c.row, value)
	}
	return nil
}

// The SQLSTATE codes that have an error of their own.
const (
	divisionByZero       = "22012"
	negativeRoot         = "2201F" // of checkIdle
	uniqueViolation      = "23505"
	serializationFailure = "40001"
	deadlockDetected     = "40P01"
	lockNotAvailable     = "55P03"
	diskFull             = "53100"
	readOnlyTransaction  = "25006"
	dataCorrupted        = "XX001"
	indexCorrupted       = "XX002"
)

// storeError converts an error of the driver to an error of package store, or to errLost or errRolledBack.
func (c *conn) storeError(err error) error {
	if err == nil {
		return nil
	}
	e, ok := errors.AsType[*pgconn.PgError](err)
	if !ok || c.pg.IsClosed() || e.SeverityUnlocalized == "FATAL" || e.SeverityUnlocalized == "PANIC" {
		return fmt.Errorf("%w: %w", errLost, err)
	}
	switch e.Code {
	case divisionByZero:
		return store.ErrStale
	case uniqueViolation:
		if e.ConstraintName == "subjects_pkey" {
			return store.ErrStale
		}
		return fmt.Errorf("%w: %w", store.ErrConflict, err)
	case negativeRoot, serializationFailure, deadlockDetected, lockNotAvailable:
		return fmt.Errorf("%w: %w", errRolledBack, err)
	}
	if e.Code == dataCorrupted || e.Code == indexCorrupted {
		return fmt.Errorf("%w: %w", store.ErrDamaged, err)
	}
	switch e.Code {
	case diskFull:
		return fmt.Errorf("%w: %w: %w", store.ErrUnavailable, store.ErrNoRoom, err)
	case readOnlyTransaction:
		return fmt.Errorf("%w: %w: %w", store.ErrUnavailable, store.ErrReadOnly, err)
	}
	switch e.Code[:2] {
	case "08", "25", "53", "55", "57", "58", "XX": // connection, read-only, resources, locks, intervention, system, internal
		return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	return err
}
