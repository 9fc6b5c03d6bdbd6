package sqlstore_test

import (
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/bellhop/bellhop/internal/store/sqlstore"
)

// open returns an empty store that t closes.
func open(t testing.TB) *sqlstore.DB {
	t.Helper()
	return openAt(t, filepath.Join(t.TempDir(), "bellhop.db"))
}

func openAt(t testing.TB, path string) *sqlstore.DB {
	t.Helper()
	db, err := sqlstore.OpenSQLite(t.Context(), path, slog.New(slog.DiscardHandler))
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
