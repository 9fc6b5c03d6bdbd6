package backup

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/postgres"
	"github.com/bellhop/bellhop/internal/store/sqlite"
)

// CopyToPostgres copies the SQLite database at path into the empty PostgreSQL database at url in one transaction, compares
// the two, and returns the number of rows. It fails if another process has the SQLite database open.
func CopyToPostgres(ctx context.Context, path, url string, c clock.Clock, log *slog.Logger, progress func(done, total int64)) (rows int64, err error) {
	locked, err := sqlite.Open(ctx, path, c, log) // locks out other processes and migrates the schema
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, locked.Close()) }()
	from, err := sqlite.OpenSnapshot(path)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	if rows, err = copyTables(ctx, from, url, c, log, progress); err != nil {
		return 0, err
	}
	to, err := postgres.OpenSnapshot(ctx, url)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, to.Close()) }() //nolint:contextcheck // uses the context of the snapshot
	return rows, compareTables(from, to)
}

// copyBatch is the number of rows that are sent to PostgreSQL together.
const copyBatch = 5000

// copyTables copies all tables and returns the number of rows.
func copyTables(ctx context.Context, from store.Snapshot, url string, c clock.Clock, log *slog.Logger, progress func(done, total int64)) (done int64, err error) {
	to, err := postgres.OpenLoader(ctx, url, c, log)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, to.Close()) }() //nolint:contextcheck // uses the context of the loader
	if err := checkEmpty(ctx, url); err != nil {
		return 0, err
	}
	for _, t := range store.Tables() {
		var batch []store.Row
		err := from.Query(t.Select(), nil, func(row store.Row) error {
			if batch = append(batch, slices.Clone(row)); len(batch) < copyBatch {
				return nil
			}
			done += int64(len(batch))
			progress(done, 0)
			rows := batch
			batch = nil
			return errors.Join(ctx.Err(), to.Insert(t.Name, t.All(), rows))
		})
		if err == nil {
			done += int64(len(batch))
			err = to.Insert(t.Name, t.All(), batch)
		}
		if err != nil {
			return 0, fmt.Errorf("copy table %s: %w", t.Name, err)
		}
	}
	return done, to.Commit()
}

// compareTables fails if two databases do not have the same rows.
func compareTables(a, b store.Snapshot) error {
	for _, t := range store.Tables() {
		first, err := tableSum(a, t)
		if err != nil {
			return err
		}
		second, err := tableSum(b, t)
		if err != nil {
			return err
		}
		if first != second {
			return fmt.Errorf("compare table %s: the rows differ", t.Name)
		}
	}
	return nil
}

// tableSum returns a checksum of all rows of a table.
func tableSum(s store.Snapshot, t store.Table) (sum [sha256.Size]byte, err error) {
	h := sha256.New()
	var b []byte
	err = s.Query(t.Select(), nil, func(row store.Row) error {
		b = appendRow(b[:0], row)
		_, err := h.Write(b)
		return err
	})
	return [sha256.Size]byte(h.Sum(nil)), err
}
