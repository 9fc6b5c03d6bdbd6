// Package sqlstore keeps the contract of package store in a SQL database. One schema and one set of queries serve every
// engine; what differs stands in the package of the engine, which opens the database. The package holds no rules: it stores
// what it is given.
package sqlstore

import (
	"context"
	"fmt"
	"sync"

	"github.com/bellhop/bellhop/internal/store"
)

// DB is a store in a SQL database. It is safe for concurrent use.
type DB struct {
	engine Engine
	close  func() error // runs once

	mu     sync.Mutex
	closed bool
	under  sync.WaitGroup // calls under way; none is added once closed is set
}

var _ store.Store = (*DB)(nil)

// Engine is where databases differ: how a unit of work gets a session, and how what it wrote becomes durable.
type Engine interface {
	// View runs fn on a session that sees one snapshot.
	View(ctx context.Context, fn func(*Tx) error) error
	// Update runs fn after every unit of work before it and returns once what it wrote is durable.
	Update(ctx context.Context, fn func(*Tx) error) error
	// Close is called once, when no unit of work is under way or will come.
	Close() error
}

// New returns a store that an engine runs. The database has its schema.
func New(e Engine) *DB {
	db := &DB{engine: e}
	db.close = sync.OnceValue(func() error {
		db.mu.Lock()
		db.closed = true
		db.mu.Unlock()
		db.under.Wait()
		return e.Close()
	})
	return db
}

// View runs fn on a consistent snapshot.
func (db *DB) View(ctx context.Context, fn func(store.Reader) error) error {
	if err := db.enter(ctx); err != nil {
		return err
	}
	defer db.under.Done()
	return db.engine.View(ctx, func(t *Tx) error { return fn(t) })
}

// Update runs fn and makes what it wrote durable.
func (db *DB) Update(ctx context.Context, fn func(store.Tx) error) error {
	if err := db.enter(ctx); err != nil {
		return err
	}
	defer db.under.Done()
	return db.engine.Update(ctx, func(t *Tx) error { return fn(t) })
}

// Ping reports whether the database can be read.
func (db *DB) Ping(ctx context.Context) error {
	if err := db.enter(ctx); err != nil {
		return err
	}
	defer db.under.Done()
	return db.engine.View(ctx, func(t *Tx) error {
		return t.query("SELECT 1 FROM nodes LIMIT 1", func(Row) error { return nil })
	})
}

// Close ends the store after the units of work under way. Only the first call does anything; every call waits for it.
func (db *DB) Close() error { return db.close() }

// enter begins a call that ends with under.Done.
func (db *DB) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed {
		return fmt.Errorf("%w: closed", store.ErrUnavailable)
	}
	db.under.Add(1)
	return nil
}
