package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/bellhop/bellhop/internal/server"
	"github.com/bellhop/bellhop/internal/store/transfer"
)

// migrateOptions are the subcommands of "bellhop migrate".
type migrateOptions struct {
	SQLiteToPostgres sqliteToPostgres `cmd:"" name:"sqlite-to-postgres" help:"Copy the database of a single node into an empty PostgreSQL, and compare the two."`
}

// sqliteToPostgres are the flags of "bellhop migrate sqlite-to-postgres".
type sqliteToPostgres struct {
	Data     string `required:"" type:"existingdir" placeholder:"DIR" help:"Folder of the database; the service must not run."`
	Postgres string `required:"" placeholder:"URL" help:"PostgreSQL database to copy into."`
}

// Run copies everything. Broken off, it goes on where it was when it is called again.
func (o sqliteToPostgres) Run(ctx context.Context, s streams) error {
	log, flush := newLog(s.err)
	defer flush()
	var rows int64
	tables := 0
	err := transfer.ToPostgres(ctx, filepath.Join(o.Data, server.DatabaseFile), o.Postgres, log, func(c transfer.Copied) {
		if !c.Verified {
			fmt.Fprintf(s.err, "%-20s %d of %d\n", c.Table, c.Rows, c.Of)
			return
		}
		tables++
		rows += c.Rows
		fmt.Fprintf(s.err, "%-20s %d the same on both sides\n", c.Table, c.Rows)
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.out, "copied and compared %d rows of %d tables\n", rows, tables)
	return err
}
