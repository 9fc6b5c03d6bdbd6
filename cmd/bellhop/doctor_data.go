package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/internal/tools/terminal"
)

// doctorData are the flags of "bellhop doctor" without a subcommand.
type doctorData struct {
	databaseOptions
}

// maxOfKind is how many problems of one kind are printed.
const maxOfKind = 20

// Run checks the data of a service, which may be running. It changes nothing.
func (o doctorData) Run(ctx context.Context, s streams) (err error) {
	if err := o.check(); err != nil {
		return err
	}
	c := &checkup{databaseOptions: o.databaseOptions, streams: s, printer: printer{out: s.out}, began: time.Now(), kinds: map[string]int{}}
	if err := c.run(ctx); err != nil {
		return err
	}
	for kind, n := range c.kinds {
		if n > maxOfKind {
			c.line("%s: %d more", kind, n-maxOfKind)
		}
	}
	if c.problems > 0 {
		c.line("\n%s found.", terminal.Plural(c.problems, "problem"))
		return errors.Join(c.printer.err, exitCode(exitFailed))
	}
	c.line("no problem found: %s, %s, %d s", terminal.Plural(c.rows, "row"), terminal.Plural(c.files, "file"), int(time.Since(c.began).Seconds()))
	return c.printer.err
}

// checkup checks one database with its attachments.
type checkup struct {
	databaseOptions
	streams
	printer

	snapshot store.Snapshot
	tables   []store.Table // those that exist

	began       time.Time
	bar         *terminal.Progress
	problems    int
	kinds       map[string]int // problems of each kind
	rows, files int64
}

// report prints a problem and how to repair it.
func (c *checkup) report(kind, where, repair string) {
	c.problems++
	if c.kinds[kind]++; c.kinds[kind] > maxOfKind {
		return
	}
	if c.bar != nil {
		c.bar.Clear()
	}
	c.line("%s: %s\n  repair: %s", kind, terminal.Printable(where), repair)
}

const fromBackup = "restore a backup into a new folder or database"

func (c *checkup) run(ctx context.Context) (err error) {
	if intact, err := c.checkLog(); err != nil || !intact {
		return err // opening the database would drop the lost part of the log
	}
	if c.snapshot, err = c.databaseOptions.snapshot(ctx); err != nil {
		if !errors.Is(err, store.ErrDamaged) {
			return err
		}
		c.report("the database cannot be read", err.Error(), fromBackup)
		return nil
	}
	defer func() { err = errors.Join(err, c.snapshot.Close()) }()
	if _, err := store.SchemaOf(c.snapshot); err != nil {
		c.report("wrong schema", err.Error(), "use the version of bellhop that the service runs with")
		return nil
	}
	if err := terminal.Busy(c.streams.err, "engine", func() error { return c.checkEngine(ctx) }); err != nil {
		return err
	}
	if err := c.checkNames(); err != nil {
		return err
	}
	if err := c.checkRows(ctx); err != nil {
		return err
	}
	if err := terminal.Busy(c.streams.err, "references", func() error { return c.checkReferences(ctx) }); err != nil {
		return err
	}
	return c.checkFiles(ctx)
}

// checkLog checks the write-ahead log of a SQLite database that no process uses.
func (c *checkup) checkLog() (intact bool, err error) {
	if c.Postgres != "" {
		return true, nil
	}
	used, err := sqlite.InUse(c.file())
	if err != nil {
		return false, err
	}
	if used {
		fmt.Fprintln(c.streams.err, "the service is running: its write-ahead log is not checked")
		return true, nil
	}
	_, err = sqlite.CheckLog(c.file() + "-wal")
	if errors.Is(err, sqlite.ErrLogDamaged) {
		c.report("lost commits", err.Error(), fromBackup+
			", or copy the folder and start the service with --accept-data-loss. Nothing else was checked.")
		return false, nil
	}
	return true, err
}

// checkEngine runs the engine's own check.
func (c *checkup) checkEngine(ctx context.Context) error {
	if c.Postgres != "" {
		return c.checkPostgres(ctx)
	}
	err := c.snapshot.Query("PRAGMA integrity_check(1000)", nil, func(row store.Row) error {
		if text, _ := row[0].(string); text != "ok" {
			c.report("SQLite found damage", text, fromBackup+". If only indexes are named: stop the service and run sqlite3 bellhop.db REINDEX")
		}
		return nil
	})
	return c.readable("integrity check", err)
}

