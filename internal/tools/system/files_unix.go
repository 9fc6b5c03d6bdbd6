//go:build unix

package system

import (
	"context"
	"log/slog"
	"os/signal"
	"syscall"
)

// neededFiles is the number of files and connections that a small service has open at the same time: the database, the files in
// transfer, the connections to PostgreSQL and Redis, and about 900 clients.
const neededFiles = 1024

// WarnFewFiles logs a warning when the process may open only a few files. The Go runtime has raised the limit as far as it
// may.
func WarnFewFiles(ctx context.Context, log *slog.Logger) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err == nil && limit.Cur < neededFiles {
		log.WarnContext(ctx, "the limit of open files is low: each client needs one. Raise it with ulimit -n or LimitNOFILE",
			"limit", limit.Cur, "needed", neededFiles)
	}
}

// SurviveFileLimit makes a write beyond the limit on the size of files (ulimit -f) fail, as on a full disk. Otherwise
// it ends the process.
func SurviveFileLimit() { signal.Ignore(syscall.SIGXFSZ) }
