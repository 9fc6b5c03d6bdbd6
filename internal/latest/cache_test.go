package latest_test

import (
	"errors"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/latest"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/snowflake"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	first  = command.Scope{Application: 1}
	second = command.Scope{Application: 2}

	errRefused = errors.New("refused")
)

// board holds numbers, each in the record of a scope.
type board struct {
	*latest.Cache[command.Scope, store.Scope]

	t         testing.TB
	db        store.Store
	reads     atomic.Int64
	revisions atomic.Uint64
	onRead    func() // runs in every read, after it; may be nil
}

func newBoard(t testing.TB, budget int) *board {
	t.Helper()
	db, err := sqlite.OpenVolatile(t.Context(), filepath.Join(t.TempDir(), "test.db"), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	b := &board{t: t, db: db}
	b.Cache = latest.New(latest.Config[command.Scope, store.Scope]{
		Store: db, Read: b.read, Budget: budget,
		Revision: func(s *store.Scope) uint64 { return s.Revision },
		Size:     func(*store.Scope) int { return 1000 },
	})
	return b
}

func (b *board) read(r store.Reader, key command.Scope) (*store.Scope, error) {
	s, err := r.Scope(key)
	b.reads.Add(1)
	if b.onRead != nil {
		b.onRead()
	}
	return &s, err
}

// add is a try that adds n to the number.
func (b *board) add(key command.Scope, n int) latest.Try[store.Scope] {
	return func(tx store.Tx, base *store.Scope) (*store.Scope, error) {
		next := &store.Scope{Revision: b.revisions.Add(1), QuotaUsed: base.QuotaUsed + n}
		moved, err := tx.MoveScope(key, base.Revision, *next)
		if err != nil || !moved {
			return nil, err
		}
		return next, nil
	}
}

// nothing, refuse and fail are tries on the first key that leave it as it is, refuse, and fail after they have written.
func (b *board) nothing(_ store.Tx, base *store.Scope) (*store.Scope, error) { return base, nil }

func (b *board) refuse(_ store.Tx, base *store.Scope) (*store.Scope, error) { return base, errRefused }

func (b *board) fail(tx store.Tx, base *store.Scope) (*store.Scope, error) {
	next, err := b.add(first, 1000)(tx, base)
	return next, errors.Join(err, errRefused)
}

// addElsewhere adds n without the cache.
func (b *board) addElsewhere(key command.Scope, n int) {
	b.t.Helper()
	err := b.db.Update(b.t.Context(), func(tx store.Tx) error {
		s, err := tx.Scope(key)
		if err != nil {
			return err
		}
		_, err = b.add(key, n)(tx, &s)
		return err
	})
	if err != nil {
		b.t.Error(err)
	}
}

func (b *board) mustAdd(key command.Scope, n int) {
	b.t.Helper()
	if _, err := b.Update(b.t.Context(), key, b.add(key, n), nil); err != nil {
		b.t.Error(err)
	}
}

func (b *board) want(key command.Scope, n int) {
	b.t.Helper()
	s, err := b.Get(b.t.Context(), key)
	if err != nil || s.QuotaUsed != n {
		b.t.Errorf("Get() = %+v, %v, want the number %d", s, err, n)
	}
}

func (b *board) wantReads(n int64) {
	b.t.Helper()
	if got := b.reads.Load(); got != n {
		b.t.Errorf("the store was read %d times, want %d", got, n)
	}
}

const plenty = 1 << 20

func TestGet(t *testing.T) {
	t.Parallel()

	t.Run("many who ask at once read once", func(t *testing.T) {
		t.Parallel()
		b := newBoard(t, plenty)
		b.addElsewhere(first, 7)
		var wg sync.WaitGroup
		for range 32 {
			wg.Go(func() { b.want(first, 7) })
		}
		wg.Wait()
		b.wantReads(1)
		b.want(second, 0)
		b.wantReads(2)
	})

	t.Run("what cannot be read is not held", func(t *testing.T) {
		t.Parallel()
		b := newBoard(t, plenty)
		c := latest.New(latest.Config[int, store.Scope]{
			Store: b.db, Read: func(store.Reader, int) (*store.Scope, error) { return nil, errRefused },
			Revision: func(*store.Scope) uint64 { return 0 }, Size: func(*store.Scope) int { return 0 }, Budget: plenty,
		})
		if _, err := c.Get(t.Context(), 1); !errors.Is(err, errRefused) {
			t.Errorf("Get() = %v, want what the reader says", err)
		}
		if c.Held(1) != nil {
			t.Error("something is held")
		}
	})

	t.Run("what was read before a change elsewhere is not held after it", func(t *testing.T) {
		t.Parallel()
		for name, forget := range map[string]func(*board){
			"one":      func(b *board) { b.Forget(first) },
			"matching": func(b *board) { b.ForgetIf(func(k command.Scope) bool { return k == first }) },
			"all":      func(b *board) { b.ForgetAll() },
		} {
			b := newBoard(t, plenty)
			b.onRead = func() {
				b.onRead = nil
				b.addElsewhere(first, 1)
				forget(b)
			}
			b.want(first, 0) // began before the change was acknowledged
			b.want(first, 1)
			b.wantReads(2)
			b.addElsewhere(first, 1)
			forget(b)
			b.want(first, 2)
			if t.Failed() {
				t.Fatalf("after forgetting %s", name)
			}
		}
	})

	t.Run("others are not forgotten", func(t *testing.T) {
		t.Parallel()
		b := newBoard(t, plenty)
		b.want(first, 0)
		b.want(second, 0)
		b.Forget(first)
		b.ForgetIf(func(k command.Scope) bool { return k == first })
		if b.Held(second) == nil || b.Held(first) != nil {
			t.Error("the wrong one was forgotten")
		}
	})
}

func TestBudget(t *testing.T) {
	t.Parallel()
	const budget = 64 * 4000 // three states in each shard
	b := newBoard(t, budget)
	for guild := range 2000 {
		b.want(first, 0)
		b.want(command.Scope{Application: 3, Guild: snowflake.Guild(guild + 1)}, 0)
	}
	if got := b.Size(); got > budget || got < budget/2 {
		t.Errorf("Size() = %d, want most of %d", got, budget)
	}
	b.wantReads(2001) // the first one was in use all the time
	b.Grow(second, 1) // is not there
	b.Grow(first, budget)
	if got := b.Size(); got > budget || b.Held(first) != nil {
		t.Errorf("Size() = %d and one that has grown beyond the budget is still held", got)
	}
}

func TestAmend(t *testing.T) {
	t.Parallel()
	double := func(held *store.Scope) *store.Scope {
		return &store.Scope{Revision: held.Revision + 100, QuotaUsed: 2 * held.QuotaUsed}
	}
	t.Run("what is held is what was made of it", func(t *testing.T) {
		t.Parallel()
		b := newBoard(t, plenty)
		b.addElsewhere(first, 7)
		b.want(first, 7)
		size := b.Size()
		b.Amend(first, double)
		b.Amend(second, double) // is not held
		b.want(first, 14)
		b.wantReads(1)
		if b.Held(second) != nil || b.Size() != size {
			t.Errorf("something is held that nobody asked for, or Size() = %d is not %d as before", b.Size(), size)
		}
		b.Amend(first, func(*store.Scope) *store.Scope { return nil })
		b.want(first, 7) // as the store has it
		b.wantReads(2)
	})
	t.Run("what was read before it is not held after it", func(t *testing.T) {
		t.Parallel()
		b := newBoard(t, plenty)
		b.onRead = func() {
			b.onRead = nil
			b.addElsewhere(first, 1)
			b.Amend(first, double)
		}
		b.want(first, 0)
		b.want(first, 1)
		b.wantReads(2)
	})
	t.Run("a write goes on from it", func(t *testing.T) {
		t.Parallel()
		b := newBoard(t, plenty)
		b.mustAdd(first, 1)
		reads := b.reads.Load()
		b.addElsewhere(first, 1)
		b.Amend(first, func(held *store.Scope) *store.Scope {
			return &store.Scope{Revision: b.revisions.Load(), QuotaUsed: held.QuotaUsed + 1}
		})
		b.mustAdd(first, 5)
		b.want(first, 7)
		b.wantReads(reads)
	})
}
