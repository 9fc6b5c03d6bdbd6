package sqlstore

import (
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/go-json-experiment/json"
)

// Tx is one run of a unit of work: the records as statements of a session.
//
// After a statement failed the state of the transaction is unknown; engines differ in what they keep. So the unit is
// lost: every later statement fails the same way, and nothing is kept even when the unit ends well.
type Tx struct {
	session Session
	failed  error // of the first statement that did
	wrote   bool  // a row may have been changed
	roll    *Roll // of the one who writes alone; nil where others write too
}

var _ store.Tx = (*Tx)(nil)

// NewTx returns a unit of work that is about to run on a session. Only the session that writes alone has a roll.
func NewTx(s Session, roll *Roll) *Tx { return &Tx{session: s, roll: roll} }

// Run runs the unit of work and ends it. A panic becomes its error.
func (t *Tx) Run(fn func(*Tx) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in a unit of work: %v\n%s", p, debug.Stack())
		}
		t.End()
	}()
	if err := fn(t); err != nil {
		return err
	}
	return t.failed
}

var errEnded = errors.New("the unit of work has ended")

// End makes a Tx that was kept useless.
func (t *Tx) End() { t.failed = errEnded }

// Failed returns why the unit of work is lost, nil while it is not.
func (t *Tx) Failed() error { return t.failed }

// Wrote reports whether a row may have been changed.
func (t *Tx) Wrote() bool { return t.wrote }

// fail notes that a statement failed.
func (t *Tx) fail(query string, err error) error {
	t.failed = fmt.Errorf("run %.40q: %w", query, err)
	t.wrote = true
	return t.failed
}

// exec runs a statement and returns how many rows it changed.
func (t *Tx) exec(query string, args ...any) (int64, error) {
	if t.failed != nil {
		return 0, t.failed
	}
	n, err := t.session.Exec(query, args)
	if err != nil {
		return 0, t.fail(query, err)
	}
	t.wrote = t.wrote || n > 0
	return n, nil
}

// do runs a statement of which nobody asks how many rows it changed.
func (t *Tx) do(query string, args ...any) error {
	_, err := t.doArgs(query, args)
	return err
}

func (t *Tx) doArgs(query string, args []any) (int64, error) {
	if t.failed != nil {
		return 0, t.failed
	}
	n, err := t.session.Do(query, args)
	if err != nil {
		return 0, t.fail(query, err)
	}
	t.wrote = t.wrote || n > 0
	return n, nil
}

// attempt is exec for a statement whose ErrConflict the unit survives.
func (t *Tx) attempt(query string, args []any) (int64, error) {
	if t.failed != nil {
		return 0, t.failed
	}
	n, err := t.session.Attempt(query, args)
	if err != nil && !errors.Is(err, store.ErrConflict) {
		return 0, t.fail(query, err)
	}
	t.wrote = t.wrote || n > 0
	return n, err
}

// query runs a statement and gives every row to scan, which runs no statement and keeps no row.
func (t *Tx) query(query string, scan func(Row) error, args ...any) error {
	if t.failed != nil {
		return t.failed
	}
	if err := t.session.Query(query, scan, args); err != nil {
		return t.fail(query, err)
	}
	return nil
}

// steady is query for a statement that most likely returns what it did last time.
func (t *Tx) steady(query string, scan func(Row) error, args ...any) error {
	if t.failed != nil {
		return t.failed
	}
	if err := t.session.Steady(query, scan, args); err != nil {
		return t.fail(query, err)
	}
	return nil
}

// execEach runs statements that each take the same argument, or none when there is none.
func (t *Tx) execEach(queries []string, args ...any) error {
	for _, q := range queries {
		if err := t.do(q, args...); err != nil {
			return err
		}
	}
	return nil
}

// put runs a statement whose last argument is a record as JSON.
func (t *Tx) put(query string, record any, args ...any) error {
	doc, err := json.Marshal(record)
	if err != nil {
		return fmt.Errorf("encode %T: %w", record, err)
	}
	return t.do(query, append(args, doc)...)
}

// list returns the records whose documents a query selects.
func list[T any](t *Tx, query string, args ...any) ([]T, error) {
	var records []T
	err := t.query(query, func(r Row) error {
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
func page[T any](t *Tx, limit int, query string, args ...any) ([]T, error) {
	if limit <= 0 {
		return nil, t.failed
	}
	return list[T](t, query, append(args, int64(limit))...)
}

// find returns the first record whose document a query selects.
func find[T any](t *Tx, query string, args ...any) (T, error) {
	var record T
	found := false
	err := t.query(query, func(r Row) error {
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
