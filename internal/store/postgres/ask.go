package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"
)

const (
	// readers is how many connections ask what drafts want to know, maxAsked how many questions go together.
	readers  = 2
	maxAsked = 128
)

// question is a query of a draft.
type question struct {
	*step

	err      error
	answered chan struct{} // closed when the step has its rows, or err is set
}

// ask runs a query of a draft, together with those of others.
func (e *engine) ask(ctx context.Context, s *step) error {
	q := &question{step: s, answered: make(chan struct{})}
	select {
	case e.asked <- q:
	case <-ctx.Done():
		return fmt.Errorf("wait in line to read: %w", ctx.Err())
	}
	<-q.answered
	return q.err
}

// answer runs the queries that wait until there will be no more.
func (e *engine) answer() {
	for q := range e.asked {
		together := []*question{q}
		for len(together) < maxAsked {
			if q = next(e.asked); q == nil {
				break
			}
			together = append(together, q)
		}
		err := e.answerAll(together)
		if err != nil && len(together) > 1 && !errors.Is(err, errLost) { // one of them is to blame, and gets what it deserves
			for i := range together {
				together[i].err = e.answerAll(together[i : i+1])
			}
			err = nil
		}
		for _, q := range together {
			if err != nil {
				q.err = err
			}
			close(q.answered)
		}
	}
}

// answerAll runs queries until their connection is not lost on the way.
func (e *engine) answerAll(together []*question) error {
	for lost := 0; ; lost++ {
		err := e.tryAnswer(together)
		if !errors.Is(err, errLost) || lost == maxLost {
			return err
		}
		e.pool.Reset()
	}
}

func (e *engine) tryAnswer(together []*question) error {
	c, release, err := e.acquire(e.ctx)
	if err != nil {
		return err
	}
	defer release()
	var batch pgconn.Batch
	for _, q := range together {
		if q.stmt, err = c.prepare(q.query); err != nil {
			return err
		}
		if err := c.bind(q.stmt, q.args); err != nil {
			return err
		}
		batch.ExecStatement(q.stmt.StatementDescription, c.values, q.stmt.params, q.stmt.results)
	}
	results := c.conn.ExecBatch(c.ctx, &batch)
	for _, q := range together {
		if !results.NextResult() {
			break
		}
		q.rows = nil
		for r := results.ResultReader(); r.NextRow(); {
			q.rows = appendRow(q.rows, r.Values())
		}
	}
	return c.fault(results.Close())
}
