package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store"
)

const (
	// maxAsks bounds the calls of Revisions that wait for a collector. Callers beyond it wait for a place.
	maxAsks = 4096
	// maxSubjects bounds the subjects of one query, unless a single call has more.
	maxSubjects = 1000
	// collectors is how many queries for revisions run at the same time.
	collectors = 2
)

// ask is a call of Revisions that waits for its answer.
type ask struct {
	subjects []store.Subject
	end      time.Time     // when the caller stops waiting
	done     chan struct{} // closed when found and err are set
	found    []uint64
	err      error
}

// Revisions returns the current revision of each subject. Calls that wait at the same time share one query, which begins
// after all of them.
func (db *DB) Revisions(ctx context.Context, subjects ...store.Subject) ([]uint64, error) {
	if err := db.enter(); err != nil {
		return nil, err
	}
	defer db.calls.Done()
	if len(subjects) == 0 {
		return nil, nil
	}
	a := &ask{subjects: subjects, end: db.deadline(), done: make(chan struct{})}
	ctx, cancel := context.WithDeadline(ctx, a.end)
	defer cancel()
	select {
	case db.asks <- a:
	case <-ctx.Done():
		return nil, db.late(ctx)
	}
	select {
	case <-a.done:
		return a.found, a.err
	case <-ctx.Done():
		return nil, db.late(ctx)
	}
}

// late returns the error of a call that was not answered in time.
func (db *DB) late(ctx context.Context) error {
	db.numbers.unavailable.Inc()
	db.hung.Store(errors.Is(ctx.Err(), context.DeadlineExceeded))
	return fmt.Errorf("%w: %w", store.ErrUnavailable, ctx.Err())
}

// answer is a collector: it takes every call that waits, asks for all of their subjects in one query, and answers them.
func (db *DB) answer(ctx context.Context) {
	for first := range db.asks {
		list := db.gather(first)
		if len(list) == 0 {
			continue
		}
		db.numbers.queries.Inc()
		db.numbers.confirmed.Add(float64(len(list)))
		found, err := db.current(ctx, list)
		for _, a := range list {
			if a.err = err; err == nil {
				a.found = make([]uint64, len(a.subjects))
				for i, s := range a.subjects {
					a.found[i] = found[s]
				}
			}
			close(a.done)
		}
	}
}

// gather returns first and the calls behind it, without those whose callers no longer wait.
func (db *DB) gather(first *ask) []*ask {
	now := clock.System{}.Now()
	var list []*ask
	subjects := 0
	for a := first; a != nil; {
		if now.Before(a.end) {
			list = append(list, a)
			subjects += len(a.subjects)
		}
		if subjects >= maxSubjects {
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

// current returns the current revisions of all subjects that calls name.
func (db *DB) current(ctx context.Context, list []*ask) (map[store.Subject]uint64, error) {
	found := map[store.Subject]uint64{}
	for _, a := range list {
		for _, s := range a.subjects {
			found[s] = 0
		}
	}
	subjects := make([]store.Subject, 0, len(found))
	for s := range found {
		subjects = append(subjects, s)
	}
	q := newRevisions(subjects)
	err := db.repeat(ctx, func(ctx context.Context, c *conn) error {
		_, err := c.query(ctx, []store.Statement{{SQL: selectRevisions, Args: q.args()}}, q.scan)
		return err
	})
	for i, s := range subjects {
		found[s] = q.found[i]
	}
	return found, err
}
