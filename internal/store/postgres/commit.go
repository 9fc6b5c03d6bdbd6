package postgres

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/events"
)

// Statements about the revisions of subjects. Each fails when the subject is not at the expected revision, with a
// division by zero or because the key exists. The server then skips the rest of the batch and changes nothing.
const (
	insertSubject = "INSERT INTO subjects (kind, a, b, revision) VALUES (?, ?, ?, ?)"
	updateSubject = "WITH updated AS (UPDATE subjects SET revision = ?" +
		" WHERE kind = ? AND a = ? AND b = ? AND revision = ? RETURNING 1) SELECT 1 / COUNT(*) FROM updated"
	deleteSubject = "WITH deleted AS (DELETE FROM subjects" +
		" WHERE kind = ? AND a = ? AND b = ? AND revision = ? RETURNING 1) SELECT 1 / COUNT(*) FROM deleted"
	// checkAll checks many subjects. Its first argument is the number of subjects that must exist: those with a
	// revision other than 0. checkIdle also fails when another transaction is writing to one of them, with the square
	// root of a negative number: the row version that the statement sees was replaced by a transaction that its
	// snapshot does not contain.
	checkAll  = checkSame + checkFrom
	checkIdle = checkSame + ", CAST(SQRT(-COALESCE(SUM(CASE WHEN s.xmax = '0' OR pg_visible_in_snapshot(CAST(CAST(" + fullXmax +
		" AS TEXT) AS xid8), pg_current_snapshot()) THEN 0 ELSE 1 END), 0)) AS BIGINT)" + checkFrom
	checkSame = "SELECT 1 / (CASE WHEN COUNT(*) = CAST(? AS BIGINT) AND COUNT(*) = COUNT(*) FILTER (WHERE s.revision = q.revision)" +
		" THEN 1 ELSE 0 END)"
	checkFrom = " FROM UNNEST(CAST(? AS BIGINT[]), CAST(? AS BIGINT[]), CAST(? AS BIGINT[]), CAST(? AS BIGINT[])) AS q (kind, a, b, revision)" +
		" JOIN subjects s ON s.kind = q.kind AND s.a = q.a AND s.b = q.b"
	// A change that creates subjects locks the number of each (lockCreated). A change that depends on their absence shares
	// these locks (checkCreated), so that a change that creates one of them waits for its end. checkCreated fails like
	// checkIdle when another transaction is creating one: no statement can see a row that is not committed.
	lockCreated  = "SELECT pg_advisory_xact_lock(k) FROM UNNEST(CAST(? AS BIGINT[])) AS k"
	checkCreated = "SELECT CAST(SQRT(-COUNT(*) FILTER (WHERE NOT pg_try_advisory_xact_lock_shared(k))) AS BIGINT)" +
		" FROM UNNEST(CAST(? AS BIGINT[])) AS k"
	// fullXmax is the number of the transaction that replaced a row version: xmax has its lower 32 bits, and it is at most
	// 2^31 away from the next transaction.
	fullXmax = nextXID + " + 2147483648 - (" + nextXID + " + 2147483648 - CAST(CAST(s.xmax AS TEXT) AS BIGINT)) % 4294967296"
	nextXID  = "CAST(CAST(pg_snapshot_xmax(pg_current_snapshot()) AS TEXT) AS BIGINT)"
)

