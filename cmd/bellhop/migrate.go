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
	err := copyToPostgres(ctx, filepath.Join(o.Data, server.DatabaseFile), o.Postgres, log, func(c copyProgress) {
		if !c.verified {
			fmt.Fprintf(s.err, "%-20s %d of %d rows copied\n", c.table, c.rows, c.total)
			return
		}
		tables++
		rows += c.rows
		fmt.Fprintf(s.err, "%-20s %d rows verified\n", c.table, c.rows)
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.out, "copied and verified %d rows in %d tables\n", rows, tables)
	return err
}
