package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/events"
	"github.com/bellhop/bellhop/internal/store"
)

// Statements about the revisions of subjects. Each fails when the subject is not at the expected revision, so that the
// server skips the rest of the batch and changes nothing: a division by zero or a key that exists already.
const (
	insertSubject = "INSERT INTO subjects (kind, a, b, revision) VALUES (?, ?, ?, ?)"
	moveSubject   = "WITH moved AS (UPDATE subjects SET revision = ?" +
		" WHERE kind = ? AND a = ? AND b = ? AND revision = ? RETURNING 1) SELECT 1 / COUNT(*) FROM moved"
	endSubject = "WITH ended AS (DELETE FROM subjects" +
		" WHERE kind = ? AND a = ? AND b = ? AND revision = ? RETURNING 1) SELECT 1 / COUNT(*) FROM ended"
	checkAbsent = "SELECT 1 / (1 - COUNT(*)) FROM subjects WHERE kind = ? AND a = ? AND b = ?"
	// checkAll checks many subjects. Those of revision 0 do not exist, the number of the others is the last argument.
	checkAll = "SELECT 1 / (CASE WHEN COUNT(*) = CAST(? AS BIGINT) AND COUNT(*) = SUM(same) THEN 1 ELSE 0 END) FROM" +
		" (SELECT CASE WHEN s.revision = q.revision THEN 1 ELSE 0 END AS same FROM UNNEST(CAST(? AS BIGINT[])," +
		" CAST(? AS BIGINT[]), CAST(? AS BIGINT[]), CAST(? AS BIGINT[])) AS q (kind, a, b, revision)" +
		" JOIN subjects s ON s.kind = q.kind AND s.a = q.a AND s.b = q.b FOR SHARE OF s NOWAIT) AS found"
)

// Commit applies a change in one round trip. When the connection is lost it sends the same change again; the revision of
// the change tells whether an earlier attempt took place.
func (db *DB) Commit(ctx context.Context, c store.Change) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	now := clock.System{}.Now()
	c.Revise(now)
	list, err := statements(&c, now)
	if err != nil {
		return err
	}
	unsure := false // an earlier attempt may have taken place
	err = db.call(context.WithoutCancel(ctx), func(ctx context.Context, on *conn) error {
		sent, err := on.exec(ctx, list)
		if unsure && errors.Is(err, store.ErrStale) {
			return settle(ctx, on, &c)
		}
		unsure = unsure || sent && errors.Is(err, errLost)
		return err
	})
	switch {
	case err == nil:
		db.numbers.commits.WithLabelValues("done").Inc()
		for _, fn := range db.subscribers {
			fn(&c)
		}
	case errors.Is(err, store.ErrStale):
		db.numbers.commits.WithLabelValues("stale").Inc()
	default:
		db.numbers.commits.WithLabelValues("failed").Inc()
		if unsure && errors.Is(err, store.ErrUnavailable) && !errors.Is(err, store.ErrUnsure) {
			err = errors.Join(err, store.ErrUnsure)
		}
	}
	return err
}

// settle finds out whether an earlier attempt to commit a change took place, after a later one was stale. The earlier one
// cannot take place from now on, because a revision that it expects is gone.
func settle(ctx context.Context, on *conn, c *store.Change) error {
	subjects := make([]store.Subject, len(c.Expect))
	for i, e := range c.Expect {
		subjects[i] = e.Subject
	}
	q := newRevisions(subjects)
	if _, err := on.query(ctx, []store.Statement{{SQL: selectRevisions, Args: q.args()}}, q.scan); err != nil {
		return err
	}
	if slices.Contains(q.found, c.Revision) {
		return nil // revisions are never used twice
	}
	for i, e := range c.Expect {
		if e.Revision != 0 && q.found[i] == e.Revision {
			return store.ErrStale
		}
	}
	// Every subject has moved on since, by this change or by others. A recorded event still tells.
	if len(c.Events) == 0 {
		return fmt.Errorf("%w: %w: other nodes wrote to the same subjects", store.ErrUnavailable, store.ErrUnsure)
	}
	args := append(subjectArgs(c.Events[0].Subject), int64(c.Revision-1), int64(c.Revision))
	rows, err := on.query(ctx, []store.Statement{{SQL: selectBetween, Args: args}}, nil)
	if err == nil && rows == 0 {
		return store.ErrStale
	}
	return err
}

