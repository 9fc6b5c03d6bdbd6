package postgres

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/store"
)

const (
	// maxLookups is how many lookups the queue holds. Further callers wait until it has room.
	maxLookups = 4096
	// maxSubjects bounds the subjects of one batch, unless a single lookup has more. maxQueries bounds its queries.
	maxSubjects = 1000
	maxQueries  = 64
	// collectors is how many batches run at the same time.
	collectors = 2
)

// lookup asks for the revisions of subjects, the rows of queries, or both.
type lookup struct {
	subjects []store.Subject
	queries  []store.Statement
	end      time.Time     // when the caller stops waiting
	done     chan struct{} // closed when the fields below are set
	found    []uint64      // the revisions
	rows     [][]store.Row // the rows of each query
	err      error
}

// Revisions returns the current revision of each subject. Calls that wait at the same time share one query, which
// begins after all of these calls.
func (db *DB) Revisions(ctx context.Context, subjects ...store.Subject) ([]uint64, error) {
	a := &lookup{subjects: subjects}
	if err := db.lookUp(ctx, a); err != nil {
		return nil, err
	}
	return a.found, nil
}

// Load runs fn, whose queries share round trips with the queries of other calls. The first query also reads the
// revision.
func (db *DB) Load(ctx context.Context, subject store.Subject, fn func(store.Reader) error) (uint64, error) {
	l := &loader{db: db, ctx: ctx, first: []store.Subject{subject}}
	err := db.damage.Check(fn(store.NewReader(l, db.damage)))
	if err != nil && len(l.first) > 0 {
		err = fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	return l.revision, err
}

// loader reads the state of a subject. PostgreSQL reads the revision before the rows of the first query.
type loader struct {
	db       *DB
	ctx      context.Context //nolint:containedctx // a loader lives as long as one call of Load
	first    []store.Subject // the subject; nil after the first query
	revision uint64
}

var _ store.Querier = (*loader)(nil)

// Query runs a query and passes every row to scan.
func (l *loader) Query(text string, args []any, scan func(store.Row) error) error {
	a := &lookup{subjects: l.first, queries: []store.Statement{{SQL: text, Args: args}}}
	if err := l.db.lookUp(l.ctx, a); err != nil {
		return err
	}
	if len(l.first) > 0 {
		l.first, l.revision = nil, a.found[0]
	}
	for _, row := range a.rows[0] {
		if err := scan(row); err != nil {
			return err
		}
	}
	return nil
}

// lookUp queues a lookup and waits until it is answered.
func (db *DB) lookUp(ctx context.Context, a *lookup) error {
	if err := db.begin(); err != nil {
		return err
	}
	defer db.calls.Done()
	if len(a.subjects)+len(a.queries) == 0 {
		return nil
	}
	d := db.deadline()
	a.end, a.done = d.end, make(chan struct{})
	ctx, cancel := context.WithDeadline(ctx, d.end)
	defer cancel()
	select {
	case db.lookups <- a:
	case <-ctx.Done():
		return db.timedOut(ctx, d)
	}
	select {
	case <-a.done:
		return a.err
	case <-ctx.Done():
		return db.timedOut(ctx, d)
	}
}

// timedOut returns the error of a call that was not answered in time.
func (db *DB) timedOut(ctx context.Context, d deadline) error {
	db.metrics.unavailable.Inc()
	db.noteTimeout(d)
	return fmt.Errorf("%w: %w", store.ErrUnavailable, ctx.Err())
}

// collect answers lookups until the queue is closed. It answers all waiting lookups in one round trip.
func (db *DB) collect(ctx context.Context) {
	for first := range db.lookups {
		list := db.gather(first)
		if len(list) == 0 {
			continue
		}
		db.metrics.queries.Inc()
		db.metrics.confirmed.Add(float64(len(list)))
		err := db.call(ctx, func(ctx context.Context, c *conn) error { return answer(ctx, c, list) })
		for _, a := range list {
			a.err = err
			close(a.done)
		}
	}
}

// gather returns first and the lookups in the queue, without those whose callers no longer wait.
func (db *DB) gather(first *lookup) []*lookup {
	now := db.wall.Now()
	var list []*lookup
	subjects, queries := 0, 0
	for a := first; a != nil; {
		if now.Before(a.end) {
			list = append(list, a)
			subjects += len(a.subjects)
			queries += len(a.queries)
		}
		if subjects >= maxSubjects || queries >= maxQueries {
			return list
		}
		select {
		case a = <-db.lookups: // nil when it is closed
		default:
			return list
		}
	}
	return list
}

// answer answers lookups: with one query for the revisions of all subjects, and the queries of each lookup.
func answer(ctx context.Context, c *conn, list []*lookup) error {
	var subjects []store.Subject
	var batch []store.Statement
	var rows []*[]store.Row // where the rows of each statement go; nil for the revisions
	for _, a := range list {
		subjects = append(subjects, a.subjects...)
	}
	q := newRevisions(subjects)
	if len(subjects) > 0 {
		batch, rows = append(batch, store.Statement{SQL: selectRevisions, Args: q.args()}), append(rows, nil)
	}
	for _, a := range list {
		a.rows = make([][]store.Row, len(a.queries)) // an earlier attempt may have read some
		for i := range a.queries {
			batch, rows = append(batch, a.queries[i]), append(rows, &a.rows[i])
		}
	}
	_, err := c.queries(ctx, batch, func(i int, row store.Row) error {
		if rows[i] == nil {
			return q.scan(row)
		}
		*rows[i] = append(*rows[i], slices.Clone(row))
		return nil
	})
	for _, a := range list {
		a.found, q.found = q.found[:len(a.subjects)], q.found[len(a.subjects):]
	}
	return err
}
