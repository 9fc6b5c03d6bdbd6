package main

import (
	"cmp"
	"errors"
	"path/filepath"

	"github.com/bellhop/bellhop/internal/server"
	"github.com/bellhop/bellhop/internal/tools/database"
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

// location returns where the data is.
func (o databaseOptions) location() database.Location {
	l := database.Location{File: filepath.Join(o.Data, server.DatabaseFile), Postgres: o.Postgres, Attachments: o.Attachments}
	if o.Data != "" {
		l.Attachments = cmp.Or(o.Attachments, filepath.Join(o.Data, server.AttachmentsFolder))
	}
	return l
}
