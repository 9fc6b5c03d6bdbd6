package postgres

import (
	"context"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/sqlstore"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// What becomes of a unit of work that may be run again.
var (
	errDisturbed = errors.New("others got in the way")
	errClash     = fmt.Errorf("%w: a key is taken", store.ErrConflict)
	errLost      = fmt.Errorf("%w: the connection was lost", store.ErrUnavailable)
)

// conn is a connection with its prepared statements, for one goroutine at a time. It stays below the driver's own
// interface: what goes back and forth with a statement is one message each way, also for the first one of a unit of work.
type conn struct {
	conn  *pgconn.PgConn
	ctx   context.Context //nolint:containedctx // never ends: the driver would watch one that can with a goroutine a call
	stmts map[string]*stmt
	// replayed is how far the server's log reached when it came back from its last crash before this connection; nil: it had
	// none.
	replayed *int64

	opening []string      // what has to be sent before the next statement
	begun   bool          // the opening was sent
	xid     string        // of the transaction, as soon as it is known
	place   int64         // in the server's log
	waited  time.Duration // from the beginning until it was its turn
	broken  error         // why the transaction cannot go on

	values [][]byte     // of the arguments of the statement that runs
	row    sqlstore.Row // of the query that runs
	rows   []byte       // of the step that is compared
}

// stmt is a prepared statement.
type stmt struct {
	*pgconn.StatementDescription

	params, results []int16 // all binary
}

// connKey is under which a connection keeps what is made for it.
const connKey = "bellhop"

// forgotten reports whether the server has come back from a crash without this transaction. Its number may then be
// another's, so that what is known of the number says nothing.
func (c *conn) forgotten(replayed *int64) bool {
	crashed := replayed != nil && (c.replayed == nil || *c.replayed != *replayed)
	return crashed && *replayed < c.place
}

// open begins a unit of work.
func (c *conn) open(opening []string) {
	c.opening, c.begun, c.xid, c.waited, c.broken = opening, false, "", 0, nil
	_ = c.conn.Conn().SetDeadline(clock.System{}.Now().Add(unitTime)) // fails when the connection is gone, which shows soon
}

// rest lets the connection be idle for as long as may be.
func (c *conn) rest() { _ = c.conn.Conn().SetDeadline(time.Time{}) } // fails when the connection is gone, which is as well

// end undoes a transaction that is still open.
func (c *conn) end() {
	if c.begun && !c.conn.IsClosed() {
		_, _ = c.run(rollback, nil, nil, false) // what fails here ends the connection, and with it the transaction
	}
}

// commit makes the transaction durable.
func (c *conn) commit() error {
	if !c.begun {
		return nil // nothing was asked for
	}
	_, err := c.run(commit, nil, nil, false)
	return err
}

func (c *conn) Exec(query string, args []any) (int64, error) {
	return c.run(query, args, nil, false)
}

func (c *conn) Do(query string, args []any) (int64, error) { return c.Exec(query, args) }

// Attempt guards the transaction, which an ErrConflict would end.
func (c *conn) Attempt(query string, args []any) (int64, error) {
	return c.run(query, args, nil, true)
}

func (c *conn) Query(query string, scan func(sqlstore.Row) error, args []any) error {
	_, err := c.run(query, args, scan, false)
	return err
}

func (c *conn) Steady(query string, scan func(sqlstore.Row) error, args []any) error {
	return c.Query(query, scan, args)
}

// Statements around one whose ErrConflict the unit survives.
const (
	savepoint   = "SAVEPOINT attempt"
	releasing   = "RELEASE attempt"
	rollingBack = "ROLLBACK TO attempt"
)

// run sends a statement, together with the opening where that is due, and returns how many rows it changed.
func (c *conn) run(query string, args []any, scan func(sqlstore.Row) error, guarded bool) (int64, error) {
	n, err := c.send(query, args, scan, guarded)
	if guarded && errors.Is(err, errClash) {
		if _, undo := c.send(rollingBack, nil, nil, false); undo != nil {
			return 0, c.fail(undo)
		}
		return 0, err
	}
	return n, c.fail(err)
}

// fail notes why the transaction cannot go on.
func (c *conn) fail(err error) error {
	if c.broken == nil && (errors.Is(err, errDisturbed) || errors.Is(err, errLost) || errors.Is(err, errClash)) {
		c.broken = err
	}
	return err
}

func (c *conn) send(query string, args []any, scan func(sqlstore.Row) error, guarded bool) (int64, error) {
	before, after := c.opening, []string(nil)
	if guarded {
		before, after = append(before[:len(before):len(before)], savepoint), []string{releasing}
	}
	s, err := c.prepare(query)
	if err != nil {
		return 0, err
	}
	if err := c.bind(s, args); err != nil {
		return 0, err
	}
	if len(before) == 0 {
		return c.read(s, c.conn.ExecStatement(c.ctx, s.StatementDescription, c.values, s.params, s.results), scan)
	}
	var batch pgconn.Batch
	for _, q := range before {
		if err := c.add(&batch, q); err != nil {
			return 0, err
		}
	}
	batch.ExecStatement(s.StatementDescription, c.values, s.params, s.results)
	for _, q := range after {
		if err := c.add(&batch, q); err != nil {
			return 0, err
		}
	}
	c.opening, c.begun = nil, true
	return c.readBatch(c.conn.ExecBatch(c.ctx, &batch), before, s, scan)
}

func (c *conn) add(batch *pgconn.Batch, query string) error {
	s, err := c.prepare(query)
	if err == nil {
		batch.ExecStatement(s.StatementDescription, nil, nil, s.results)
	}
	return err
}

// readBatch reads the results of what was sent before a statement, of the statement, and of what was sent after it.
func (c *conn) readBatch(
	results *pgconn.MultiResultReader, before []string, s *stmt, scan func(sqlstore.Row) error,
) (n int64, err error) {
	for i := 0; results.NextResult(); i++ {
		r := results.ResultReader()
		switch {
		case i == len(before):
			n, err = c.read(s, r, scan)
		case i < len(before):
			c.readOpening(before[i], r)
		}
		if err != nil {
			break
		}
	}
	if closing := c.fault(results.Close()); err == nil {
		err = closing
	}
	return n, err
}

// readOpening reads the result of a statement of an opening.
func (c *conn) readOpening(query string, r *pgconn.ResultReader) {
	for query == identify && r.NextRow() {
		c.xid = strconv.FormatUint(binary.BigEndian.Uint64(r.Values()[0]), 10)
		c.place = int64(binary.BigEndian.Uint64(r.Values()[1]))
		c.waited = time.Duration(binary.BigEndian.Uint64(r.Values()[2])) * time.Microsecond
	}
}

// read gives the rows of a result to scan.
func (c *conn) read(s *stmt, r *pgconn.ResultReader, scan func(sqlstore.Row) error) (int64, error) {
	var failed error
	for r.NextRow() {
		if scan == nil || failed != nil {
			continue
		}
		if failed = c.decode(s, r.Values()); failed == nil {
			failed = scan(c.row)
		}
	}
	tag, err := r.Close()
	switch {
	case err != nil:
		return 0, c.fault(err)
	case s.SQL == commit && tag.String() != commit:
		return 0, errors.New("the transaction had failed before its end")
	default:
		return tag.RowsAffected(), failed
	}
}

// prepare returns the statement for a query.
func (c *conn) prepare(query string) (*stmt, error) {
	if s, ok := c.stmts[query]; ok {
		return s, nil
	}
	d, err := c.conn.Prepare(c.ctx, "s"+strconv.Itoa(len(c.stmts)), numbered(query), nil)
	if err != nil {
		return nil, c.fault(err)
	}
	s := &stmt{StatementDescription: d, params: binaries(len(d.ParamOIDs)), results: binaries(len(d.Fields))}
	c.stmts[query] = s
	return s, nil
}

func binaries(n int) []int16 {
	formats := make([]int16, n)
	for i := range formats {
		formats[i] = 1
	}
	return formats
}

// numbered returns a query with $1, $2 … in place of its question marks, and without words that are for SQLite alone.
func numbered(query string) string {
	parts := strings.Split(strings.Replace(query, "INSERT OR FAIL", "INSERT", 1), "?")
	var b strings.Builder
	for i, p := range parts {
		if i > 0 {
			b.WriteString("$" + strconv.Itoa(i))
		}
		b.WriteString(p)
	}
	return b.String()
}

// bind puts arguments into the form of the server's types.
func (c *conn) bind(s *stmt, args []any) error {
	if len(args) != len(s.ParamOIDs) {
		return fmt.Errorf("%d arguments for %d places", len(args), len(s.ParamOIDs))
	}
	c.values = c.values[:0]
	for i, arg := range args {
		var v []byte
		switch arg := arg.(type) {
		case nil:
		case []byte:
			if v = arg; v == nil && arg != nil {
				v = []byte{}
			}
		case string:
			v = append(make([]byte, 0, max(len(arg), 1)), arg...) // nil would be NULL
		case int64:
			var err error
			if v, err = encodeInt(arg, s.ParamOIDs[i]); err != nil {
				return err
			}
		default:
			return fmt.Errorf("argument %d is a %T", i+1, arg)
		}
		c.values = append(c.values, v)
	}
	return nil
}

func encodeInt(n int64, oid uint32) ([]byte, error) {
	switch oid {
	case pgtype.Int8OID:
		return binary.BigEndian.AppendUint64(make([]byte, 0, 8), uint64(n)), nil
	case pgtype.Int4OID:
		return binary.BigEndian.AppendUint32(make([]byte, 0, 4), uint32(n)), nil
	default:
		return nil, fmt.Errorf("a number for a place of type %d", oid)
	}
}

// decode puts the values of a row into the form of every engine.
func (c *conn) decode(s *stmt, values [][]byte) error {
	c.row = c.row[:0]
	for i, v := range values {
		if v == nil {
			c.row = append(c.row, nil)
			continue
		}
		decoded, err := s.value(i, v)
		if err != nil {
			return err
		}
		c.row = append(c.row, decoded)
	}
	return nil
}

// value puts what a column returned, unless that is NULL, into the form of every engine.
func (s *stmt) value(i int, v []byte) (driver.Value, error) {
	switch oid := s.Fields[i].DataTypeOID; oid {
	case pgtype.Int8OID:
		return int64(binary.BigEndian.Uint64(v)), nil
	case pgtype.Int4OID:
		return int64(int32(binary.BigEndian.Uint32(v))), nil
	case pgtype.BoolOID:
		return int64(v[0]), nil
	case pgtype.ByteaOID:
		return append([]byte{}, v...), nil
	default:
		return nil, fmt.Errorf("column %q has type %d, which no query should return", s.Fields[i].Name, oid)
	}
}

// fault puts the driver's errors into the words of the contract.
func (c *conn) fault(err error) error {
	if err == nil {
		return nil
	}
	e, ok := errors.AsType[*pgconn.PgError](err)
	if !ok || c.conn.IsClosed() {
		return fmt.Errorf("%w: %w", errLost, err)
	}
	switch e.Code {
	case "23505":
		return fmt.Errorf("%w: %w", errClash, err)
	case "40001", "40P01":
		return fmt.Errorf("%w: %w", errDisturbed, err)
	}
	switch e.Code[:2] {
	case "08", "25", "53", "55", "57", "58", "XX": // connection, read-only, resources, state, intervention, system, internal
		return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	return err
}

// isFuture reports whether a server has not heard of a transaction: it has forgotten it in a crash.
func isFuture(err error) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && e.Code == "22023"
}
