package main

import (
	"io"
	stdlog "log"
	"log/slog"
	"os"
	"sync"
	"time"
)

// newLog returns a logger that writes text to a terminal and JSON to anything else. Call flush before the process exits.
func newLog(w io.Writer) (log *slog.Logger, flush func()) {
	if f, ok := w.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			return slog.New(slog.NewTextHandler(w, nil)), func() {}
		}
	}
	b := &lineBuffer{w: w}
	return slog.New(slog.NewJSONHandler(b, nil)), b.flush
}

// redirectStandardLog sends the lines that libraries write with package log to our logger.
func redirectStandardLog(log *slog.Logger) {
	stdlog.SetFlags(0)
	stdlog.SetOutput(slog.NewLogLogger(log.With("part", "library").Handler(), slog.LevelWarn).Writer())
}

const (
	// The buffer is written flushAfter its first line, or when it has flushAt bytes.
	flushAfter = 100 * time.Millisecond
	flushAt    = 64 << 10
)

// lineBuffer buffers lines, so that a busy service does not make a system call per line. A process that is killed loses
// the lines in the buffer.
type lineBuffer struct {
	mu      sync.Mutex
	w       io.Writer
	lines   []byte
	waiting bool // a timer will flush
}

// Write adds lines to the buffer.
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
	_ = b.write() // an error of the log cannot be logged
}

func (b *lineBuffer) write() error {
	if len(b.lines) == 0 {
		return nil
	}
	_, err := b.w.Write(b.lines)
	b.lines = b.lines[:0]
	return err
}
