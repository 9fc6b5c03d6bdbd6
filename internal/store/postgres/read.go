package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/bellhop/bellhop/internal/store"
)

// Read runs fn on one snapshot. When the connection is lost, it runs fn again on a new snapshot.
func (db *DB) Read(ctx context.Context, fn func(store.Reader) error) error {
	return db.read(ctx, func(s *snapshot) error { return fn(store.NewReader(s, db.damage)) })
}

// Load runs fn on one snapshot and returns the revision that the subject has there. The first query of fn and that of the
// revision share a round trip. Each call uses a connection of its own, so a table that is locked or slow delays only the
// loads that read it.
func (db *DB) Load(ctx context.Context, subject store.Subject, fn func(store.Reader) error) (revision uint64, err error) {
	known := false
	err = db.read(ctx, func(s *snapshot) error {
		q := newRevisions([]store.Subject{subject})
		s.first = q
		err := fn(store.NewReader(s, db.damage))
		if err == nil && s.first != nil { // fn made no query
			_, err = s.Revisions(nil)
		}
		known, revision = s.first == nil, q.found[0]
		return err
	})
	if err != nil && !known {
		err = fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	return revision, err
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
	ctx   context.Context //nolint:containedctx // a snapshot lives as long as one call of Read
	conn  *conn
	db    *DB
	first *revisions // sent with the first query; nil afterwards
	lost  error      // set when the connection is lost: further queries fail
}

var (
	_ store.Querier         = (*snapshot)(nil)
	_ store.RevisionQuerier = (*snapshot)(nil)
	_ store.TimeQuerier     = (*snapshot)(nil)
)

const beginSnapshot = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

// Query runs a query and passes every row to scan.
func (s *snapshot) Query(text string, args []any, scan func(store.Row) error) error {
	if s.lost != nil {
		return s.lost
	}
	list, first := make([]store.Statement, 0, 3), -1
	if s.conn.pg.TxStatus() == 'I' {
		list = append(list, store.Statement{SQL: beginSnapshot})
	}
	if s.first != nil {
		first = len(list)
		list = append(list, s.first.statement())
	}
	list = append(list, store.Statement{SQL: text, Args: args})
	s.conn.limit(s.db.attemptTime)
	_, err := s.conn.queries(s.ctx, list, func(i int, row store.Row) error {
		switch i {
		case first:
			return s.first.scan(row)
		case len(list) - 1:
			return scan(row)
		}
		return nil
	})
	switch {
	case errors.Is(err, errLost):
		s.lost = err
	case s.conn.pg.TxStatus() == 'T': // the server has run all statements
		s.first = nil
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
