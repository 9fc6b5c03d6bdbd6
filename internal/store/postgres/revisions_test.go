package postgres

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/store"
)

// TestRevisionsAfterTimeout checks that a caller that no longer waits leaves its lookup to the collector, which may still write
// to it.
func TestRevisionsAfterTimeout(t *testing.T) {
	t.Parallel()
	db := &DB{metrics: newMetrics(), callTime: time.Minute, lookups: make(chan *lookup)}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		a := <-db.lookups
		a.found = []uint64{7}
		cancel()
	}()
	found, err := db.Revisions(ctx, store.Subject{})
	if found != nil || !errors.Is(err, store.ErrUnavailable) || !errors.Is(err, context.Canceled) {
		t.Errorf("Revisions() = %v, %v, want %v", found, err, store.ErrUnavailable)
	}
}
