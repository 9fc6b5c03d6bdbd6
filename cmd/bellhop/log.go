package main

import (
	"io"
	stdlog "log"
	"log/slog"

	"github.com/bellhop/bellhop/internal/tools/terminal"
)

// logOptions are the flags of the log.
type logOptions struct {
	Format string `enum:"text,json," default:"" placeholder:"text|json" help:"Format of the log. Default: text on a terminal and in dev, JSON elsewhere."`
	Level  string `enum:"debug,info,warn,error," default:"" placeholder:"LEVEL" help:"Least level that is logged: debug, info, warn or error. Default: warn in dev, info elsewhere."`
}

// open returns a logger that writes to w through a queue. Close the queue before the process exits. asText is set in dev:
// it selects text and the level warn if the flags select nothing else.
func (o logOptions) open(w io.Writer, asText bool) (*slog.Logger, *lineQueue) {
	return o.openAt(w, asText, &slog.LevelVar{})
}

// openAt is open with a variable that gets the level of the flags, and that can change the level later.
func (o logOptions) openAt(w io.Writer, asText bool, level *slog.LevelVar) (*slog.Logger, *lineQueue) {
	if o.Level == "" && asText {
		level.Set(slog.LevelWarn) // the terminal of a developer shows interactions, not requests
	}
	_ = level.UnmarshalText([]byte(o.Level)) // the flag allows only known levels; empty keeps the default
	if o.Format == "text" || o.Format == "" && (asText || terminal.IsTerminal(w)) {
		handler := func(w io.Writer) slog.Handler {
			return slog.NewTextHandler(w, &slog.HandlerOptions{Level: level, ReplaceAttr: timeOfDay})
		}
		q := newLineQueue(w, 0, handler)
		return slog.New(handler(q)), q
	}
	handler := func(w io.Writer) slog.Handler { return slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level}) }
	q := newLineQueue(w, flushAfter, handler)
	return slog.New(handler(q)), q
}

// timeOfDay shortens the time of a text log: its reader knows the day.
func timeOfDay(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && a.Key == slog.TimeKey {
		return slog.String(slog.TimeKey, a.Value.Time().Format("15:04:05.000"))
	}
	return a
}

// newLog returns the logger of a subcommand that has no log flags.
func newLog(w io.Writer) (*slog.Logger, *lineQueue) {
	return logOptions{Level: "warn"}.open(w, false)
}

// redirectStandardLog sends the lines that libraries write with package log to our logger.
func redirectStandardLog(log *slog.Logger) {
	stdlog.SetFlags(0)
	stdlog.SetOutput(slog.NewLogLogger(log.With("part", "library").Handler(), slog.LevelWarn).Writer())
}
