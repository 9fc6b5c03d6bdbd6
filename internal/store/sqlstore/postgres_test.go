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
	err    error
}

// database returns the address of an empty database.
func database(t testing.TB) string {
	t.Helper()
	postgres.once.Do(func() {
		postgres.server, postgres.err = enginetest.StartPostgres(context.WithoutCancel(t.Context()), enginetest.Quick...)
	})
	if postgres.err != nil {
		t.Fatal(postgres.err)
	}
	url, err := postgres.server.Database(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return url
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