// The checks of PostgreSQL. amcheck is an extension, which an operator may have created.
const (
	checksumFailures = "SELECT CAST(COALESCE(SUM(checksum_failures), 0) AS BIGINT) FROM pg_stat_database WHERE datname = current_database()"
	hasAmcheck       = "SELECT COUNT(*) FROM pg_extension WHERE extname = 'amcheck'"
	checkIndexes     = "SELECT COUNT(*) FROM (SELECT bt_index_check(c.oid, true) FROM pg_class c JOIN pg_am a ON a.oid = c.relam" +
		" WHERE c.relkind = 'i' AND a.amname = 'btree' AND c.relnamespace = CAST(current_schema() AS regnamespace) OFFSET 0) AS checked"
)

// checkPostgres uses a snapshot of its own, because an error ends it.
func (c *checkup) checkPostgres(ctx context.Context) (err error) {
	s, err := c.databaseOptions.snapshot(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	var failures, amcheck int64
	for query, n := range map[string]*int64{checksumFailures: &failures, hasAmcheck: &amcheck} {
		err := s.Query(query, nil, func(row store.Row) error {
			*n, _ = row[0].(int64)
			return nil
		})
		if err != nil {
			return err
		}
	}
	if failures > 0 {
		c.report("PostgreSQL found damage", fmt.Sprintf("%d pages with a wrong checksum", failures), fromBackup)
	}
	if amcheck == 0 {
		fmt.Fprintln(c.streams.err, "PostgreSQL's indexes are not checked: run CREATE EXTENSION amcheck as a superuser")
		return nil
	}
	if err := s.Query(checkIndexes, nil, nil); err != nil {
		c.report("PostgreSQL found damage", err.Error(), "REINDEX DATABASE, then run this check again; otherwise "+fromBackup)
	}
	return nil
}

// readable reports damage that made a query fail, and returns other errors.
func (c *checkup) readable(what string, err error) error {
	if errors.Is(err, store.ErrDamaged) {
		c.report("cannot be read", what+": "+err.Error(), fromBackup)
		return nil
	}
	return err
}

// namesIn select the names of all tables and indexes.
var namesIn = map[string]string{
	"sqlite": "SELECT name FROM sqlite_master",
	"postgres": "SELECT convert_to(CAST(relname AS TEXT), 'UTF8') FROM pg_class WHERE relkind IN ('r', 'i')" +
		" AND relnamespace = CAST(current_schema() AS regnamespace)",
}

// checkNames checks that all tables and indexes exist.
func (c *checkup) checkNames() error {
	has := map[string]bool{}
	err := c.snapshot.Query(namesIn[c.engine()], nil, func(row store.Row) error {
		if b, ok := row[0].([]byte); ok {
			row[0] = string(b)
		}
		name, _ := row[0].(string)
		has[name] = true
		return nil
	})
	if err != nil {
		return c.readable("list of tables", err)
	}
	tables, indexes, err := store.SchemaNames()
	if err != nil {
		return err
	}
	for _, name := range tables {
		if !has[name] {
			c.report("missing table", name, fromBackup)
		}
	}
	for _, name := range indexes {
		if !has[name] {
			c.report("missing index", name, "create it as in internal/store/migrations, or make a backup and restore it into a new folder or database")
		}
	}
	for _, t := range store.Tables() {
		if has[t.Name] {
			c.tables = append(c.tables, t)
		}
	}
	return nil
}

// checkRows verifies the checksums of all rows.
func (c *checkup) checkRows(ctx context.Context) error {
	total := int64(0)
	for _, t := range c.tables {
		n, err := count(c.snapshot, t.Name)
		if err := c.readable("table "+t.Name, err); err != nil {
			return err
		}
		total += n
	}
	c.bar = newProgress(c.streams.err, "rows")
	defer c.bar.Clear()
	for _, t := range c.tables {
		err := c.snapshot.Query(t.Select(), nil, func(row store.Row) error {
			if c.rows++; c.rows%1024 == 0 {
				c.bar.Step(c.rows, total)
				if err := ctx.Err(); err != nil {
					return err
				}
			}
			if !t.Intact(row) {
				c.report("wrong checksum", c.row(t, row), fromBackup+", or delete the row: "+c.deletion(t, row))
			}
			return nil
		})
		if err := c.readable("table "+t.Name, err); err != nil {
			return err
		}
	}
	return nil
}

// row names a row.
func (c *checkup) row(t store.Table, row store.Row) string {
	return t.Name + ", " + t.Key(row, c.Postgres != "")
}

// deletion returns the statement that deletes a row.
func (c *checkup) deletion(t store.Table, row store.Row) string {
	return "DELETE FROM " + t.Name + " WHERE " + t.Key(row, c.Postgres != "")
}
