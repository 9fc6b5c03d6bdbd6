package retention_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/retention"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/snowflake"
)

// TestTrimmer checks that a channel keeps its newest messages when it has more than the bound.
func TestTrimmer(t *testing.T) {
	t.Parallel()
	log := slog.New(slog.DiscardHandler)
	db, err := sqlite.OpenVolatile(t.Context(), filepath.Join(t.TempDir(), "bellhop.db"), clock.System{}, log)
	if err != nil {
		t.Fatal(err)
	}
	trimmer := retention.New(db, 10, log)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- trimmer.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	const room, sent = snowflake.Channel(310), 300
	err = store.Decide(t.Context(), db, func(tx *store.Tx) error {
		for id := range snowflake.Message(sent) {
			if err := tx.Put(store.Message{ID: id + 1, Channel: room, Content: []byte(`{}`)}); err != nil {
				return err
			}
		}
		return tx.Put(store.ChannelMessages{Channel: room, Last: sent, Count: sent, Sent: sent})
	})
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(time.Millisecond) {
		var known store.ChannelMessages
		var list []store.Message
		err := db.Read(t.Context(), func(r store.Reader) (err error) {
			if known, err = r.Messages.Channel(room); err == nil {
				list, err = r.Messages.Before(room, snowflake.Max, sent)
			}
			return err
		})
		switch {
		case err != nil:
			t.Fatal(err)
		case known.Count != len(list):
			t.Fatalf("the channel counts %d messages and has %d", known.Count, len(list))
		case known.Count == 10 && list[0].ID == sent && known.Sent == sent:
			return
		case time.Now().After(deadline):
			t.Fatalf("waited 30 s for old messages to be removed, the channel has %d", known.Count)
		}
	}
}
