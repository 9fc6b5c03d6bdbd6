package sqlite

import (
	"context"
	"errors"
	"os"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store"
	"zombiezen.com/go/sqlite"
)

const (
	// maxQueue is how many changes wait in the queue. Further callers wait for a place in it.
	maxQueue = 1024
	// maxBatch is how many changes share a transaction at most.
	maxBatch = 256

	// maxKnown is how many revisions the writer remembers. It forgets all of them when there are more.
	maxKnown = 1 << 15

	pageSize = 4096 // SQLite's default
	// checkpointSize is the size in bytes of the write-ahead log at which a commit copies it into the database. In a large
	// log many pages have been written more than once, and are copied once.
	checkpointSize = 64 << 20
	// maxLog is the size of the log above which reads have to wait for a checkpoint.
	maxLog = 2 * checkpointSize
	// checkpointPatience bounds how long a checkpoint waits for reads under way.
	checkpointPatience = 100 * time.Millisecond
)

// writer owns the connection that writes. It stores the changes that wait in one transaction, so they share one wait for the
// disk.
type writer struct {
	conn        *conn
	known       map[store.Subject]uint64 // revisions that were read or written since the last failed transaction
	queue       chan *task               // closed by stop
	done        chan struct{}            // closed when the goroutine has ended
	subscribers []func(*store.Change)
	// untold is set while reads may see a commit that the subscribers have not heard of. The channel is closed after that.
	untold atomic.Pointer[chan struct{}]

	readers        chan *conn // the reading connections that are not in use
	log            string     // path of the write-ahead log
	maxLog         int64      // the constant, or less in tests
	nextCheckpoint int64      // size of the log at which limitLog does something
}

// task is a change on its way through the writer.
type task struct {
	change     *store.Change
	statements []store.Statement
	taken      atomic.Bool   // set by the writer, which then answers, or by a caller that withdraws the change
	err        error         // valid when answered is closed
	answered   chan struct{} // closed by the writer
}

func startWriter(c *conn, readers chan *conn, log string) *writer {
	w := &writer{
		conn: c, known: map[store.Subject]uint64{}, queue: make(chan *task, maxQueue), done: make(chan struct{}),
		readers: readers, log: log,
		maxLog: maxLog, nextCheckpoint: maxLog,
	}
	go w.run()
	return w
}

// stop waits until the writer has answered every change in the queue. No call of commit may follow.
func (w *writer) stop() {
	close(w.queue)
	<-w.done
}

// commit queues a task and waits for its answer.
func (w *writer) commit(ctx context.Context, t *task) error {
	select {
	case w.queue <- t:
	case <-ctx.Done():
		return waitError(ctx.Err())
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

// waitTold waits until the subscribers have heard of every commit that an earlier snapshot may contain. Otherwise a read could
// show a change, and a later one that the cache answers could not.
func (w *writer) waitTold(ctx context.Context) error {
	told := w.untold.Load()
	if told == nil {
		return nil
	}
	select {
	case <-*told:
		return nil
	case <-ctx.Done():
		return waitError(ctx.Err())
	}
}

// run answers tasks until the queue is closed.
func (w *writer) run() {
	defer close(w.done)
	batch := make([]*task, 0, maxBatch)
	for t := range w.queue {
		runtime.Gosched() // callers that are ready to run join the batch: fewer commits for all
		batch = w.fill(append(batch[:0], t))
		w.store(batch)
		for _, t := range batch {
			close(t.answered)
		}
		clear(batch) // so that the changes can be freed
		w.limitLog()
	}
}

// fill adds the tasks that wait to a batch, and removes those that were withdrawn.
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

// store stores a batch in one transaction and tells the subscribers. When the transaction fails, because one of the changes
// conflicts with a record or because the disk is full, each half of the batch is tried alone. So one bad change does not
// fail the others, and it costs a few transactions to find it.
func (w *writer) store(batch []*task) {
	if len(batch) == 0 {
		return
	}
	told := make(chan struct{})
	err := w.transaction(batch, &told)
	defer func() {
		w.untold.Store(nil)
		close(told)
	}()
	if err != nil && len(batch) > 1 {
		w.store(batch[:len(batch)/2])
		w.store(batch[len(batch)/2:])
		return
	}
	for _, t := range batch {
		if err != nil {
			t.err = err
		}
		if t.err != nil {
			continue
		}
		for _, tell := range w.subscribers {
			tell(t.change)
		}
	}
}

// transaction applies the changes whose expectations hold and commits them. The others get ErrStale. An error says that no
// change was stored. From the COMMIT on, reads that end wait until told is closed.
func (w *writer) transaction(batch []*task, told *chan struct{}) (err error) {
	if err := w.conn.exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			clear(w.known)
		}
		w.conn.rollback()
	}()
	for _, t := range batch {
		current, err := w.holds(t.change)
		if err != nil {
			return err
		}
		if t.err = nil; !current {
			t.err = store.ErrStale
			continue
		}
		if err := w.apply(t); err != nil {
			return err
		}
	}
	w.untold.Store(told)
	err = w.conn.exec("COMMIT")
	if sqlite.ErrCode(err).ToPrimary() == sqlite.ResultIOErr {
		// The disk may have the change all the same, and would show it after a restart.
		err = errors.Join(store.ErrUnsure, err)
	}
	return err
}

