package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"slices"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/server"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/postgres"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/internal/tools/terminal"
)

// migrateOptions are the subcommands of "bellhop migrate".
type migrateOptions struct {
	SQLiteToPostgres sqliteToPostgres `cmd:"" name:"sqlite-to-postgres" help:"Copy the SQLite database of a single node into an empty PostgreSQL database, and compare the two."`
}

// sqliteToPostgres are the flags of "bellhop migrate sqlite-to-postgres".
type sqliteToPostgres struct {
	Data     string `required:"" type:"existingdir" placeholder:"DIR" help:"Data folder with the SQLite database. Stop the service first."`
	Postgres string `required:"" placeholder:"URL" help:"Empty PostgreSQL database."`
}

// Run copies the database.
func (o sqliteToPostgres) Run(ctx context.Context, s streams) error {
	log, queue := newLog(s.err)
	defer queue.close()
	rows, err := copyToPostgres(ctx, filepath.Join(o.Data, server.DatabaseFile), o.Postgres, log, s.err)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.out, "copied and verified %s in %s\n", terminal.Plural(rows, "row"), terminal.Plural(len(store.Tables()), "table"))
	return err
}

// copyToPostgres copies the SQLite database at path into the empty PostgreSQL database at url in one transaction, compares
// the two, and returns the number of rows. It fails if another process has the SQLite database open.
func copyToPostgres(ctx context.Context, path, url string, log *slog.Logger, progressTo io.Writer) (rows int64, err error) {
	locked, err := sqlite.Open(ctx, path, clock.System{}, log) // locks out other processes and migrates the schema
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, locked.Close()) }()
	from, err := sqlite.OpenSnapshot(path)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	bar := newProgress(progressTo, "copy")
	defer bar.Clear()
	if rows, err = copyTables(ctx, from, url, log, bar); err != nil {
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
func copyTables(ctx context.Context, from store.Snapshot, url string, log *slog.Logger, bar *terminal.Progress) (done int64, err error) {
	to, err := postgres.OpenLoader(ctx, url, clock.System{}, log)
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
			bar.Step(done, 0)
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
