package main

import (
	"io"
	stdlog "log"
	"log/slog"
	"os"
	"sync"
	"time"
)

// newLog returns a log that writes text to a terminal and JSON to everything else, and what has to be called in the end.
func newLog(w io.Writer) (log *slog.Logger, flush func()) {
	if f, ok := w.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			return slog.New(slog.NewTextHandler(w, nil)), func() {}
		}
	}
	b := &lineBuffer{w: w}
	return slog.New(slog.NewJSONHandler(b, nil)), b.flush
}

// adopt makes what libraries write with package log lines of our own.
func adopt(log *slog.Logger) {
	stdlog.SetFlags(0)
	stdlog.SetOutput(slog.NewLogLogger(log.With("part", "library").Handler(), slog.LevelWarn).Writer())
}

const (
	// flushAfter is how long a line waits for others before it is written, flushAt how many bytes wait at the most.
	flushAfter = 100 * time.Millisecond
	flushAt    = 64 << 10
)

// lineBuffer gathers lines, so that a busy service does not make a system call for each. A process that is killed loses
// the lines of the last moment.
type lineBuffer struct {
	mu      sync.Mutex
	w       io.Writer
	lines   []byte
	waiting bool // for the time to flush
}

// Write takes lines.
func (b *lineBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lines = append(b.lines, p...)
	if len(b.lines) >= flushAt {
		return len(p), b.write()
	}
	if !b.waiting {
		b.waiting = true
		time.AfterFunc(flushAfter, b.flush)
	}
	return len(p), nil
}

func (b *lineBuffer) flush() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting = false
	_ = b.write() // nobody is left to tell
}

func (b *lineBuffer) write() error {
	if len(b.lines) == 0 {
		return nil
	}
	_, err := b.w.Write(b.lines)
	b.lines = b.lines[:0]
	return err
}
