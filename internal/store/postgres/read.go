package postgres

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/store"
)

// Read runs fn on one snapshot. When the connection is lost, it runs fn again on a new snapshot.
func (db *DB) Read(ctx context.Context, fn func(store.Reader) error) error {
	return db.read(ctx, func(s *snapshot) error { return fn(store.NewReader(s, db.damage)) })
}

// Load runs fn on one snapshot and returns the revision that the subject has there. Most loads need one round trip: the
// first query of fn, that of the revision, and the end of the transaction share it. When fn makes further queries, Load runs it again in a
// transaction that stays open, and does so at once for later subjects of the same kind. Each call uses a connection of its own, so
// a table that is locked or slow delays only the loads that read it.
func (db *DB) Load(ctx context.Context, subject store.Subject, fn func(store.Reader) error) (revision uint64, err error) {
	known := false
	err = db.read(ctx, func(s *snapshot) error {
		q := newRevisions([]store.Subject{subject})
		s.first, s.short = q, !db.longLoads[subject.Kind].Load()
		err := s.load(fn)
		if s.refused {
			db.longLoads[subject.Kind].Store(true)
			q = newRevisions([]store.Subject{subject})
			*s = snapshot{ctx: s.ctx, conn: s.conn, db: db, first: q}
			err = s.load(fn)
		}
		known, revision = s.first == nil, q.found[0]
		return err
	})
	if err != nil && !known {
		err = fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	return revision, err
}

// load runs fn, and reads the revision of s.first also when fn makes no query.
func (s *snapshot) load(fn func(store.Reader) error) error {
	err := fn(store.NewReader(s, s.db.damage))
	if err == nil && s.first != nil {
		_, err = s.Revisions(nil)
	}
	return err
}

// read runs fn on a new snapshot.
func (db *DB) read(ctx context.Context, fn func(*snapshot) error) error {
	if err := db.begin(); err != nil {
		return err
	}
	defer db.calls.Done()
	return db.call(ctx, func(ctx context.Context, c *conn) error {
		s := &snapshot{ctx: ctx, conn: c, db: db}
		err := db.damage.Check(fn(s))
		if s.lost != nil {
			return s.lost
		}
		return err
	})
}

// snapshot is a read-only transaction. It begins with its first query, in the same round trip.
type snapshot struct {
	ctx     context.Context //nolint:containedctx // a snapshot lives as long as one call of Read
	conn    *conn
	db      *DB
	first   *revisions // sent with the first query; nil afterwards
	short   bool       // the transaction ends with the first round trip
	ended   bool       // a short transaction has ended
	refused bool       // a query came after that
	lost    error      // set when the connection is lost: further queries fail
	ahead   []result
}

// result is a query of Ahead and its rows.
type result struct {
	store.Statement

	rows []store.Row
}

var (
	_ store.Querier         = (*snapshot)(nil)
	_ store.AheadQuerier    = (*snapshot)(nil)
	_ store.RevisionQuerier = (*snapshot)(nil)
	_ store.TimeQuerier     = (*snapshot)(nil)
)

const (
	beginSnapshot = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
	endSnapshot   = "COMMIT"
)

// errEnded says that a short transaction has ended. Load then runs again.
var errEnded = errors.New("the transaction has ended")

// Query runs a query and passes every row to scan.
func (s *snapshot) Query(text string, args []any, scan func(store.Row) error) error {
	at := slices.IndexFunc(s.ahead, func(r result) bool { return r.SQL == text && reflect.DeepEqual(r.Args, args) })
	if at < 0 {
		return s.run([]store.Statement{{SQL: text, Args: args}}, func(_ int, row store.Row) error { return scan(row) })
	}
	rows := s.ahead[at].rows
	s.ahead = slices.Delete(s.ahead, at, at+1)
	for _, row := range rows {
		if err := scan(row); err != nil {
			return err
		}
	}
	return nil
}

// Ahead implements store.AheadQuerier.
func (s *snapshot) Ahead(list ...store.Statement) error {
	results := make([]result, len(list))
	for i := range list {
		results[i].Statement = list[i]
	}
	err := s.run(list, func(i int, row store.Row) error {
		results[i].rows = append(results[i].rows, slices.Clone(row))
		return nil
	})
	if err == nil {
		s.ahead = append(s.ahead, results...)
	}
	return err
}

// run runs queries in one round trip and passes their rows to scan, with the index of the query.
func (s *snapshot) run(queries []store.Statement, scan func(i int, row store.Row) error) error {
	if s.lost != nil {
		return s.lost
	}
	if s.ended {
		s.refused = true
		return errEnded
	}
	list, first := make([]store.Statement, 0, len(queries)+3), -1
	if s.conn.pg.TxStatus() == 'I' {
		list = append(list, store.Statement{SQL: beginSnapshot})
	}
	if s.first != nil {
		first = len(list)
		list = append(list, s.first.statement())
	}
	before := len(list)
	list = append(list, queries...)
	if s.short {
		list = append(list, store.Statement{SQL: endSnapshot})
	}
	s.conn.limit(s.db.attemptTime)
	var refusal error // of scan
	_, err := s.conn.queries(s.ctx, list, func(i int, row store.Row) error {
		switch {
		case i == first:
			refusal = s.first.scan(row)
		case i >= before:
			refusal = scan(i-before, row)
		}
		return refusal
	})
	switch {
	case errors.Is(err, errLost):
		s.lost = err
	case err == nil || refusal != nil && errors.Is(err, refusal): // the server has run all statements
		s.first, s.ended = nil, s.short
	}
	return err
}

// Revisions returns the revisions of subjects in the snapshot, with one query.
func (s *snapshot) Revisions(subjects []store.Subject) ([]uint64, error) {
	if len(subjects) == 0 && s.first == nil {
		return nil, nil
	}
	q := newRevisions(subjects)
	if err := s.Query(selectRevisions, q.args(), q.scan); err != nil {
		return nil, err
	}
	return q.found, nil
}

// Now returns the time of the server at some moment during the call. The clocks of nodes may differ.
func (s *snapshot) Now() (now time.Time, err error) {
	err = s.Query("SELECT "+serverMicros, nil, func(row store.Row) error {
		micros, _ := row[0].(int64)
		now = time.UnixMicro(micros).UTC()
		return nil
	})
	return now, err
}

// selectRevisions selects the revisions of the subjects in three arrays, with their positions there. It leaves out
// subjects that do not exist.
const selectRevisions = "SELECT q.n, s.revision FROM" +
	" UNNEST(CAST(? AS BIGINT[]), CAST(? AS BIGINT[]), CAST(? AS BIGINT[])) WITH ORDINALITY AS q (kind, a, b, n)" +
	" JOIN subjects s ON s.kind = q.kind AND s.a = q.a AND s.b = q.b"

// revisions is a query for the revisions of subjects.
type revisions struct {
	kinds, as, bs []int64
	found         []uint64
}

func newRevisions(subjects []store.Subject) *revisions {
	n := len(subjects)
	columns := make([]int64, 3*n)
	q := &revisions{columns[:n], columns[n : 2*n], columns[2*n:], make([]uint64, n)}
	for i, s := range subjects {
		q.kinds[i], q.as[i], q.bs[i] = int64(s.Kind), int64(s.A), int64(s.B)
	}
	return q
}

func (q *revisions) args() []any { return []any{q.kinds, q.as, q.bs} }

func (q *revisions) statement() store.Statement {
	return store.Statement{SQL: selectRevisions, Args: q.args()}
}

func (q *revisions) scan(row store.Row) error {
	n, _ := row[0].(int64)
	revision, _ := row[1].(int64)
	if n < 1 || n > int64(len(q.found)) {
		return fmt.Errorf("the server returned position %d of %d subjects", n, len(q.found))
	}
	q.found[n-1] = uint64(revision)
	return nil
}
