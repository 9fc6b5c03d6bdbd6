package postgres

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store"
)

const (
	// maxAsks bounds the asks that wait for a collector. Callers beyond it wait for a place.
	maxAsks = 4096
	// maxSubjects bounds the subjects of one batch, unless a single ask has more. maxQueries bounds its queries.
	maxSubjects = 1000
	maxQueries  = 64
	// collectors is how many batches run at the same time.
	collectors = 2
)

// ask is a wish to know the revisions of subjects, the rows of queries, or both.
type ask struct {
	subjects []store.Subject
	queries  []store.Statement
	end      time.Time     // when the caller stops waiting
	done     chan struct{} // closed when the fields below are set
	found    []uint64      // the revisions
	rows     [][]store.Row // of each query
	err      error
}

// Revisions returns the current revision of each subject. Calls that wait at the same time share one query, which begins
// after all of them.
func (db *DB) Revisions(ctx context.Context, subjects ...store.Subject) ([]uint64, error) {
	a := &ask{subjects: subjects}
	if err := db.share(ctx, a); err != nil {
		return nil, err
	}
	return a.found, nil
}

// Load runs fn, whose queries share round trips with those of other calls. The first one brings the revision with it.
func (db *DB) Load(ctx context.Context, subject store.Subject, fn func(store.Reader) error) (uint64, error) {
	l := &loader{db: db, ctx: ctx, first: []store.Subject{subject}}
	err := fn(store.NewReader(l))
	if err != nil && len(l.first) > 0 {
		err = fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	return l.revision, err
}

// loader queries for the state of a subject. PostgreSQL reads the revision before the rows of the first query.
type loader struct {
	db       *DB
	ctx      context.Context //nolint:containedctx // a loader lives as long as one call of Load
	first    []store.Subject // the subject, nothing after the first query
	revision uint64
	ahead    []store.Statement // announced and not sent yet
	got      []answered
}

// answered is a query that was announced, and its rows.
type answered struct {
	query store.Statement
	rows  []store.Row
}

var _ store.AheadQuerier = (*loader)(nil)

// Ahead announces a query.
func (l *loader) Ahead(text string, args []any) {
	l.ahead = append(l.ahead, store.Statement{SQL: text, Args: args})
}

// Query runs a query, together with those that were announced, and gives every row to scan.
func (l *loader) Query(text string, args []any, scan func(store.Row) error) error {
	query := store.Statement{SQL: text, Args: args}
	rows, known := l.take(query)
	if !known {
		a := &ask{subjects: l.first, queries: append(slices.Clip(l.ahead), query)}
		if err := l.db.share(l.ctx, a); err != nil {
			return err
		}
		if len(l.first) > 0 {
			l.first, l.revision = nil, a.found[0]
		}
		for i, q := range l.ahead {
			l.got = append(l.got, answered{q, a.rows[i]})
		}
		l.ahead, rows = nil, a.rows[len(a.rows)-1]
	}
	for _, row := range rows {
		if err := scan(row); err != nil {
			return err
		}
	}
	return nil
}

// take returns the rows of a query that was announced.
func (l *loader) take(query store.Statement) (rows []store.Row, known bool) {
	for i, a := range l.got {
		if a.query.SQL == query.SQL && reflect.DeepEqual(a.query.Args, query.Args) {
			l.got = slices.Delete(l.got, i, i+1)
			return a.rows, true
		}
	}
	return nil, false
}

// share waits for the answer to an ask.
func (db *DB) share(ctx context.Context, a *ask) error {
	if err := db.enter(); err != nil {
		return err
	}
	defer db.calls.Done()
	if len(a.subjects)+len(a.queries) == 0 {
		return nil
	}
	a.end, a.done = db.deadline(), make(chan struct{})
	ctx, cancel := context.WithDeadline(ctx, a.end)
	defer cancel()
	select {
	case db.asks <- a:
	case <-ctx.Done():
		return db.late(ctx)
	}
	select {
	case <-a.done:
		return a.err
	case <-ctx.Done():
		return db.late(ctx)
	}
}

// late returns the error of a call that was not answered in time.
func (db *DB) late(ctx context.Context) error {
	db.numbers.unavailable.Inc()
	db.hung.Store(errors.Is(ctx.Err(), context.DeadlineExceeded))
	return fmt.Errorf("%w: %w", store.ErrUnavailable, ctx.Err())
}

// collect takes every ask that waits, answers all of them in one round trip, and begins again.
func (db *DB) collect(ctx context.Context) {
	for first := range db.asks {
		list := db.gather(first)
		if len(list) == 0 {
			continue
		}
		db.numbers.queries.Inc()
		db.numbers.confirmed.Add(float64(len(list)))
		err := db.repeat(ctx, func(ctx context.Context, c *conn) error { return answer(ctx, c, list) })
		for _, a := range list {
			a.err = err
			close(a.done)
		}
	}
}

// gather returns first and the asks behind it, without those whose callers no longer wait.
func (db *DB) gather(first *ask) []*ask {
	now := clock.System{}.Now()
	var list []*ask
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
		case a = <-db.asks: // nil when it is closed
		default:
			return list
		}
	}
	return list
}

// answer answers asks: one query for the revisions of all subjects, then the queries of each ask.
func answer(ctx context.Context, c *conn, list []*ask) error {
	var subjects []store.Subject
	var batch []store.Statement
	var rows []*[]store.Row // those of each statement
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
