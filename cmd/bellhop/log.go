package main

import (
	"io"
	stdlog "log"
	"log/slog"
	"sync"
	"time"

	"github.com/bellhop/bellhop/internal/tools/terminal"
)

// logOptions are the flags of the log.
type logOptions struct {
	Format string `enum:"text,json," default:"" placeholder:"text|json" help:"Format of the log. Default: text on a terminal and in dev, JSON elsewhere."`
	Level  string `enum:"debug,info,warn,error," default:"" placeholder:"LEVEL" help:"Least level that is logged: debug, info, warn or error. Default: warn in dev, info elsewhere."`
}

// open returns a logger that writes to w. Call flush before the process exits. asText is set in dev: it selects text and
// the level warn if the flags select nothing else.
func (o logOptions) open(w io.Writer, asText bool) (log *slog.Logger, flush func()) {
	return o.openAt(w, asText, &slog.LevelVar{})
}

// openAt is open with a variable that gets the level of the flags, and that can change the level later.
func (o logOptions) openAt(w io.Writer, asText bool, level *slog.LevelVar) (log *slog.Logger, flush func()) {
	if o.Level == "" && asText {
		level.Set(slog.LevelWarn) // the terminal of a developer shows interactions, not requests
	}
	_ = level.UnmarshalText([]byte(o.Level)) // the flag allows only known levels; empty keeps the default
	if o.Format == "text" || o.Format == "" && (asText || terminal.IsTerminal(w)) {
		return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: level, ReplaceAttr: timeOfDay})), func() {}
	}
	b := &lineBuffer{w: w}
	return slog.New(slog.NewJSONHandler(b, &slog.HandlerOptions{Level: level})), b.flush
}

// timeOfDay shortens the time of a text log: its reader knows the day.
func timeOfDay(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && a.Key == slog.TimeKey {
		return slog.String(slog.TimeKey, a.Value.Time().Format("15:04:05.000"))
	}
	return a
}

// newLog returns the logger of a subcommand that has no log flags.
func newLog(w io.Writer) (log *slog.Logger, flush func()) {
	return logOptions{Level: "warn"}.open(w, false)
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
