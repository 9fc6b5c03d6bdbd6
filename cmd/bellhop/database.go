package main

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"

	"github.com/bellhop/bellhop/internal/server"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/postgres"
	"github.com/bellhop/bellhop/internal/store/sqlite"
)

// databaseOptions are the flags that name the data of a service. They have the same meaning as those of "bellhop serve".
type databaseOptions struct {
	Data        string `type:"path" placeholder:"DIR" help:"Data folder of the service."`
	Postgres    string `placeholder:"URL" help:"PostgreSQL database of the service, instead of the SQLite database in --data."`
	Attachments string `type:"path" placeholder:"DIR" help:"Folder for the attachments of messages. Default: the one in --data."`
}

// check returns a usageError when no database is named.
func (o databaseOptions) check() error {
	if o.Data == "" && o.Postgres == "" {
		return usageError{errors.New("--data or --postgres is required")}
	}
	return nil
}

// file returns the path of the SQLite database.
func (o databaseOptions) file() string { return filepath.Join(o.Data, server.DatabaseFile) }

// attachments returns the folder of attachments, or an empty string if none is named.
func (o databaseOptions) attachments() string {
	if o.Data == "" {
		return o.Attachments
	}
	return cmp.Or(o.Attachments, filepath.Join(o.Data, server.AttachmentsFolder))
}

// engine returns the name of the engine.
func (o databaseOptions) engine() string {
	if o.Postgres != "" {
		return "postgres"
	}
	return "sqlite"
}

// snapshot opens a snapshot of the database. The service may run meanwhile.
func (o databaseOptions) snapshot(ctx context.Context) (store.Snapshot, error) {
	if o.Postgres != "" {
		return postgres.OpenSnapshot(ctx, o.Postgres)
	}
	return sqlite.OpenSnapshot(o.file())
}
