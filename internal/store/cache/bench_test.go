package cache_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/sqlite"
)

// BenchmarkDecide measures a decision that reads three subjects and writes one, in both ways to decide.
func BenchmarkDecide(b *testing.B) {
	db, err := sqlite.OpenVolatile(b.Context(), filepath.Join(b.TempDir(), "bellhop.db"), clock.System{}, slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := db.Close(); err != nil {
			b.Error(err)
		}
	})
	d := over(db, 1<<20)
	keys := []command.Scope{scope(1), scope(2), scope(3)}
	if err := putIn(b.Context(), db, 1, keys...); err != nil {
		b.Fatal(err)
	}
	b.Run("cache", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			err := d.Decide(b.Context(), func(ctx context.Context) (c store.Change, err error) {
				sum := 0
				for _, k := range keys {
					n, err := d.numbers.Load(ctx, k)
					if err != nil {
						return c, err
					}
					sum += n.value % 7
				}
				c.Put = []store.Record{store.Quota{Scope: keys[0], Used: sum}}
				d.numbers.Next(&c, keys[0], &number{sum})
				return c, nil
			})
			if err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("store", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			err := store.Decide(b.Context(), db, func(tx *store.Tx) error {
				sum := 0
				for _, k := range keys {
					q, err := tx.Commands.Quota(k)
					if err != nil {
						return err
					}
					sum += q.Used % 7
				}
				return tx.Put(store.Quota{Scope: keys[0], Used: sum})
			})
			if err != nil {
				b.Fatal(err)
			}
		}
	})
}

// openDurable opens a store on the disk.
func openDurable(b *testing.B) store.Store {
	b.Helper()
	db, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "bellhop.db"), clock.System{}, slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := db.Close(); err != nil {
			b.Error(err)
		}
	})
	return db
}