// holds reports whether every subject is at the revision that a change expects. It sees the changes that were applied
// before in the same transaction.
func (w *writer) holds(c *store.Change) (bool, error) {
	for _, list := range [][]store.Expectation{c.Expect, c.Check} {
		for _, e := range list {
			var revision uint64
			if !c.Clear || e.Subject.Kind == store.KindNode { // Clear removes the other subjects first
				var err error
				if revision, err = w.revision(e.Subject); err != nil {
					return false, err
				}
			}
			if revision != e.Revision {
				return false, nil
			}
		}
	}
	return true, nil
}

// apply writes the rows and revisions of a change.
func (w *writer) apply(t *task) error {
	c := t.change
	if c.Clear {
		clear(w.known)
		if err := w.conn.Query("DELETE FROM subjects WHERE kind <> ?", []any{int64(store.KindNode)}, nil); err != nil {
			return err
		}
	}
	for _, s := range t.statements {
		if err := w.conn.Query(s.SQL, s.Args, nil); err != nil {
			return err
		}
	}
	for _, e := range c.Expect {
		if err := w.setRevision(e, c.Revision); err != nil {
			return err
		}
	}
	return nil
}

// Statements about the revision of a subject.
const (
	selectRevision = "SELECT revision FROM subjects WHERE kind = ? AND a = ? AND b = ?"
	deleteRevision = "DELETE FROM subjects WHERE kind = ? AND a = ? AND b = ?"
	upsertRevision = "INSERT INTO subjects (kind, a, b, revision) VALUES (?, ?, ?, ?)" +
		" ON CONFLICT (kind, a, b) DO UPDATE SET revision = excluded.revision"
)

// revision returns the revision of a subject, 0 when it does not exist.
func (w *writer) revision(s store.Subject) (revision uint64, err error) {
	if revision, known := w.known[s]; known {
		return revision, nil
	}
	err = w.conn.Query(selectRevision, subjectArgs(s), func(row store.Row) error {
		n, _ := row[0].(int64)
		revision = uint64(n)
		return nil
	})
	if err == nil {
		w.note(s, revision)
	}
	return revision, err
}

// note remembers the revision of a subject. The writer is the only one that changes it.
func (w *writer) note(s store.Subject, revision uint64) {
	if len(w.known) >= maxKnown {
		clear(w.known)
	}
	w.known[s] = revision
}

// setRevision stores the revision of a subject after a change, or removes the subject.
func (w *writer) setRevision(e store.Expectation, revision uint64) error {
	args := subjectArgs(e.Subject)
	if e.Ends {
		w.note(e.Subject, 0)
		return w.conn.Query(deleteRevision, args, nil)
	}
	w.note(e.Subject, revision)
	return w.conn.Query(upsertRevision, append(args, int64(revision)), nil)
}

// subjectArgs returns the columns that name a subject.
func subjectArgs(s store.Subject) []any {
	return append(make([]any, 0, 4), int64(s.Kind), int64(s.A), int64(s.B))
}

// limitLog bounds the write-ahead log. SQLite starts the log again when a commit finds it copied into the database and no
// read under way. With constant reads that moment never comes. So above maxLog, limitLog takes all reading connections, which
// lets no read begin, and truncates the log.
func (w *writer) limitLog() {
	info, err := os.Stat(w.log)
	if err != nil || info.Size() < w.nextCheckpoint {
		return
	}
	w.nextCheckpoint = w.maxLog
	if !w.truncateLog() { // a read takes long: let the log grow before the next attempt
		w.nextCheckpoint = info.Size() + w.maxLog/2
	}
}

// truncateLog reports whether it could copy the log into the database and truncate it.
func (w *writer) truncateLog() bool {
	late := make(chan struct{})
	timer := clock.System{}.AfterFunc(checkpointPatience, func() { close(late) })
	defer timer.Stop()
	held := make([]*conn, 0, readers)
	defer func() {
		for _, c := range held {
			w.readers <- c
		}
	}()
	for len(held) < readers {
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
