package sqlite

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/bellhop/bellhop/internal/store"
	"zombiezen.com/go/sqlite"
)

// Limits of the package.
const (
	MaxBatch = maxBatch
	Readers  = readers
)

// Exec runs a statement in a transaction of the writer.
func (d *DB) Exec(sql string) error {
	t := &task{change: &store.Change{}, statements: []store.Statement{{SQL: sql}}, answered: make(chan struct{})}
	d.writer.queue <- t
	<-t.answered
	return t.err
}

// LimitLog sets the size of the write-ahead log above which reads wait for a checkpoint, and SQLite's own limit to half
// of it. It is called before the first commit.
func (d *DB) LimitLog(size int64) error {
	d.writer.maxLog, d.writer.nextCheckpoint = size, size
	return errors.Join(
		d.Exec(fmt.Sprint("PRAGMA wal_autocheckpoint = ", size/2/pageSize)), d.Exec(fmt.Sprint("PRAGMA journal_size_limit = ", size/2)))
}

// Number returns the first column of the last row that a query returns.
func (d *DB) Number(query string) (int64, error) {
	c := <-d.idle
	defer func() { d.idle <- c }()
	return number(c, query)
}

func number(c *conn, query string) (n int64, err error) {
	err = c.Query(query, nil, func(row store.Row) error {
		n, _ = row[0].(int64)
		return nil
	})
	return n, err
}

// Synchronous returns the setting of the writer's connection, which must be idle.
func (d *DB) Synchronous() int64 {
	n, err := number(d.writer.conn, "PRAGMA synchronous")
	if err != nil {
		return -1
	}
	return n
}

// Queued returns how many changes wait in the queue.
func (d *DB) Queued() int { return len(d.writer.queue) }

// Prepared returns the statements that the connections have prepared. No call may be in progress.
func (d *DB) Prepared() []string {
	statements := slices.Collect(maps.Keys(d.writer.conn.statements))
	for range len(d.idle) {
		c := <-d.idle
		statements = slices.AppendSeq(statements, maps.Keys(c.statements))
		d.idle <- c
	}
	return statements
}

// Preparations returns how often SQLite prepares a query when one connection runs it with each of the given arguments.
func (d *DB) Preparations(query string, args ...int64) (n int, err error) {
	c := <-d.idle
	defer func() { d.idle <- c }()
	err = c.SetAuthorizer(sqlite.AuthorizeFunc(func(a sqlite.Action) sqlite.AuthResult {
		if a.Type() == sqlite.OpSelect {
			n++
		}
		return sqlite.AuthResultOK
	}))
	for i := 0; i < len(args) && err == nil; i++ {
		err = c.Query(query, []any{args[i]}, nil)
	}
	return n, errors.Join(err, c.SetAuthorizer(nil))
}
