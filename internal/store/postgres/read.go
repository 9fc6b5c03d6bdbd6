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
	if err := db.begin(); err != nil {
		return err
	}
	defer db.calls.Done()
	end := db.wall.Now().Add(db.callTime)
	return db.call(ctx, func(ctx context.Context, c *conn) error {
		s := &snapshot{ctx: ctx, conn: c, db: db, end: end}
		err := db.damage.Check(fn(store.NewReader(s, db.damage)))
		if s.lost != nil {
			return s.lost
		}
		return err
	})
}

// snapshot is a read-only transaction. It begins with its first query, in the same round trip.
type snapshot struct {
	ctx  context.Context //nolint:containedctx // a snapshot lives as long as one call of Read
	conn *conn
	db   *DB
	end  time.Time // when Read has to return
	lost error     // set when the connection is lost: further queries fail
}

var (
	_ store.Querier         = (*snapshot)(nil)
	_ store.RevisionQuerier = (*snapshot)(nil)
)

const beginSnapshot = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

// Query runs a query and passes every row to scan.
func (s *snapshot) Query(text string, args []any, scan func(store.Row) error) error {
	if s.lost != nil {
		return s.lost
	}
	list := make([]store.Statement, 0, 2)
	if s.conn.pg.TxStatus() == 'I' {
		list = append(list, store.Statement{SQL: beginSnapshot})
	}
	s.conn.limit(earlier(s.end, s.db.wall.Now().Add(s.db.attemptTime)))
	_, err := s.conn.query(s.ctx, append(list, store.Statement{SQL: text, Args: args}), scan)
	if errors.Is(err, errLost) {
		s.lost = err
	}
	return err
}

// Revisions returns the revisions of subjects in the snapshot, with one query.
func (s *snapshot) Revisions(subjects []store.Subject) ([]uint64, error) {
	if len(subjects) == 0 {
		return nil, nil
	}
	q := newRevisions(subjects)
	if err := s.Query(selectRevisions, q.args(), q.scan); err != nil {
		return nil, err
	}
	return q.found, nil
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

func (q *revisions) scan(row store.Row) error {
	n, _ := row[0].(int64)
	revision, _ := row[1].(int64)
	if n < 1 || n > int64(len(q.found)) {
		return fmt.Errorf("the server returned position %d of %d subjects", n, len(q.found))
	}
	q.found[n-1] = uint64(revision)
	return nil
}
