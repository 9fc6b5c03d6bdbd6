package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/bellhop/bellhop/internal/server"
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

// Run copies all tables. If it is interrupted, the next call continues where it stopped.
func (o sqliteToPostgres) Run(ctx context.Context, s streams) error {
	log, flush := newLog(s.err)
	defer flush()
	var rows int64
	tables := 0
	bar := newProgress(s.err, "rows")
	err := copyToPostgres(ctx, filepath.Join(o.Data, server.DatabaseFile), o.Postgres, log, func(c copyProgress) {
		bar.label = c.table
		if !c.verified {
			bar.step(c.rows, c.total)
			return
		}
		bar.clear()
		tables++
		rows += c.rows
		fmt.Fprintf(s.err, "%-20s %s verified\n", c.table, plural(c.rows, "row"))
	})
	bar.clear()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.out, "copied and verified %s in %s\n", plural(rows, "row"), plural(tables, "table"))
	return err
}
