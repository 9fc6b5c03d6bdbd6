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

	"github.com/bellhop/bellhop/internal/store/sqlstore"
)

// volatilePragmas are those of the writer, but nothing waits for the disk.
var volatilePragmas = append(slices.Clone(writerPragmas), "synchronous(off)")

// blank is a database without a row in it, made once in a process.
var blank struct {
	sync.Mutex
	file []byte
}

// OpenVolatile is Open for tests, which open many databases and miss none of them: what is acknowledged survives the
// process, but not the machine, and a new database is a copy of one that has its schema.
func OpenVolatile(ctx context.Context, path string, log *slog.Logger) (*sqlstore.DB, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if err := copyBlank(ctx, path, log); err != nil {
			return nil, err
		}
	}
	return open(ctx, path, volatilePragmas, log)
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
	db, err := open(ctx, path, volatilePragmas, log)
	if err != nil {
		return err
	}
	if err := db.Close(); err != nil {
		return err
	}
	blank.file, err = os.ReadFile(path) //nolint:gosec // the test names the path
	return err
}
