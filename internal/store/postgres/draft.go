package postgres

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"strings"

	"github.com/bellhop/bellhop/internal/store/sqlstore"
)

const (
	// maxDrafts is how often a unit of work is drafted before it runs live, maxSteps and maxDraftBytes how large a draft gets.
	maxDrafts     = 4
	maxSteps      = 256
	maxDraftBytes = 256 << 10
)

// Why a draft is not kept.
var (
	errLive    = errors.New("the unit of work has to run live")
	errChanged = errors.New("a statement had another outcome than the draft was made with")
)

// draft is a unit of work that is written down before it is its turn: every statement with the outcome that the unit was told.
// Queries are asked at once, outside of any transaction. Writes are only noted, with the outcome that they most likely have.
// When its turn has come the statements are run in one go, and if every outcome is the one that was told, then the unit has
// done exactly what it would have done in its turn. If not, it is drafted again, knowing what the outcome was.
type draft struct {
	engine *engine
	ctx    context.Context //nolint:containedctx // of the call whose unit this is; the draft does not outlive it
	view   bool            // it only reads, and nothing is compared later: so nothing is guessed, noted down or too much

	steps  []step
	told   []step // outcomes that are known from an earlier draft of this unit
	bytes  int
	wrote  []string     // the tables that were written to
	broken error        // why the unit cannot be drafted
	failed bool         // a query could not be asked
	row    sqlstore.Row // of the query that runs

	refused bool // the unit ended with an error before it wrote anything; set when it is put in line

	// Set once answered is closed.
	answered chan struct{}
	err      error // of the unit; its writes were not kept
	again    error // why the unit has to run again: errChanged, errLive, errLost
	learned  []step
}

// step is a statement with its outcome.
type step struct {
	query string
	args  []any
	stmt  *stmt  // of a query: how rows is read
	rows  []byte // of a query: every value behind its length, which is nullLength for NULL
	kind  stepKind
	count int64 // of rows that a counted step has changed

	steady bool // the rows seldom change
}

type stepKind uint8

const (
	reads stepKind = iota
	counted
	blind // whatever it changes
)

// nullLength stands for the length of NULL.
const nullLength = ^uint32(0)

func (d *draft) Exec(query string, args []any) (int64, error) {
	n, known := guess(query, args)
	if !known {
		return 0, d.giveUp(errLive)
	}
	return d.note(step{query: query, args: args, kind: counted, count: n})
}

// Attempt takes it that there is no conflict.
func (d *draft) Attempt(query string, args []any) (int64, error) { return d.Exec(query, args) }

func (d *draft) Do(query string, args []any) (int64, error) {
	return d.note(step{query: query, args: args, kind: blind})
}

// guess returns how many rows a statement most likely changes: an insert all that it is given, an update the one that it names.
func guess(query string, args []any) (n int64, known bool) {
	if strings.HasPrefix(query, "UPDATE ") {
		return 1, true
	}
	_, rows, insert := strings.Cut(query, " VALUES (")
	first, _, _ := strings.Cut(rows, ")")
	width := strings.Count(first, "?")
	if !insert || width == 0 {
		return 0, false
	}
	return int64(len(args) / width), true
}

// note takes a write into the draft and returns its likely outcome.
func (d *draft) note(s step) (int64, error) {
	if known := d.recall(&s); known != nil {
		s.count = known.count
	}
	if table := tableOf(s.query); !slices.Contains(d.wrote, table) {
		d.wrote = append(d.wrote, table)
	}
	return s.count, d.add(s)
}

// tableOf returns the table that a statement writes to.
func tableOf(query string) string {
	rest := strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(query, "INSERT INTO "), "UPDATE "), "DELETE FROM ")
	table, _, _ := strings.Cut(rest, " ")
	return table
}

// sees reports whether a query may show what the draft has written. What it shows is not known before the draft's turn.
func (d *draft) sees(query string) bool {
	return slices.ContainsFunc(d.wrote, func(table string) bool { return strings.Contains(query+" ", " "+table+" ") })
}

// recall returns the step in the place of s in an earlier draft of this unit, as long as the two are the same so far.
func (d *draft) recall(s *step) *step {
	i := len(d.steps)
	if i >= len(d.told) {
		return nil
	}
	known := &d.told[i]
	if known.query != s.query || s.kind == reads && !slices.EqualFunc(known.args, s.args, sameArg) {
		d.told = nil // it goes another way
		return nil
	}
	return known
}

func sameArg(a, b any) bool {
	x, ok := a.([]byte)
	y, both := b.([]byte)
	if ok && both {
		return bytes.Equal(x, y)
	}
	return ok == both && a == b
}

func (d *draft) add(s step) error {
	d.bytes += len(s.rows)
	for _, arg := range s.args {
		switch arg := arg.(type) {
		case []byte:
			d.bytes += len(arg)
		case string:
			d.bytes += len(arg)
		}
	}
	if d.steps = append(d.steps, s); len(d.steps) > maxSteps || d.bytes > maxDraftBytes {
		return d.giveUp(errLive)
	}
	return nil
}

func (d *draft) giveUp(err error) error {
	d.broken = err
	return err
}

func (d *draft) Query(query string, scan func(sqlstore.Row) error, args []any) error {
	return d.read(step{query: query, args: args, kind: reads}, scan)
}

func (d *draft) Steady(query string, scan func(sqlstore.Row) error, args []any) error {
	return d.read(step{query: query, args: args, kind: reads, steady: true}, scan)
}

func (d *draft) read(s step, scan func(sqlstore.Row) error) error {
	known := d.recall(&s)
	switch {
	case known != nil:
	case d.sees(s.query):
		return d.giveUp(errLive)
	case s.steady && !d.view:
		known = d.engine.memory.last(&s)
	}
	if known != nil {
		s.stmt, s.rows = known.stmt, known.rows
	} else if err := d.engine.ask(d.ctx, &s); err != nil {
		d.failed = true
		return err
	}
	if !d.view {
		if err := d.add(s); err != nil {
			return err
		}
	}
	for rest := s.rows; len(rest) > 0; {
		var err error
		if d.row, rest, err = s.stmt.next(d.row[:0], rest); err != nil {
			return err
		}
		if err := scan(d.row); err != nil {
			return err
		}
	}
	return nil
}

// next takes a row off rows that appendRow has written.
func (s *stmt) next(dst sqlstore.Row, rows []byte) (sqlstore.Row, []byte, error) {
	for i := range s.Fields {
		n := binary.BigEndian.Uint32(rows)
		rows = rows[4:]
		if n == nullLength {
			dst = append(dst, nil)
			continue
		}
		v, err := s.value(i, rows[:n])
		if err != nil {
			return nil, nil, err
		}
		dst, rows = append(dst, v), rows[n:]
	}
	return dst, rows, nil
}

// appendRow writes the values of a row, each behind its length.
func appendRow(dst []byte, values [][]byte) []byte {
	for _, v := range values {
		n := uint32(len(v))
		if v == nil {
			n = nullLength
		}
		dst = append(binary.BigEndian.AppendUint32(dst, n), v...)
	}
	return dst
}
