// Package logging opens the log of a process: JSON for systems that collect logs, text for people. A log that is not read
// delays no caller.
package logging

import (
	"io"
	stdlog "log"
	"log/slog"

	"github.com/bellhop/bellhop/internal/tools/terminal"
)

// Options select the format and the level of a log.
type Options struct {
	Format string // text or json; empty: text in dev and on a terminal, otherwise json
	Level  string // debug, info, warn or error; empty: warn in dev, otherwise info
	// Dev says that the log is shown to a developer. It selects text and the level warn if Format and Level are empty.
	Dev bool
	// Adjust gets the level, and can change it later. It may be nil.
	Adjust *slog.LevelVar
}

// Open returns a logger that writes to w through a queue. Close the queue before the process exits.
func Open(w io.Writer, o Options) (*slog.Logger, *Queue) {
	level := o.Adjust
	if level == nil {
		level = &slog.LevelVar{}
	}
	if o.Level == "" && o.Dev {
		level.Set(slog.LevelWarn) // the terminal of a developer shows interactions, not requests
	}
	_ = level.UnmarshalText([]byte(o.Level)) // the flag allows only known levels; empty keeps the default
	if o.Format == "text" || o.Format == "" && (o.Dev || terminal.IsTerminal(w)) {
		handler := func(w io.Writer) slog.Handler {
			return slog.NewTextHandler(w, &slog.HandlerOptions{Level: level, ReplaceAttr: timeOfDay})
		}
		q := newQueue(w, 0, handler)
		return slog.New(handler(q)), q
	}
	handler := func(w io.Writer) slog.Handler { return slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level}) }
	q := newQueue(w, flushAfter, handler)
	return slog.New(handler(q)), q
}

// timeOfDay shortens the time of a text log: its reader knows the day.
func timeOfDay(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && a.Key == slog.TimeKey {
		return slog.String(slog.TimeKey, a.Value.Time().Format("15:04:05.000"))
	}
	return a
}

// RedirectStandard sends the lines that libraries write with package log to our logger.
func RedirectStandard(log *slog.Logger) {
	stdlog.SetFlags(0)
	stdlog.SetOutput(slog.NewLogLogger(log.With("part", "library").Handler(), slog.LevelWarn).Writer())
}