// Commit applies a change in one round trip. When the connection is lost, it sends the same change again. The revision
// of the change shows whether an earlier attempt was committed.
func (db *DB) Commit(ctx context.Context, c store.Change) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	c.Revise(db.revisions, db.wall.Now())
	list, err := statements(&c)
	if err != nil {
		return err
	}
	if err := db.begin(); err != nil {
		return err
	}
	defer db.calls.Done()
	unsure := false // whether an earlier attempt may have been committed
	err = db.call(context.WithoutCancel(ctx), func(ctx context.Context, on *conn) error {
		sent, err := on.exec(ctx, list)
		if unsure && errors.Is(err, store.ErrStale) {
			return outcome(ctx, on, &c)
		}
		unsure = unsure || sent && errors.Is(err, errLost)
		return err
	})
	switch {
	case err == nil:
		db.metrics.commits.WithLabelValues("done").Inc()
		for _, fn := range db.subscribers {
			fn(&c)
		}
	case errors.Is(err, store.ErrStale):
		db.metrics.commits.WithLabelValues("stale").Inc()
	default:
		db.metrics.commits.WithLabelValues("failed").Inc()
		if unsure && errors.Is(err, store.ErrUnavailable) && !errors.Is(err, store.ErrUnsure) {
			err = errors.Join(err, store.ErrUnsure)
		}
	}
	return err
}

// outcome returns the result of a change whose last attempt was stale: nil when an earlier attempt was committed. When a
// revision that the change expects has changed, the server cannot commit an earlier attempt later. Otherwise only a subject
// of Check or Seen has changed, and the server may still have an earlier attempt to run: the outcome is unknown.
func outcome(ctx context.Context, on *conn, c *store.Change) error {
	subjects := make([]store.Subject, len(c.Expect))
	for i, e := range c.Expect {
		subjects[i] = e.Subject
	}
	q := newRevisions(subjects)
	if _, err := on.query(ctx, []store.Statement{q.statement()}, q.scan); err != nil {
		return err
	}
	if slices.Contains(q.found, c.Revision) {
		return nil // revisions are never used twice
	}
	changed, unchanged := 0, 0
	for i, e := range c.Expect {
		switch {
		case q.found[i] != e.Revision:
			changed++
		case e.Revision != 0 || !e.Ends:
			unchanged++
		}
	}
	if changed == 0 {
		return fmt.Errorf("%w: %w: the server may have the change in progress", store.ErrUnavailable, store.ErrUnsure)
	}
	if unchanged > 0 {
		return store.ErrStale // the change would have given all of them a new revision
	}
	// Every subject has another revision now, because of this change or of later ones. A recorded event shows which.
	if len(c.Events) == 0 {
		return fmt.Errorf("%w: %w: other nodes have written to the same subjects", store.ErrUnavailable, store.ErrUnsure)
	}
	recorded, err := isRecorded(ctx, on, int64(c.Revision))
	if err == nil && !recorded {
		return store.ErrStale
	}
	return err
}

// statements returns everything that a change does, in order. Revisions come first, in the order of their subjects, so
// that changes to the same subjects wait for each other and cannot deadlock. So a transaction locks the table subjects
// before it gets a number: ownHorizon counts on that.
func statements(c *store.Change) ([]store.Statement, error) {
	records, err := c.Statements(0)
	if err != nil {
		return nil, err
	}
	list := make([]store.Statement, 0, len(c.Expect)+len(records)+8)
	if len(c.Seen) > 0 {
		list = append(list, check(checkAll, c.Seen))
	}
	if c.Clear {
		list = append(list, clearSubjects...)
	}
	if created := createLocks(c); len(created) > 0 {
		list = append(list, store.Statement{SQL: lockCreated, Args: []any{created}})
	}
	checks := slices.Clone(c.Check)
	for _, e := range c.Expect {
		if e.Ends && e.Revision == 0 {
			checks = append(checks, e)
			continue
		}
		list = append(list, expect(e, c.Revision))
	}
	if absent := absentLocks(checks); len(absent) > 0 {
		list = append(list, store.Statement{SQL: checkCreated, Args: []any{absent}})
	}
	if len(checks) > 0 {
		list = append(list, check(checkIdle, checks))
	}
	if list, err = appendEvents(append(list, records...), c); err != nil {
		return nil, err
	}
	if c.Clear { // LOCK needs a transaction block; other batches are a transaction without one
		list = append(slices.Insert(list, 0, store.Statement{SQL: "BEGIN"}), store.Statement{SQL: "COMMIT"})
	}
	return list, nil
}

