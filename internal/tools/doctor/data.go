package doctor

import (
	"context"
	"errors"
	"fmt"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/internal/tools/database"
)

// Data checks one database with its attachments. It changes nothing.
type Data struct {
	database.Location

	Course Course
	Sealer *auth.Sealer // the encryption keys of the service; nil: none are known
	Heads  []audit.Head // heads of the audit log that the operator kept
	// KeyFile is the file with the encryption keys; empty: they are not from a file.
	KeyFile string

	// Rows and Files are the numbers of rows and files that were checked.
	Rows, Files int64

	snapshot store.Snapshot
	tables   []store.Table // those that exist
}

// Course is told how a check of data goes.
type Course interface {
	// Problem is called for each problem: its kind, the record or file, and how to repair it.
	Problem(kind, where, repair string)
	// Note is called with what is not checked.
	Note(text string)
	// Step is called while rows are checked.
	Step(done, total int64)
	// Busy runs a part of the check whose length is not known.
	Busy(part string, check func() error) error
}

const fromBackup = "restore a backup into a new folder or database"

// Run runs the checks.
func (c *Data) Run(ctx context.Context) (err error) {
	if intact, err := c.checkLog(); err != nil || !intact {
		return err // opening the database would drop the lost part of the log
	}
	if c.snapshot, err = c.Snapshot(ctx); err != nil {
		if !errors.Is(err, store.ErrDamaged) {
			return err
		}
		c.Course.Problem("the database cannot be read", err.Error(), fromBackup)
		return nil
	}
	defer func() { err = errors.Join(err, c.snapshot.Close()) }()
	if _, err := store.SchemaOf(c.snapshot); err != nil {
		c.Course.Problem("wrong schema", err.Error(), "use the version of bellhop that the service runs with")
		return nil
	}
	if err := c.Course.Busy("engine", func() error { return c.checkEngine(ctx) }); err != nil {
		return err
	}
	if err := c.checkNames(); err != nil {
		return err
	}
	if err := c.checkRows(ctx); err != nil {
		return err
	}
	if err := c.Course.Busy("references", func() error { return c.checkReferences(ctx) }); err != nil {
		return err
	}
	if err := c.Course.Busy("audit log", c.checkAuditLog); err != nil {
		return err
	}
	if err := c.Course.Busy("encrypted keys", c.checkKeys); err != nil {
		return err
	}
	return c.checkFiles(ctx)
}

// checkLog checks the write-ahead log of a SQLite database that no process uses.
func (c *Data) checkLog() (intact bool, err error) {
	if c.Postgres != "" {
		return true, nil
	}
	used, err := sqlite.InUse(c.File)
	if err != nil {
		return false, err
	}
	if used {
		c.Course.Note("the service is running: its write-ahead log is not checked")
		return true, nil
	}
	_, err = sqlite.CheckLog(c.File + "-wal")
	if errors.Is(err, sqlite.ErrLogDamaged) {
		c.Course.Problem("lost commits", err.Error(), fromBackup+
			", or copy the folder and start the service with --accept-data-loss. Nothing else was checked.")
		return false, nil
	}
	return true, err
}

// checkEngine runs the engine's own check.
func (c *Data) checkEngine(ctx context.Context) error {
	if c.Postgres != "" {
		return c.checkPostgres(ctx)
	}
	err := c.snapshot.Query("PRAGMA integrity_check(1000)", nil, func(row store.Row) error {
		if text, _ := row[0].(string); text != "ok" {
			c.Course.Problem("SQLite found damage", text, fromBackup+". If only indexes are named: stop the service and run sqlite3 bellhop.db REINDEX")
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
func (c *Data) checkPostgres(ctx context.Context) (err error) {
	s, err := c.Snapshot(ctx)
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
		c.Course.Problem("PostgreSQL found damage", fmt.Sprintf("%d pages with a wrong checksum", failures), fromBackup)
	}
	if amcheck == 0 {
		c.Course.Note("PostgreSQL's indexes are not checked: run CREATE EXTENSION amcheck as a superuser")
		return nil
	}
	if err := s.Query(checkIndexes, nil, nil); err != nil {
		c.Course.Problem("PostgreSQL found damage", err.Error(), "REINDEX DATABASE, then run this check again; otherwise "+fromBackup)
	}
	return nil
}

// readable reports damage that made a query fail, and returns other errors.
func (c *Data) readable(what string, err error) error {
	if errors.Is(err, store.ErrDamaged) {
		c.Course.Problem("cannot be read", what+": "+err.Error(), fromBackup)
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
func (c *Data) checkNames() error {
	has := map[string]bool{}
	err := c.snapshot.Query(namesIn[c.Engine()], nil, func(row store.Row) error {
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
			c.Course.Problem("missing table", name, fromBackup)
		}
	}
	for _, name := range indexes {
		if !has[name] {
			c.Course.Problem("missing index", name, "create it as in internal/store/migrations, or make a backup and restore it into a new folder or database")
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
func (c *Data) checkRows(ctx context.Context) error {
	total := int64(0)
	for _, t := range c.tables {
		n, err := database.Count(c.snapshot, t.Name)
		if err := c.readable("table "+t.Name, err); err != nil {
			return err
		}
		total += n
	}
	for _, t := range c.tables {
		err := c.snapshot.Query(t.Select(), nil, func(row store.Row) error {
			if c.Rows++; c.Rows%1024 == 0 {
				c.Course.Step(c.Rows, total)
				if err := ctx.Err(); err != nil {
					return err
				}
			}
			if !t.Intact(row) {
				c.Course.Problem("wrong checksum", c.row(t, row), fromBackup+", or delete the row: "+c.deletion(t, row))
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
func (c *Data) row(t store.Table, row store.Row) string {
	return t.Name + ", " + t.Key(row, c.Postgres != "")
}

// deletion returns the statement that deletes a row.
func (c *Data) deletion(t store.Table, row store.Row) string {
	return "DELETE FROM " + t.Name + " WHERE " + t.Key(row, c.Postgres != "")
}
