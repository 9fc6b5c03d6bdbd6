package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store"
	"zombiezen.com/go/sqlite"
)

const (
	// maxQueue is the highest number of changes in the queue. Further callers wait until it has room.
	maxQueue = 1024
	// maxBatch is the largest number of changes in one transaction.
	maxBatch = 256

	// maxRevisions is the highest number of revisions that the writer keeps in memory. It drops all of them when there
	// are more.
	maxRevisions = 1 << 15

	pageSize = 4096 // SQLite's default
	// checkpointSize is the size in bytes of the write-ahead log at which a commit copies it into the database. A large
	// log holds many pages that were written more than once; a checkpoint copies each of them once.
	checkpointSize = 64 << 20
	// maxLog is the size of the log above which reads wait for a checkpoint.
	maxLog = 2 * checkpointSize
	// checkpointWait bounds how long a checkpoint waits for reads in progress.
	checkpointWait = 100 * time.Millisecond
)

// writer owns the connection that writes. It stores all waiting changes in one transaction, so they share one wait for
// the disk.
type writer struct {
	conn        *conn
	wall        clock.Clock              // the system's clock
	revisions   map[store.Subject]uint64 // revisions that were read or written since the last failed transaction
	queue       chan *task               // closed by stop
	done        chan struct{}            // closed when the goroutine has ended
	subscribers []func(*store.Change)
	// notifying is set while reads may see a commit before the subscribers have been called with it. The channel is closed
	// after the last call.
	notifying atomic.Pointer[chan struct{}]

	readers        chan *conn // the reading connections that are not in use
	log            string     // path of the write-ahead log
	maxLog         int64      // the constant, or less in tests
	nextCheckpoint int64      // size of the log at which limitLog truncates it
}

// task is a change in the queue of the writer.
type task struct {
	change     *store.Change
	statements []store.Statement // all statements of the change
	taken      atomic.Bool       // set by the writer when it takes the task, or by a caller that withdraws the task
	err        error             // valid when answered is closed
	answered   chan struct{}     // closed by the writer
}

func startWriter(c *conn, readers chan *conn, log string, wall clock.Clock) *writer {
	w := &writer{
		conn: c, wall: wall, revisions: map[store.Subject]uint64{}, queue: make(chan *task, maxQueue), done: make(chan struct{}),
		readers: readers, log: log, maxLog: maxLog, nextCheckpoint: maxLog,
	}
	go w.run()
	return w
}

// stop waits until the writer has answered every task in the queue. No task may be queued after the call.
func (w *writer) stop() {
	close(w.queue)
	<-w.done
}

// waitNotified waits until the subscribers have been called with every commit that an earlier snapshot may contain.
// Without the wait, a caller could read a change from the store and afterwards an older state from the cache.
func (w *writer) waitNotified(ctx context.Context) error {
	notified := w.notifying.Load()
	if notified == nil {
		return nil
	}
	select {
	case <-*notified:
		return nil
	case <-ctx.Done():
		return waitError(ctx.Err())
	}
}

// Commit implements store.Store. It queues the change and waits for the writer, which stores all queued changes
// together. When ctx ends before the writer takes the change, Commit withdraws it. Otherwise Commit waits for the
// result.
func (d *DB) Commit(ctx context.Context, c store.Change) error {
	if err := d.begin(ctx); err != nil {
		return err
	}
	defer d.calls.Done()
	if d.restricted.Load() && (len(c.Expect) == 0 || c.Expect[0].Subject.Kind != store.KindNode) {
		return fmt.Errorf("%w: %w: the service has no node number yet", store.ErrUnavailable, store.ErrReadOnly)
	}
	c.Revise(d.revisions, d.wall.Now())
	list, err := statements(&c)
	if err != nil {
		return err
	}
	t := &task{change: &c, statements: list, answered: make(chan struct{})}
	select {
	case d.writer.queue <- t:
	case <-ctx.Done():
		return waitError(ctx.Err())
	}
	if c.Queued != nil {
		c.Queued(&c)
	}
	select {
	case <-t.answered:
	case <-ctx.Done():
		if t.taken.CompareAndSwap(false, true) {
			return waitError(ctx.Err())
		}
		<-t.answered
	}
	return t.err
}

// run answers tasks until the queue is closed.
func (w *writer) run() {
	defer close(w.done)
	batch := make([]*task, 0, maxBatch)
	for t := range w.queue {
		runtime.Gosched() // lets other callers queue their changes first, so the batch is larger
		batch = w.fill(append(batch[:0], t))
		w.commit(batch)
		for _, t := range batch {
			close(t.answered)
		}
		clear(batch) // so that the changes can be freed
		w.limitLog()
	}
}

// fill adds the waiting tasks to a batch that has one task. It leaves out tasks that were withdrawn.
func (w *writer) fill(batch []*task) []*task {
	if !batch[0].taken.CompareAndSwap(false, true) {
		batch = batch[:0]
	}
	for len(batch) < maxBatch {
		select {
		case t, open := <-w.queue:
			if !open {
				return batch
			}
			if t.taken.CompareAndSwap(false, true) {
				batch = append(batch, t)
			}
		default:
			return batch
		}
	}
	return batch
}

