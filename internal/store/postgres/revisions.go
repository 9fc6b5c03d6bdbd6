package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store"
)

const (
	// maxLookups is the highest number of lookups in the queue. Further callers wait until it has room.
	maxLookups = 4096
	// maxSubjects bounds the subjects of one query, unless a single lookup has more.
	maxSubjects = 1000
	// collectors is the number of queries that run at the same time.
	collectors = 2
)

// lookup asks for the revisions of subjects.
type lookup struct {
	subjects []store.Subject
	end      time.Time     // when the caller stops waiting
	done     chan struct{} // closed when the fields below are set
	found    []uint64
	err      error
}

// Revisions returns the current revision of each subject. Calls that wait at the same time share one query, which
// begins after all of these calls. The query reads nothing but revisions, so no other table can make it fail.
func (db *DB) Revisions(ctx context.Context, subjects ...store.Subject) ([]uint64, error) {
	if err := db.begin(); err != nil {
		return nil, err
	}
	defer db.calls.Done()
	if len(subjects) == 0 {
		return nil, nil
	}
	began := clock.DeadlineNow()
	a := &lookup{subjects: subjects, end: began.Add(store.WaitBudget(ctx, db.callTime)), done: make(chan struct{})}
	waiting, cancel := context.WithDeadline(ctx, a.end)
	defer cancel()
	found, err := db.lookUp(waiting, a)
	store.Waited(ctx, clock.DeadlineNow().Sub(began), err == nil)
	return found, err
}

// lookUp queues a lookup and waits until it is answered. After a timeout the lookup still belongs to its collector.
func (db *DB) lookUp(ctx context.Context, a *lookup) ([]uint64, error) {
	select {
	case db.lookups <- a:
	case <-ctx.Done():
		return nil, db.timedOut(ctx)
	}
	select {
	case <-a.done:
		return a.found, a.err
	case <-ctx.Done():
		return nil, db.timedOut(ctx)
	}
}

// timedOut returns the error of a call that was not answered in time.
func (db *DB) timedOut(ctx context.Context) error {
	db.metrics.unavailable.Inc()
	return fmt.Errorf("%w: %w", store.ErrUnavailable, ctx.Err())
}

// collect answers lookups until the queue is closed. It answers all waiting lookups with one query.
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
	began := clock.DeadlineNow()
	var list []*lookup
	subjects := 0
	for a := first; a != nil; {
		if began.Before(a.end) {
			list = append(list, a)
			subjects += len(a.subjects)
		}
		if subjects >= maxSubjects {
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

// answer answers lookups with one query.
func answer(ctx context.Context, c *conn, list []*lookup) error {
	var subjects []store.Subject
	for _, a := range list {
		subjects = append(subjects, a.subjects...)
	}
	q := newRevisions(subjects)
	_, err := c.query(ctx, []store.Statement{q.statement()}, q.scan)
	for _, a := range list {
		a.found, q.found = q.found[:len(a.subjects)], q.found[len(a.subjects):]
	}
	return err
}
