package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/server"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/tools/backup"
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
	defer queue.Close()
	bar := terminal.NewProgress(s.err, "copy")
	rows, err := backup.CopyToPostgres(ctx, filepath.Join(o.Data, server.DatabaseFile), o.Postgres, clock.System{}, log, bar.Step)
	bar.Clear()
	if err != nil {
		return err
	}
	if file := (encryptionOptions{}).file(o.Data); file != "" {
		fmt.Fprintf(s.err, "bellhop: signing keys are encrypted: start all nodes with --encryption-key-file and a copy of %s\n", file)
	}
	_, err = fmt.Fprintf(s.out, "copied and verified %s in %s\n", terminal.Plural(rows, "row"), terminal.Plural(len(store.Tables()), "table"))
	return err
}
