// Package database names the data of a service and opens snapshots of it, for tools that work while the service runs or
// while it is stopped.
package database

import (
	"context"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/postgres"
	"github.com/bellhop/bellhop/internal/store/sqlite"
)

// Location names the data of a service.
type Location struct {
	File        string // the SQLite database; not used if Postgres is set
	Postgres    string // URL of the PostgreSQL database
	Attachments string // folder of the attachments; empty: it is not known
}

// Engine returns the name of the engine.
func (l Location) Engine() string {
	if l.Postgres != "" {
		return "postgres"
	}
	return "sqlite"
}

// Snapshot opens a snapshot of the database. The service may run meanwhile.
func (l Location) Snapshot(ctx context.Context) (store.Snapshot, error) {
	if l.Postgres != "" {
		return postgres.OpenSnapshot(ctx, l.Postgres)
	}
	return sqlite.OpenSnapshot(l.File)
}

// Count returns the number of rows of a table.
func Count(q store.Querier, table string) (n int64, err error) {
	err = q.Query("SELECT COUNT(*) FROM "+table, nil, func(row store.Row) error {
		n, _ = row[0].(int64)
		return nil
	})
	return n, err
}