// check returns the statement sql, checkAll or checkIdle, about the subjects that a change depends on and does not write
// to.
//
// checkIdle runs after the change has written to its own subjects. It fails when another transaction is writing to a
// checked subject; then the change is sent again. Of two changes that each check a subject that the other one writes to,
// the one that checks last sees that the other one is writing. So at most one of them is committed unchanged. The check
// takes no lock on rows: many changes check the same few subjects (docs/decisions, number 17). For subjects that must not exist,
// checkCreated runs before it.
func check(sql string, list []store.Expectation) store.Statement {
	subjects, revisions, exist := make([]store.Subject, len(list)), make([]int64, len(list)), int64(0)
	for i, e := range list {
		subjects[i], revisions[i] = e.Subject, int64(e.Revision)
		if e.Revision != 0 {
			exist++
		}
	}
	q := newRevisions(subjects)
	return store.Statement{SQL: sql, Args: append(append([]any{exist}, q.args()...), revisions)}
}

// A change that creates more than maxCreateLocks subjects locks the number manyCreated instead of theirs, because the server
// has room for some thousand locks. Every check of an absent subject shares manyCreated too.
const (
	maxCreateLocks = 1000
	manyCreated    = 4_121_001
)

// createLocks returns the locks of the subjects that a change creates, in ascending order, so that changes cannot deadlock.
func createLocks(c *store.Change) []int64 {
	var locks []int64
	for _, e := range c.Expect {
		if e.Revision == 0 && !e.Ends {
			locks = append(locks, subjectLock(e.Subject))
		}
	}
	if len(locks) > maxCreateLocks {
		return []int64{manyCreated}
	}
	slices.Sort(locks)
	return locks
}

// absentLocks returns the locks of the subjects in a list that must not exist, and manyCreated.
func absentLocks(list []store.Expectation) []int64 {
	var locks []int64
	for _, e := range list {
		if e.Revision == 0 {
			locks = append(locks, subjectLock(e.Subject))
		}
	}
	if len(locks) > 0 {
		locks = append(locks, manyCreated)
	}
	return locks
}

// subjectLock returns the number of a subject's advisory lock. It is the same on all nodes. If two subjects have the same
// number, their changes only wait for each other.
func subjectLock(s store.Subject) int64 {
	h := fnv.New64a()
	var b [17]byte
	b[0] = byte(s.Kind)
	binary.BigEndian.PutUint64(b[1:], s.A)
	binary.BigEndian.PutUint64(b[9:], s.B)
	_, _ = h.Write(b[:]) // it never fails
	return int64(h.Sum64())
}

// clearSubjects are the statements that remove all subjects except node numbers, after the changes in progress have
// ended.
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
	case e.Ends:
		return store.Statement{SQL: deleteSubject, Args: append(args, int64(e.Revision))}
	case e.Revision == 0:
		return store.Statement{SQL: insertSubject, Args: append(args, int64(revision))}
	default:
		return store.Statement{SQL: updateSubject, Args: append(append([]any{int64(revision)}, args...), int64(e.Revision))}
	}
}

// appendEvents appends the statement that records the events of a change.
func appendEvents(list []store.Statement, c *store.Change) ([]store.Statement, error) {
	if len(c.Events) == 0 {
		return list, nil
	}
	recorded := make([]*events.Event, len(c.Events))
	for i := range c.Events {
		e := &c.Events[i]
		if c.Expects(e.Subject) == nil {
			return nil, fmt.Errorf("the change has an event about subject %v and does not write to it", e.Subject)
		}
		recorded[i] = &e.Event
	}
	entries, partitions := entriesOf(recorded)
	return append(list, store.Statement{SQL: insertAll, Args: []any{int64(c.Revision), entries, partitions}}), nil
}
