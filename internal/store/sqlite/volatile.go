package sqlite

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/bellhop/bellhop/internal/clock"
)

// volatilePragmas are the pragmas of a writer whose commits do not wait for the disk.
var volatilePragmas = append(slices.Clone(writerPragmas), "synchronous = off")

// blank is the content of a database file without rows. The first call of OpenVolatile sets it.
var blank struct {
	sync.Mutex
	file []byte
}

// volatileReaders is less than readers, because each new connection parses the whole schema.
const volatileReaders = 2

// OpenVolatile is like Open, and faster. It is for tests, which open many databases. A commit survives a crash of the
// process, but not a crash of the machine. A new database is a copy of an empty one, so that the migrations run once.
func OpenVolatile(ctx context.Context, path string, wall clock.Clock, log *slog.Logger) (*DB, error) {
	set := settings{pragmas: volatilePragmas, readers: volatileReaders}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if err := copyBlank(ctx, path, wall, log); err != nil {
			return nil, err
		}
		set.migrated = true
	}
	return open(ctx, path, wall, log, set)
}

func copyBlank(ctx context.Context, path string, wall clock.Clock, log *slog.Logger) error {
	blank.Lock()
	defer blank.Unlock()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if blank.file != nil {
		return os.WriteFile(path, blank.file, 0o600)
	}
	db, err := open(ctx, path, wall, log, settings{pragmas: volatilePragmas, readers: volatileReaders})
	if err != nil {
		return err
	}
	if err := db.Close(); err != nil {
		return err
	}
	blank.file, err = os.ReadFile(path)
	return err
}