// statements returns everything that a change does, in order. Revisions come first and in the order of their subjects, so
// that changes to the same subjects wait for each other and cannot deadlock.
func statements(c *store.Change, now time.Time) ([]store.Statement, error) {
	records, err := c.Statements()
	if err != nil {
		return nil, err
	}
	list := make([]store.Statement, 0, len(c.Expect)+len(c.Check)+len(records)+5)
	if c.Clear {
		list = append(list, clearSubjects...)
	}
	for _, e := range c.Expect {
		list = append(list, expect(e, c.Revision))
	}
	locks := slices.ContainsFunc(c.Check, func(e store.Expectation) bool { return e.Revision != 0 })
	if locks {
		list = append(list, store.Statement{SQL: "SAVEPOINT checks"}, checkLocked(c.Check), store.Statement{SQL: "ROLLBACK TO checks"})
	} else {
		for _, e := range c.Check {
			list = append(list, store.Statement{SQL: checkAbsent, Args: subjectArgs(e.Subject)})
		}
	}
	if list, err = appendEvents(append(list, records...), c, now); err != nil {
		return nil, err
	}
	if c.Clear || locks { // they need a transaction block; a batch without one is a transaction too
		list = append(slices.Insert(list, 0, store.Statement{SQL: "BEGIN"}), store.Statement{SQL: "COMMIT"})
	}
	return list, nil
}

// checkLocked returns the statement that checks subjects which the change does not write to. It runs when the subjects that
// the change writes to are locked. A checked subject that another change has locked is an error, and the change is sent
// again. So of two changes that each check what the other writes, at most one takes place as it is. Checks do not keep their
// locks: a subject that many changes check could otherwise never be written to. A subject that does not exist has no lock; a
// change that creates it at the same moment counts as later.
func checkLocked(list []store.Expectation) store.Statement {
	subjects, revisions, exist := make([]store.Subject, len(list)), make([]int64, len(list)), int64(0)
	for i, e := range list {
		subjects[i], revisions[i] = e.Subject, int64(e.Revision)
		if e.Revision != 0 {
			exist++
		}
	}
	q := newRevisions(subjects)
	return store.Statement{SQL: checkAll, Args: append(append([]any{exist}, q.args()...), revisions)}
}

// clearSubjects are the statements that remove all subjects but node numbers. Changes that are under way end before.
var clearSubjects = []store.Statement{
	{SQL: "LOCK TABLE subjects IN EXCLUSIVE MODE"},
	{SQL: "DELETE FROM subjects WHERE kind <> ?", Args: []any{int64(store.KindNode)}},
}

// subjectArgs returns the columns that name a subject.
func subjectArgs(s store.Subject) []any { return []any{int64(s.Kind), int64(s.A), int64(s.B)} }

// expect returns the statement that gives a subject its new revision, or removes it.
func expect(e store.Expectation, revision uint64) store.Statement {
	args := subjectArgs(e.Subject)
	switch {
	case e.Ends && e.Revision == 0:
		return store.Statement{SQL: checkAbsent, Args: args}
	case e.Ends:
		return store.Statement{SQL: endSubject, Args: append(args, int64(e.Revision))}
	case e.Revision == 0:
		return store.Statement{SQL: insertSubject, Args: append(args, int64(revision))}
	default:
		return store.Statement{SQL: moveSubject, Args: append(append([]any{int64(revision)}, args...), int64(e.Revision))}
	}
}

// appendEvents appends one row for each subject that has events.
func appendEvents(list []store.Statement, c *store.Change, now time.Time) ([]store.Statement, error) {
	bySubject := map[store.Subject][]events.Event{}
	for _, e := range c.Events {
		bySubject[e.Subject] = append(bySubject[e.Subject], e.Event)
	}
	for _, e := range c.Expect {
		if of := bySubject[e.Subject]; len(of) > 0 {
			args := append(subjectArgs(e.Subject), int64(c.Revision), int64(e.Revision), now.UnixMicro(), events.AppendEntry(nil, of))
			list = append(list, store.Statement{SQL: insertEvent, Args: args})
			delete(bySubject, e.Subject)
		}
	}
	for s := range bySubject {
		return nil, fmt.Errorf("an event about subject %v, which the change does not write to", s)
	}
	return list, nil
}
