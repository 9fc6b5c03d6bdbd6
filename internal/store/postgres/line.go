package postgres

import (
	"bytes"
	"errors"
	"runtime"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/jackc/pgx/v5/pgconn"
)

const (
	// handover is how long a transaction waits for its turn, at the least, when it waits for that of another node.
	handover = 500 * time.Microsecond
	// groupSteps is from how many statements on a group takes no more drafts.
	groupSteps = 1024
)

// submit puts a draft in line and waits until it was answered.
func (e *engine) submit(d *draft) {
	d.answered = make(chan struct{})
	e.line <- d
	<-d.answered
}

// write runs the drafts in line, all that wait in one transaction, until the line is closed.
func (e *engine) write() {
	for d := range e.line {
		e.runGroup([]*draft{d})
	}
}

// latecomers returns the drafts that have come while the transaction waited for its turn. When it did not wait they go with the
// next one, which they make ready while this one runs.
func (c *conn) latecomers(e *engine) []*draft {
	if c.waited < handover {
		return nil
	}
	return e.gather(nil)
}

// gather returns a group together with those who wait in line behind it.
func (e *engine) gather(group []*draft) []*draft {
	steps := 0
	for _, d := range group {
		steps += len(d.steps)
	}
	for steps < groupSteps {
		d := next(e.line)
		if d == nil {
			break
		}
		group, steps = append(group, d), steps+len(d.steps)
	}
	return group
}

// next takes what waits in a line. It returns nil when there is nothing, also after everybody who is ready to run had a turn
// to join the line.
func next[T any](line <-chan *T) *T {
	for yielded := false; ; {
		select {
		case v := <-line:
			return v
		default:
			if yielded {
				return nil
			}
			yielded = true
			runtime.Gosched()
		}
	}
}

// runGroup runs drafts, and those who come behind them, until each of them is answered. Those that cannot be kept are taken
// out, and the others run again.
func (e *engine) runGroup(group []*draft) {
	for try := 1; len(group) > 0; try++ {
		var err error
		group, err = e.tryGroup(group)
		again := errors.Is(err, errChanged) || errors.Is(err, errDisturbed) && try < patientTries
		kept := group[:0]
		for _, d := range group {
			if d.again == nil && again {
				kept = append(kept, d)
				continue
			}
			d.answer(err)
		}
		group = kept
	}
}

// answer ends the wait for a draft.
func (d *draft) answer(err error) {
	switch {
	case d.again != nil:
	case errors.Is(err, errLost):
		d.again = err
	case errors.Is(err, errDisturbed):
		d.again = errLive
	default:
		d.err = err
	}
	close(d.answered)
}

// tryGroup runs the statements of drafts in one transaction and commits it when every outcome is the one that was told. If
// not, it returns errChanged, and the drafts that are to blame say so. It returns the drafts together with those it has taken
// along.
func (e *engine) tryGroup(group []*draft) ([]*draft, error) {
	c, release, err := e.acquire(e.ctx, inLine...)
	if err != nil {
		return group, err
	}
	defer release()
	group = e.gather(group)
	if err = c.replay(group); err == nil {
		if late := c.latecomers(e); len(late) > 0 {
			group = append(group, late...)
			err = c.replay(late)
		}
	}
	if err != nil {
		c.end()
		if errors.Is(err, errLost) {
			e.pool.Reset()
		}
		return group, err
	}
	// What only reads is committed too: the server keeps units of work in an order with those that were, not with one undone.
	if !slices.ContainsFunc(group, func(d *draft) bool { return !d.refused }) {
		c.end()
		return group, nil
	}
	err = c.commit()
	if errors.Is(err, errLost) {
		err = e.settle(e.ctx, c)
	}
	return group, err
}

// replay sends the opening, if it is not sent yet, and the statements of drafts, and compares their outcomes with those that the drafts were made with.
func (c *conn) replay(group []*draft) error {
	batch, err := c.collect(group)
	if err != nil {
		return err
	}
	before := c.opening
	c.opening, c.begun = nil, true
	results := c.conn.ExecBatch(c.ctx, batch)
	failed, changed := c.compare(results, before, group)
	if err := c.fault(results.Close()); err != nil {
		return failed.blame(err)
	}
	return changed
}

// collect puts the opening and the statements of drafts into one message.
func (c *conn) collect(group []*draft) (*pgconn.Batch, error) {
	var batch pgconn.Batch
	for _, q := range c.opening {
		if err := c.add(&batch, q); err != nil {
			return nil, err
		}
	}
	for _, d := range group {
		for i := range d.steps {
			s, err := c.prepare(d.steps[i].query)
			if err == nil {
				err = c.bind(s, d.steps[i].args)
			}
			if err != nil {
				return nil, d.blame(err)
			}
			batch.ExecStatement(s.StatementDescription, c.values, s.params, s.results)
		}
	}
	return &batch, nil
}

// compare reads the outcomes of the statements of drafts. It returns the draft of the first statement that failed, if that is
// any draft's, and errChanged when some outcome is another one than was told.
func (c *conn) compare(results *pgconn.MultiResultReader, before []string, group []*draft) (failed *draft, changed error) {
	for _, q := range before {
		if !results.NextResult() {
			return nil, nil
		}
		c.readOpening(q, results.ResultReader())
	}
	for _, d := range group {
		for i := range d.steps {
			if !results.NextResult() {
				return d, nil
			}
			actual, ran := c.outcome(&d.steps[i], results.ResultReader())
			if !ran {
				return d, nil
			}
			if d.again == nil && !actual.same(&d.steps[i]) {
				d.again, changed = errChanged, errChanged
				d.learned = append(slices.Clone(d.steps[:i]), actual)
			}
		}
	}
	return nil, changed
}

// outcome reads what became of a step, if it ran.
func (c *conn) outcome(s *step, r *pgconn.ResultReader) (actual step, ran bool) {
	actual = *s
	c.rows = c.rows[:0]
	for r.NextRow() {
		c.rows = appendRow(c.rows, r.Values())
	}
	tag, err := r.Close()
	actual.rows, actual.count = c.rows, tag.RowsAffected()
	return actual, err == nil
}

// same reports whether two outcomes of a step are the same to the unit of work, and lets go of the memory that s shares.
func (s *step) same(told *step) bool {
	switch s.kind {
	case reads:
		if bytes.Equal(s.rows, told.rows) {
			return true
		}
		s.rows = slices.Clone(s.rows)
		return false
	case counted:
		return s.count == told.count
	default:
		return true
	}
}

// blame notes that a statement of a draft failed, which may be nobody's. The others go on without the draft, unless the
// failure is not its own.
func (d *draft) blame(err error) error {
	if d == nil || errors.Is(err, store.ErrUnavailable) || errors.Is(err, errDisturbed) {
		return err
	}
	d.again = errLive
	return errChanged
}
