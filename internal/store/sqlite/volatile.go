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
)

// volatilePragmas are those of the writer, but no commit waits for the disk.
var volatilePragmas = append(slices.Clone(writerPragmas), "synchronous = off")

// blank is the file of a database without rows. The first call of OpenVolatile makes it.
var blank struct {
	sync.Mutex
	file []byte
}

// OpenVolatile is Open for tests, which open many databases. A commit survives the end of the process, but not that of the
// machine, and a new database is a copy of one that has the schema.
func OpenVolatile(ctx context.Context, path string, log *slog.Logger) (*DB, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if err := copyBlank(ctx, path, log); err != nil {
			return nil, err
		}
	}
	return open(ctx, path, log, volatilePragmas)
}

func copyBlank(ctx context.Context, path string, log *slog.Logger) error {
	blank.Lock()
	defer blank.Unlock()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if blank.file != nil {
		return os.WriteFile(path, blank.file, 0o600)
	}
	db, err := open(ctx, path, log, volatilePragmas)
	if err != nil {
		return err
	}
	if err := db.Close(); err != nil {
		return err
	}
	blank.file, err = os.ReadFile(path) //nolint:gosec // the test names the path
	return err
}
