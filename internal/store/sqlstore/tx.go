package sqlstore

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"time"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/go-json-experiment/json"
)

// session runs statements on one connection, one at a time. Question marks stand for arguments, which are int64, string,
// []byte or nil. Errors are those of package store where one fits.
type session interface {
	// exec runs a statement and returns how many rows it changed.
	exec(query string, args []any) (int64, error)
	// do is exec for a statement that does what it should whatever it finds: how many rows it changed may be wrong.
	do(query string, args []any) (int64, error)
	// attempt is exec for a statement whose ErrConflict leaves the transaction as it was.
	attempt(query string, args []any) (int64, error)
	// query runs a statement and gives every row to scan, which runs no statement and keeps no row.
	query(query string, scan func(row) error, args []any) error
	// steady is query for a statement that most likely returns what it did last time.
	steady(query string, scan func(row) error, args []any) error
}

// row is one row of a result.
type row []driver.Value

func (r row) int(i int) int64 { n, _ := r[i].(int64); return n }

// text returns what some engines keep as text and some as bytes.
func (r row) text(i int) string {
	if b, ok := r[i].([]byte); ok {
		return string(b)
	}
	s, _ := r[i].(string)
	return s
}

// bytes returns what belongs to the caller from then on.
func (r row) bytes(i int) []byte { b, _ := r[i].([]byte); return b }

// tx is one run of a unit of work: the records as statements of a session.
//
// After a statement failed the state of the transaction is unknown; engines differ in what they keep. So the unit is
// lost: every later statement fails the same way, and nothing is kept even when the unit ends well.
type tx struct {
	session session
	failed  error // of the first statement that did
	wrote   bool  // a row may have been changed
	roll    *roll // of the one who writes alone; nil where others write too
}

var _ store.Tx = (*tx)(nil)

var errEnded = errors.New("the unit of work has ended")

// end makes a tx that was kept useless.
func (t *tx) end() { t.failed = errEnded }

// fail notes that a statement failed.
func (t *tx) fail(query string, err error) error {
	t.failed = fmt.Errorf("run %.40q: %w", query, err)
	t.wrote = true
	return t.failed
}

// exec runs a statement and returns how many rows it changed.
func (t *tx) exec(query string, args ...any) (int64, error) {
	if t.failed != nil {
		return 0, t.failed
	}
	n, err := t.session.exec(query, args)
	if err != nil {
		return 0, t.fail(query, err)
	}
	t.wrote = t.wrote || n > 0
	return n, nil
}

// do runs a statement of which nobody asks how many rows it changed.
func (t *tx) do(query string, args ...any) error {
	_, err := t.doArgs(query, args)
	return err
}

func (t *tx) doArgs(query string, args []any) (int64, error) {
	if t.failed != nil {
		return 0, t.failed
	}
	n, err := t.session.do(query, args)
	if err != nil {
		return 0, t.fail(query, err)
	}
	t.wrote = t.wrote || n > 0
	return n, nil
}

// attempt is exec for a statement whose ErrConflict the unit survives.
func (t *tx) attempt(query string, args []any) (int64, error) {
	if t.failed != nil {
		return 0, t.failed
	}
	n, err := t.session.attempt(query, args)
	if err != nil && !errors.Is(err, store.ErrConflict) {
		return 0, t.fail(query, err)
	}
	t.wrote = t.wrote || n > 0
	return n, err
}

// query runs a statement and gives every row to scan, which runs no statement and keeps no row.
func (t *tx) query(query string, scan func(row) error, args ...any) error {
	if t.failed != nil {
		return t.failed
	}
	if err := t.session.query(query, scan, args); err != nil {
		return t.fail(query, err)
	}
	return nil
}

// steady is query for a statement that most likely returns what it did last time.
func (t *tx) steady(query string, scan func(row) error, args ...any) error {
	if t.failed != nil {
		return t.failed
	}
	if err := t.session.steady(query, scan, args); err != nil {
		return t.fail(query, err)
	}
	return nil
}

// execEach runs statements that each take the same argument, or none when there is none.
func (t *tx) execEach(queries []string, args ...any) error {
	for _, q := range queries {
		if err := t.do(q, args...); err != nil {
			return err
		}
	}
	return nil
}

// put runs a statement whose last argument is a record as JSON.
func (t *tx) put(query string, record any, args ...any) error {
	doc, err := json.Marshal(record)
	if err != nil {
		return fmt.Errorf("encode %T: %w", record, err)
	}
	return t.do(query, append(args, doc)...)
}

// list returns the records whose documents a query selects.
func list[T any](t *tx, query string, args ...any) ([]T, error) {
	var records []T
	err := t.query(query, func(r row) error {
		var record T
		if err := decode(r.bytes(0), &record); err != nil {
			return err
		}
		records = append(records, record)
		return nil
	}, args...)
	return records, err
}

// page returns at most limit of the records whose documents a query selects; the limit is its last argument.
func page[T any](t *tx, limit int, query string, args ...any) ([]T, error) {
	if limit <= 0 {
		return nil, t.failed
	}
	return list[T](t, query, append(args, int64(limit))...)
}

// find returns the first record whose document a query selects.
func find[T any](t *tx, query string, args ...any) (T, error) {
	var record T
	found := false
	err := t.query(query, func(r row) error {
		found = true
		return decode(r.bytes(0), &record)
	}, args...)
	if err == nil && !found {
		err = store.ErrNotFound
	}
	return record, err
}

func decode(doc []byte, record any) error {
	if err := json.Unmarshal(doc, record); err != nil {
		return fmt.Errorf("decode a stored %T: %w", record, err)
	}
	return nil
}

// key returns an id as it is stored.
func key[ID ~uint64](id ID) int64 { return int64(id) }

// micros returns a time as it is stored. The zero Time has a place of its own on that scale and comes back as such.
func micros(t time.Time) int64 { return t.UnixMicro() }

func fromMicros(n int64) time.Time { return time.UnixMicro(n).UTC() }
