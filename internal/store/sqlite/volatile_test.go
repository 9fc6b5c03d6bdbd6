package sqlite_test

import (
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/internal/store/storetest"
)

// TestVolatile opens databases that are copies of a blank one: each is its own, and keeps what was written when its
// process closes it.
func TestVolatile(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"the first", "a copy", "another copy"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "deep", "bellhop.db")
			storetest.RunDurable(t, func(t *testing.T) store.Store {
				t.Helper()
				db, err := sqlite.OpenVolatile(t.Context(), path, slog.New(slog.DiscardHandler))
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() {
					if err := db.Close(); err != nil {
						t.Error(err)
					}
				})
				return db
			})
		})
	}
}
