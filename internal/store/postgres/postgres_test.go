package postgres_test

import (
	"context"
	"log/slog"
	"sync"
	"testing"

	"github.com/bellhop/bellhop/internal/enginetest"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/postgres"
	"github.com/bellhop/bellhop/internal/store/storetest"
)

// pool is the server of this test process, with its databases.
var pool struct {
	once   sync.Once
	server *enginetest.Postgres
	empty  string // a database with the schema and nothing else
	err    error

	mu   sync.Mutex
	free []string // databases that nobody uses any more, empty again
}

// database returns the address of an empty database that nobody else uses.
func database(t testing.TB) string {
	t.Helper()
	pool.once.Do(func() {
		pool.empty, pool.err = startServer(context.WithoutCancel(t.Context()))
	})
	if pool.err != nil {
		t.Fatal(pool.err)
	}
	url, err := takeDatabase(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // after those who have it open
		if err := pool.server.Empty(context.WithoutCancel(t.Context()), url); err != nil {
			t.Error(err)
		}
		pool.mu.Lock()
		defer pool.mu.Unlock()
		pool.free = append(pool.free, url)
	})
	return url
}

func takeDatabase(ctx context.Context) (string, error) {
	pool.mu.Lock()
	if n := len(pool.free); n > 0 {
		defer pool.mu.Unlock()
		url := pool.free[n-1]
		pool.free = pool.free[:n-1]
		return url, nil
	}
	pool.mu.Unlock()
	return pool.server.Copy(ctx, pool.empty)
}

// startServer runs the server and returns a database in which the schema is made once for all.
func startServer(ctx context.Context) (url string, err error) {
	if pool.server, err = enginetest.StartPostgres(ctx, enginetest.Quick...); err != nil {
		return "", err
	}
	if url, err = pool.server.Database(ctx); err != nil {
		return "", err
	}
	db, err := postgres.Open(ctx, url, slog.New(slog.DiscardHandler))
	if err != nil {
		return "", err
	}
	return url, db.Close()
}

func stopServer() error {
	if pool.server == nil {
		return nil
	}
	return pool.server.Stop()
}

// open opens a database that t closes.
func open(t testing.TB, url string) *postgres.DB {
	t.Helper()
	db, err := postgres.Open(t.Context(), url, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("Close() = %v", err)
		}
	})
	return db
}

func TestPostgres(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) store.Store {
		t.Helper()
		return open(t, database(t))
	})
}

func TestPostgresDurable(t *testing.T) {
	t.Parallel()
	url := database(t)
	storetest.RunDurable(t, func(t *testing.T) store.Store {
		t.Helper()
		return open(t, url)
	})
}
