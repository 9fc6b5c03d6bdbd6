package sqlstore_test

import (
	"context"
	"log/slog"
	"sync"
	"testing"

	"github.com/bellhop/bellhop/internal/enginetest"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/sqlstore"
	"github.com/bellhop/bellhop/internal/store/storetest"
)

// postgres is the server of this test process.
var postgres struct {
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
	postgres.once.Do(func() {
		postgres.empty, postgres.err = startPostgres(context.WithoutCancel(t.Context()))
	})
	if postgres.err != nil {
		t.Fatal(postgres.err)
	}
	url, err := takeDatabase(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // after those who have it open
		if err := postgres.server.Empty(context.WithoutCancel(t.Context()), url); err != nil {
			t.Error(err)
		}
		postgres.mu.Lock()
		defer postgres.mu.Unlock()
		postgres.free = append(postgres.free, url)
	})
	return url
}

func takeDatabase(ctx context.Context) (string, error) {
	postgres.mu.Lock()
	if n := len(postgres.free); n > 0 {
		defer postgres.mu.Unlock()
		url := postgres.free[n-1]
		postgres.free = postgres.free[:n-1]
		return url, nil
	}
	postgres.mu.Unlock()
	return postgres.server.Copy(ctx, postgres.empty)
}

// startPostgres runs the server and returns a database in which the schema is made once for all.
func startPostgres(ctx context.Context) (url string, err error) {
	if postgres.server, err = enginetest.StartPostgres(ctx, enginetest.Quick...); err != nil {
		return "", err
	}
	if url, err = postgres.server.Database(ctx); err != nil {
		return "", err
	}
	db, err := sqlstore.OpenPostgres(ctx, url, slog.New(slog.DiscardHandler))
	if err != nil {
		return "", err
	}
	return url, db.Close()
}

func stopPostgres() error {
	if postgres.server == nil {
		return nil
	}
	return postgres.server.Stop()
}

// openPostgres opens a database that t closes.
func openPostgres(t testing.TB, url string) *sqlstore.DB {
	t.Helper()
	db, err := sqlstore.OpenPostgres(t.Context(), url, slog.New(slog.DiscardHandler))
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
		return openPostgres(t, database(t))
	})
}

func TestPostgresDurable(t *testing.T) {
	t.Parallel()
	url := database(t)
	storetest.RunDurable(t, func(t *testing.T) store.Store {
		t.Helper()
		return openPostgres(t, url)
	})
}
