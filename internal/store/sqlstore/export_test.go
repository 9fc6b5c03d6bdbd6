package sqlstore

import (
	"context"
	"maps"
	"slices"
	"strings"
)

// MaxLog is the size above which the write-ahead log is folded into the database, MaxBatch how many units share a commit.
const (
	MaxLog   = maxLog
	MaxBatch = maxBatch
)

// CopyBlank makes a database that has its schema, which is quicker than to bring one up to date.
var CopyBlank = copyBlank

// Echo opens a connection and returns a function that has SQLite say back what it is given as arguments.
func Echo(ctx context.Context, path string) (echo func(args ...any) ([]any, error), closed func() error, err error) {
	c, err := connect(ctx, path, nil)
	if err != nil {
		return nil, nil, err
	}
	echo = func(args ...any) (said []any, err error) {
		query := "SELECT " + strings.TrimSuffix(strings.Repeat("?,", max(len(args), 1)), ",")
		err = c.query(query, func(r row) error {
			for _, v := range r {
				said = append(said, v)
			}
			return nil
		}, args)
		return said, err
	}
	return echo, c.close, nil
}

// MaxTexts is how much memory for texts a connection keeps.
const MaxTexts = maxTexts

// Run runs a statement on the writer's connection, outside of the contract, and returns the first column of its last row.
func Run(ctx context.Context, db *DB, query string) (any, error) {
	var last any
	err := db.engine.update(ctx, func(t *tx) error {
		return t.query(query, func(r row) error {
			last = r[0]
			return nil
		})
	})
	return last, err
}

// Waiting returns how many units of work wait in line.
func Waiting(db *DB) int { return len(db.engine.(*sqliteEngine).queue) }

// Statements returns the statements that have been prepared so far. Nothing may be under way.
func Statements(db *DB) []string {
	e := db.engine.(*sqliteEngine)
	all := maps.Clone(e.conn.stmts)
	for range len(e.idle) {
		r := <-e.idle
		maps.Copy(all, r.stmts)
		e.idle <- r
	}
	return slices.Collect(maps.Keys(all))
}
