package sqlite

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/sqlstore"
)

const (
	// maxWaiting is how many units of work wait in line; callers beyond it wait for a place.
	maxWaiting = 1024
	// maxBatch is how many units of work share a commit at the most.
	maxBatch = 256
)

// writer runs units of work one after another on its connection, all that wait in one transaction. They share the
// commit, and with it the wait for the disk.
type writer struct {
	conn  *conn
	queue chan *unit    // closed by stop
	done  chan struct{} // closed when the last unit has been answered
	units []*unit       // of the batch under way
	roll  sqlstore.Roll // of the units of work that have run
	after func()        // called after each batch, when its units have been answered
}

// unit is a unit of work in line.
type unit struct {
	fn       func(*sqlstore.Tx) error
	taken    atomic.Bool // by the writer, which will answer it, or by its caller, who has given it up
	err      error       // read once answered is closed
	answered chan struct{}
}

func startWriter(conn *conn, after func()) *writer {
	w := &writer{conn: conn, queue: make(chan *unit, maxWaiting), done: make(chan struct{}), after: after}
	go w.run()
	return w
}

// stop waits for the units in line. No update comes after it.
func (w *writer) stop() {
	close(w.queue)
	<-w.done
}

// Update puts fn in line and waits for the answer. A unit that has not begun when ctx ends is given up.
func (w *writer) Update(ctx context.Context, fn func(*sqlstore.Tx) error) error {
	u := &unit{fn: fn, answered: make(chan struct{})}
	if ctx.Done() == nil { // as of most writes, which are finished once they have begun
		w.queue <- u
		<-u.answered
		return u.err
	}
	select {
	case w.queue <- u:
	case <-ctx.Done():
		return fmt.Errorf("wait in line to write: %w", ctx.Err())
	}
	select {
	case <-u.answered:
	case <-ctx.Done():
		if u.taken.CompareAndSwap(false, true) {
			return fmt.Errorf("wait in line to write: %w", ctx.Err())
		}
		<-u.answered
	}
	return u.err
}

func (w *writer) run() {
	stopped := false
	defer func() {
		if !stopped { // a unit of work has ended the goroutine, as a test that fails inside one does
			go w.run()
			return
		}
		close(w.done)
	}()
	for u := range w.queue {
		if u.taken.CompareAndSwap(false, true) {
			w.batch(u)
			w.after()
		}
	}
	stopped = true
}

// next takes a unit that waits in line. It returns nil when there is none, also after everybody who is ready to run had
// a turn to join the line: fewer commits, and no timer.
func (w *writer) next() *unit {
	for yielded := false; ; {
		select {
		case u := <-w.queue:
			if u == nil || u.taken.CompareAndSwap(false, true) {
				return u
			}
		default:
			if yielded {
				return nil
			}
			yielded = true
			runtime.Gosched()
		}
	}
}

var (
	// errSpoiled says that a unit has to be undone together with others that did well.
	errSpoiled = errors.New("the transaction holds the writes of a failed unit of work")
	errExit    = errors.New("a unit of work ended the goroutine it ran on")
)

// batch runs first and the units behind it, commits once, and answers them. Nearly all units succeed, so they run without
// savepoints, which would cost a fifth of the throughput. When one has to be undone after others have written, all of
// them run again, each in a savepoint.
func (w *writer) batch(first *unit) {
	w.units = append(w.units[:0], first)
	err := errExit
	defer func() {
		for i, u := range w.units {
			if u.err == nil {
				u.err = err
			}
			close(u.answered)
			w.units[i] = nil
		}
	}()
	err = w.transaction(w.runBare)
	if errors.Is(err, errSpoiled) {
		err = w.transaction(w.runGuarded)
	}
}

// transaction runs the batch's units, takes more that wait behind them, and commits. An error says that nothing of any
// of them was kept.
func (w *writer) transaction(run func(u *unit, t *sqlstore.Tx, others bool) error) error {
	if err := w.begin(); err != nil {
		return err
	}
	wrote := false // some unit that is going to be kept
	for i := range maxBatch {
		if i == len(w.units) {
			u := w.next()
			if u == nil {
				break
			}
			w.units = append(w.units, u)
		}
		u, t := w.units[i], sqlstore.NewTx(w.conn, &w.roll)
		if err := run(u, t, wrote); err != nil {
			w.rollback()
			return err
		}
		wrote = wrote || u.err == nil && t.Wrote()
	}
	if _, err := w.conn.Exec("COMMIT", nil); err != nil {
		w.rollback()
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}

func (w *writer) begin() error {
	_, err := w.conn.Exec("BEGIN IMMEDIATE", nil)
	if err != nil && !errors.Is(err, store.ErrUnavailable) { // a transaction may have been left open
		w.rollback()
		_, err = w.conn.Exec("BEGIN IMMEDIATE", nil)
	}
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	return nil
}

func (w *writer) rollback() {
	w.roll.Clear()
	_, _ = w.conn.Exec("ROLLBACK", nil) // fails when the engine has done it on its own, which is as well
	w.conn.log.forgive()
}

// runBare runs a unit. When it fails and others have written before it, the transaction is spoiled.
func (w *writer) runBare(u *unit, t *sqlstore.Tx, others bool) error {
	u.err = t.Run(u.fn)
	if u.err == nil || !t.Wrote() {
		return nil
	}
	if others {
		return errSpoiled
	}
	w.rollback()
	return w.begin()
}

// runGuarded runs a unit that can be undone alone.
func (w *writer) runGuarded(u *unit, t *sqlstore.Tx, _ bool) error {
	if _, err := w.conn.Exec("SAVEPOINT unit", nil); err != nil {
		return fmt.Errorf("begin a unit of work: %w", err)
	}
	u.err = t.Run(u.fn)
	if u.err != nil {
		w.roll.Clear()
		if _, err := w.conn.Exec("ROLLBACK TO unit", nil); err != nil { // a full disk, for instance, ends all of it
			return fmt.Errorf("%w: the transaction was lost: %w", store.ErrUnavailable, u.err)
		}
	}
	if _, err := w.conn.Exec("RELEASE unit", nil); err != nil {
		return fmt.Errorf("end a unit of work: %w", err)
	}
	return nil
}
