package main

import (
	"io"
	"log/slog"

	"github.com/bellhop/bellhop/internal/tools/logging"
)

// logOptions are the flags of the log.
type logOptions struct {
	Format string `enum:"text,json," default:"" placeholder:"text|json" help:"Format of the log. Default: text on a terminal and in dev, JSON elsewhere."`
	Level  string `enum:"debug,info,warn,error," default:"" placeholder:"LEVEL" help:"Least level that is logged: debug, info, warn or error. Default: warn in dev, info elsewhere."`
}

// newLog returns the logger of a subcommand that has no log flags. Close the queue before the process exits.
func newLog(w io.Writer) (*slog.Logger, *logging.Queue) {
	return logging.Open(w, logging.Options{Level: "warn"})
}