// commit stores a batch in one transaction and calls the subscribers. Changes whose expectations do not hold get
// ErrStale. When the transaction fails, because one of the changes conflicts with a record or because the disk is full,
// commit stores each half of the batch alone. So one bad change does not fail the others, and commit finds it in a few
// transactions. Reads that end after the COMMIT wait until the subscribers have returned.
func (w *writer) commit(batch []*task) {
	if len(batch) == 0 {
		return
	}
	notified := make(chan struct{})
	defer func() {
		w.notifying.Store(nil)
		close(notified)
	}()
	err := w.conn.exec("BEGIN IMMEDIATE")
	for i := 0; i < len(batch) && err == nil; i++ {
		t := batch[i]
		if t.err, err = w.check(t.change); t.err != nil || err != nil {
			continue
		}
		for _, s := range t.statements {
			if err = w.conn.Query(s.SQL, s.Args, nil); err != nil {
				break
			}
		}
		w.remember(t.change)
	}
	if err == nil {
		w.notifying.Store(&notified)
		err = commitError(w.conn.exec("COMMIT"))
	}
	if err == nil {
		w.notify(batch)
		return
	}
	clear(w.revisions)
	w.conn.rollback()
	if len(batch) > 1 {
		w.commit(batch[:len(batch)/2])
		w.commit(batch[len(batch)/2:])
		return
	}
	batch[0].err = err
}

// commitError adds ErrUnsure to an error of a COMMIT when the disk may have the change all the same: then a restart
// would show it.
func commitError(err error) error {
	if sqlite.ErrCode(err).ToPrimary() == sqlite.ResultIOErr {
		return errors.Join(store.ErrUnsure, err)
	}
	return err
}

// notify calls the subscribers with the changes that were stored.
func (w *writer) notify(batch []*task) {
	for _, t := range batch {
		if t.err != nil {
			continue
		}
		for _, fn := range w.subscribers {
			fn(t.change)
		}
	}
}

// check returns ErrStale when a subject is not at the revision that a change expects. It sees the changes that were
// stored before in the same transaction. err is the error of a query.
func (w *writer) check(c *store.Change) (stale, err error) {
	if stale, err = w.compare(c.Seen, false); stale != nil || err != nil {
		return stale, err
	}
	for _, list := range [][]store.Expectation{c.Expect, c.Check} {
		if stale, err = w.compare(list, c.Clear); stale != nil || err != nil {
			return stale, err
		}
	}
	return nil, nil
}

// compare returns ErrStale when a subject is not at the expected revision. After a Clear only node numbers exist.
func (w *writer) compare(list []store.Expectation, cleared bool) (stale, err error) {
	for _, e := range list {
		var revision uint64
		if !cleared || e.Subject.Kind == store.KindNode {
			if revision, err = w.revision(e.Subject); err != nil {
				return nil, err
			}
		}
		if revision != e.Revision {
			return store.ErrStale, nil
		}
	}
	return nil, nil
}

// revision returns the revision of a subject, 0 when it does not exist.
func (w *writer) revision(s store.Subject) (revision uint64, err error) {
	if revision, known := w.revisions[s]; known {
		return revision, nil
	}
	err = w.conn.Query(selectRevision, subjectArgs(s), func(row store.Row) error {
		n, _ := row[0].(int64)
		revision = uint64(n)
		return nil
	})
	if err == nil {
		w.setRevision(s, revision)
	}
	return revision, err
}

// remember keeps the revisions that subjects have after a change. No other process or goroutine changes them.
func (w *writer) remember(c *store.Change) {
	if c.Clear {
		clear(w.revisions)
	}
	for _, e := range c.Expect {
		if e.Ends {
			w.setRevision(e.Subject, 0)
		} else {
			w.setRevision(e.Subject, c.Revision)
		}
	}
}

func (w *writer) setRevision(s store.Subject, revision uint64) {
	if len(w.revisions) >= maxRevisions {
		clear(w.revisions)
	}
	w.revisions[s] = revision
}

// limitLog bounds the write-ahead log. SQLite restarts the log when a commit finds that all of it was copied into the
// database and that no read is in progress. With constant reads this never happens. So above maxLog, limitLog takes all
// reading connections, which stops new reads, and truncates the log.
func (w *writer) limitLog() {
	info, err := os.Stat(w.log)
	if err != nil || info.Size() < w.nextCheckpoint {
		return
	}
	w.nextCheckpoint = w.maxLog
	if !w.truncateLog() { // a read takes too long: let the log grow before the next attempt
		w.nextCheckpoint = info.Size() + w.maxLog/2
	}
}

// truncateLog reports whether it could copy the log into the database and truncate it.
func (w *writer) truncateLog() bool {
	late := make(chan struct{})
	timer := w.wall.AfterFunc(checkpointWait, func() { close(late) })
	defer timer.Stop()
	held := make([]*conn, 0, cap(w.readers))
	defer func() {
		for _, c := range held {
			w.readers <- c
		}
	}()
	for len(held) < cap(w.readers) {
		select {
		case c := <-w.readers:
			held = append(held, c)
		case <-late:
			return false
		}
	}
	busy := true
	err := w.conn.Query("PRAGMA wal_checkpoint(TRUNCATE)", nil, func(row store.Row) error {
		busy = row[0] != int64(0)
		return nil
	})
	return err == nil && !busy
}
