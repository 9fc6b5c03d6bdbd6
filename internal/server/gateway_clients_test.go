package server

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store/cache"
	"github.com/bellhop/bellhop/internal/store/sqlite"
)

// TestRecordClients records clients of an application. The call returns after the changes in progress, which may not have
// seen the record, have ended.
func TestRecordClients(t *testing.T) {
	t.Parallel()
	db, err := sqlite.OpenVolatile(t.Context(), filepath.Join(t.TempDir(), "bellhop.db"), clock.System{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	var g *gatewayClients
	calls, failed := 0, errors.New("unavailable")
	g = newGatewayClients(cache.New(db, 1<<20), 1, clock.System{}, func(ctx context.Context) error {
		if calls++; !g.any(ctx, 100) {
			t.Error("the record is not stored before the changes in progress have ended")
		}
		if calls == 1 {
			return failed
		}
		return nil
	})
	if err := g.record(t.Context(), 100); !errors.Is(err, failed) {
		t.Errorf("record() = %v, want %v", err, failed)
	}
	for range 2 { // the second call finds a recent record
		if err := g.record(t.Context(), 100); err != nil || calls != 2 {
			t.Errorf("record() = %v after %d calls, want 2: a failed call is made again", err, calls)
		}
	}
}
