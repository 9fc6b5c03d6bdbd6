package logging

import (
	"bytes"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// A JSON log is written flushAfter its first line, or when flushAt bytes wait.
	flushAfter = 100 * time.Millisecond
	flushAt    = 64 << 10
	// maxQueued is the highest number of bytes that wait for a log that is not read. The queue drops lines that do not
	// fit.
	maxQueued = 1 << 20
	// closeWait is the longest time that Close waits for a log that is not read.
	closeWait = time.Second
)

// Queue passes the lines of the log to a writer. A goroutine writes, so that a log that is not read delays no
// request, and so that a busy service does not make a system call per line. The queue counts the lines that it drops,
// and logs their number when the writer works again. A process that is killed loses the lines in the queue.
type Queue struct {
	w      io.Writer
	delay  time.Duration // between the first line and the write
	notice *slog.Logger  // writes to w
	lost   atomic.Uint64 // all lines that were dropped

	mu      sync.Mutex
	lines   []byte
	dropped int // lines since the last notice

	wake, full chan struct{} // there is a line; there are flushAt bytes
	closing    chan struct{}
	done       chan struct{} // closed when the goroutine ends
}

// newQueue returns a queue and starts its goroutine, which Close ends. handler returns the handler that formats the
// lines about dropped lines.
func newQueue(w io.Writer, delay time.Duration, handler func(io.Writer) slog.Handler) *Queue {
	q := &Queue{
		w: w, delay: delay, notice: slog.New(handler(w)), wake: make(chan struct{}, 1), full: make(chan struct{}, 1),
		closing: make(chan struct{}), done: make(chan struct{}),
	}
	go q.run()
	return q
}

// Lost returns how many lines the queue has dropped.
func (q *Queue) Lost() uint64 { return q.lost.Load() }

// Write adds a line. It does not block, and it always succeeds.
func (q *Queue) Write(line []byte) (int, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.lines)+len(line) > maxQueued {
		q.drop(1)
		return len(line), nil
	}
	q.lines = append(q.lines, line...)
	notify(q.wake)
	if len(q.lines) >= flushAt {
		notify(q.full)
	}
	return len(line), nil
}

// drop counts lines that are lost. The caller holds q.mu.
func (q *Queue) drop(lines int) {
	q.dropped += lines
	q.lost.Add(uint64(lines))
}

// Close writes the lines in the queue and ends the goroutine. It waits up to closeWait for a writer that blocks.
func (q *Queue) Close() {
	close(q.closing)
	select {
	case <-q.done:
	case <-time.After(closeWait):
	}
}

// run writes lines until Close is called.
func (q *Queue) run() {
	defer close(q.done)
	var spare []byte
	for open := true; open; {
		open = q.wait()
		q.mu.Lock()
		lines := q.lines
		q.lines = spare[:0]
		q.mu.Unlock()
		q.write(lines)
		spare = lines
	}
}

// wait waits until there are lines to write. It returns false when the queue is closed.
func (q *Queue) wait() bool {
	select {
	case <-q.wake:
	case <-q.closing:
		return false
	}
	if q.delay == 0 {
		return true
	}
	timer := time.NewTimer(q.delay)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-q.full:
	case <-q.closing:
		return false
	}
	return true
}

// write writes lines, and how many were dropped. Lines that cannot be written count as dropped.
func (q *Queue) write(lines []byte) {
	if len(lines) == 0 {
		return
	}
	_, err := q.w.Write(lines)
	q.mu.Lock()
	if err != nil {
		q.drop(bytes.Count(lines, []byte{'\n'}))
	}
	dropped := q.dropped
	if err == nil {
		q.dropped = 0
	}
	q.mu.Unlock()
	if err == nil && dropped > 0 {
		q.notice.Warn("log lines dropped: the log was not read fast enough", "count", dropped)
	}
}

// notify makes a receiver of a channel with room for one value continue.
func notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
