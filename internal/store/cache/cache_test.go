package cache_test

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/cache"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/snowflake"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Scopes whose quotas the tests use as counters.
var a, b = scope(1), scope(2)

func scope(n int) command.Scope {
	return command.Scope{Application: snowflake.Application(n), Guild: 7}
}

// number is the state of a scope: how many commands were created in it.
type number struct{ value int }

// fixture is a cache with its own store.
type fixture struct {
	*cache.Cache
	numbers *cache.Kind[command.Scope, number]
	db      store.Store // the store of the cache
	closed  bool        // the changes are not extendable
}

func openDB(t *testing.T) *sqlite.DB {
	t.Helper()
	db, err := sqlite.OpenVolatile(t.Context(), filepath.Join(t.TempDir(), "bellhop.db"), clock.System{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// over returns a cache of a store.
func over(s store.Store, budget int) fixture {
	c := cache.New(s, budget)
	return fixture{c, &cache.Kind[command.Scope, number]{
		Cache: c, Subject: store.ScopeSubject, Size: func(*number) int { return 8 },
		Read: func(r store.Reader, key command.Scope) (*number, error) {
			q, err := r.Commands.Quota(key)
			return &number{q.Used}, err
		},
	}, s, false}
}

func open(t *testing.T) (fixture, *gate) {
	t.Helper()
	g := &gate{Store: openDB(t)}
	return over(g, 1<<20), g
}

func (b fixture) load(t *testing.T, ctx context.Context, key command.Scope) int {
	t.Helper()
	n, err := b.numbers.Load(ctx, key)
	if err != nil {
		t.Errorf("Load(%v) = %v", key, err)
		return -1
	}
	return n.value
}

// put sets numbers with store.Decide, without the cache.
func (b fixture) put(t *testing.T, value int, keys ...command.Scope) {
	t.Helper()
	if err := putIn(t.Context(), b.db, value, keys...); err != nil {
		t.Error(err)
	}
}

func putIn(ctx context.Context, s store.Store, value int, keys ...command.Scope) error {
	return store.Decide(ctx, s, func(tx *store.Tx) error {
		for _, k := range keys {
			if err := tx.Put(store.Quota{Scope: k, Used: value}); err != nil {
				return err
			}
		}
		return nil
	})
}

// increment adds 1 to the numbers of scopes in one change. With keep, the cache gets the new states.
func (b fixture) increment(ctx context.Context, keep bool, keys ...command.Scope) (value int, err error) {
	err = b.Decide(ctx, func(ctx context.Context) (store.Change, error) {
		var c store.Change
		for _, k := range keys {
			if !b.closed {
				c.Extendable = append(c.Extendable, store.ScopeSubject(k))
			}
			n, err := b.numbers.Load(ctx, k)
			if err != nil {
				return c, err
			}
			value = n.value + 1
			c.Put = append(c.Put, store.Quota{Scope: k, Used: value})
			if keep {
				b.numbers.Next(&c, k, &number{value})
			}
		}
		return c, nil
	})
	return value, err
}

// gate is a store that counts calls and can block reads.
type gate struct {
	store.Store

	reads, commits, questions atomic.Int32
	// inside is called after the function of a Load, outside after its snapshot is closed. They may be nil.
	inside, outside atomic.Pointer[func(ctx context.Context)]
}

func (g *gate) Load(ctx context.Context, subject store.Subject, fn func(store.Reader) error) (uint64, error) {
	g.reads.Add(1)
	revision, err := g.Store.Load(ctx, subject, func(r store.Reader) error {
		err := fn(r)
		if f := g.inside.Load(); f != nil {
			(*f)(ctx)
		}
		return err
	})
	if f := g.outside.Load(); f != nil {
		(*f)(ctx)
	}
	if err == nil && ctx.Err() != nil {
		err = errors.Join(store.ErrUnavailable, ctx.Err())
	}
	return revision, err
}

func (g *gate) Commit(ctx context.Context, c store.Change) error {
	g.commits.Add(1)
	return g.Store.Commit(ctx, c)
}

func (g *gate) Revisions(ctx context.Context, subjects ...store.Subject) ([]uint64, error) {
	g.questions.Add(1)
	return g.Store.Revisions(ctx, subjects...)
}

// hold blocks the next read after its snapshot is closed. started is closed when the read blocks; release unblocks it.
func (g *gate) hold() (started chan struct{}, release func()) {
	started, free := make(chan struct{}), make(chan struct{})
	f := func(ctx context.Context) {
		g.outside.Store(nil)
		close(started)
		select {
		case <-free:
		case <-ctx.Done():
		}
	}
	g.outside.Store(&f)
	return started, sync.OnceFunc(func() { close(free) })
}

func TestLoad(t *testing.T) {
	t.Parallel()
	d, g := open(t)
	d.put(t, 5, a)
	g.reads.Store(0)
	for range 3 {
		if n := d.load(t, t.Context(), a); n != 5 {
			t.Errorf("Load() = %d, want 5", n)
		}
	}
	if n := g.reads.Load(); n != 1 {
		t.Errorf("three loads read the store %d times, want once", n)
	}
	d.put(t, 6, a) // without its state
	if n := d.load(t, t.Context(), a); n != 6 {
		t.Errorf("Load() after a write = %d, want 6", n)
	}
	if _, err := d.increment(t.Context(), true, a); err != nil {
		t.Fatal(err)
	}
	g.reads.Store(0)
	if n := d.load(t, t.Context(), a); n != 7 || g.reads.Load() != 0 {
		t.Errorf("Load() after a write with its state = %d with %d reads, want 7 without any", n, g.reads.Load())
	}
	if g.questions.Load() != 0 {
		t.Error("the only writer asked the store for revisions")
	}
}

func TestLoadsShareARead(t *testing.T) {
	t.Parallel()
	d, g := open(t)
	d.put(t, 5, a)
	g.reads.Store(0)
	started, release := g.hold()
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			if n := d.load(t, t.Context(), a); n != 5 {
				t.Errorf("Load() = %d, want 5", n)
			}
		})
	}
	<-started
	d.load(t, t.Context(), b) // does not wait
	release()
	wg.Wait()
	if n := g.reads.Load(); n > 2 {
		t.Errorf("loads of two subjects read the store %d times", n)
	}
}

// TestWriteDuringLoad blocks a read that returns an old state while a write is acknowledged.
func TestWriteDuringLoad(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		write func(t *testing.T, d fixture)
		want  int
	}{
		{"without a state", func(t *testing.T, d fixture) { d.put(t, 6, a) }, 6},
		{"with a state", func(t *testing.T, d fixture) {
			err := d.Decide(t.Context(), func(context.Context) (store.Change, error) {
				c := store.Change{Put: []store.Record{store.Quota{Scope: a, Used: 6}}}
				d.numbers.Next(&c, a, &number{6})
				return c, nil
			})
			if err != nil {
				t.Error(err)
			}
		}, 6},
		{"everything is cleared", func(t *testing.T, d fixture) {
			err := store.Decide(t.Context(), d.db, func(tx *store.Tx) error { tx.Clear(); return nil })
			if err != nil {
				t.Error(err)
			}
		}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d, g := open(t)
			if tt.want == 0 {
				d.put(t, 5, a)
			}
			started, release := g.hold()
			var wg sync.WaitGroup
			wg.Go(func() { d.load(t, t.Context(), a) }) // may return the old or the new state
			<-started
			tt.write(t, d)
			if n := d.load(t, t.Context(), a); n != tt.want {
				t.Errorf("Load() while an older read is in progress = %d, want %d", n, tt.want)
			}
			release()
			wg.Wait()
			if n := d.load(t, t.Context(), a); n != tt.want {
				t.Errorf("Load() after an older read has ended = %d, want %d", n, tt.want)
			}
		})
	}
}

// TestReaderLeaves cancels the caller whose read other callers wait for.
func TestReaderLeaves(t *testing.T) {
	t.Parallel()
	d, g := open(t)
	d.put(t, 5, a)
	started, release := g.hold()
	defer release()
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		if _, err := d.numbers.Load(ctx, a); !errors.Is(err, context.Canceled) {
			t.Errorf("Load() of the caller that left = %v", err)
		}
	})
	<-started
	left, leave := context.WithCancel(t.Context())
	leave()
	if _, err := d.numbers.Load(left, a); !errors.Is(err, store.ErrUnavailable) || !errors.Is(err, context.Canceled) {
		t.Errorf("Load() of a caller that does not wait = %v", err)
	}
	wg.Go(func() {
		if n := d.load(t, t.Context(), a); n != 5 {
			t.Errorf("Load() of a caller that waited for another one = %d, want 5", n)
		}
	})
	cancel()
	wg.Wait()
}

func TestReadPanics(t *testing.T) {
	t.Parallel()
	d, _ := open(t)
	read := d.numbers.Read
	d.numbers.Read = func(store.Reader, command.Scope) (*number, error) { panic("broken") }
	func() {
		defer func() { _ = recover() }()
		_, _ = d.numbers.Load(t.Context(), a)
		t.Error("no panic")
	}()
	d.numbers.Read = read
	if n := d.load(t, t.Context(), a); n != 0 {
		t.Errorf("Load() after a panic = %d", n)
	}
}

func TestReadFails(t *testing.T) {
	t.Parallel()
	d, _ := open(t)
	failure := errors.New("broken")
	fails := true
	read := d.numbers.Read
	d.numbers.Read = func(r store.Reader, key command.Scope) (*number, error) {
		if fails {
			return nil, failure
		}
		return read(r, key)
	}
	if _, err := d.numbers.Load(t.Context(), a); !errors.Is(err, failure) {
		t.Errorf("Load() = %v, want the error of Read", err)
	}
	fails = false
	d.load(t, t.Context(), a) // the error is not cached
}

func TestBudget(t *testing.T) {
	t.Parallel()
	const budget = 64 * 600 // two states of 264 bytes in a shard
	d := over(openDB(t), budget)
	for i := range 1000 {
		d.load(t, t.Context(), scope(i))
	}
	if n := d.Size(); n > budget || n < budget/2 {
		t.Errorf("Size() = %d after many loads, want at most %d and not much less", n, budget)
	}
	key := scope(999)
	d.load(t, t.Context(), key)
	before := d.Size()
	d.numbers.Grow(key, 50)
	if n := d.Size(); n != before+50 {
		t.Errorf("Size() = %d after a state grew by 50, want %d", n, before+50)
	}
	d.numbers.Grow(key, 10_000) // larger than its shard
	if n := d.Size(); n > before {
		t.Errorf("Size() = %d with a state that is too large, want less than %d", n, before)
	}
	d.numbers.Size = func(*number) int { return 10_000 }
	before = d.Size()
	for i := range 100 {
		if n := d.load(t, t.Context(), scope(5000+i)); n != 0 {
			t.Errorf("Load() of a large state = %d", n)
		}
	}
	if n := d.Size(); n != before {
		t.Errorf("Size() = %d, want %d: a state that is too large drops others", n, before)
	}
}

func TestClear(t *testing.T) {
	t.Parallel()
	d, _ := open(t)
	for i := range 100 {
		d.put(t, i+1, scope(i))
		d.load(t, t.Context(), scope(i))
	}
	err := store.Decide(t.Context(), d.db, func(tx *store.Tx) error {
		tx.Clear()
		return tx.Put(store.Quota{Scope: a, Used: 3})
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := d.Size(); n != 0 {
		t.Errorf("Size() = %d after everything was cleared", n)
	}
	if x, y := d.load(t, t.Context(), a), d.load(t, t.Context(), b); x != 3 || y != 0 {
		t.Errorf("loads after a clear = %d, %d, want 3, 0", x, y)
	}
}

// TestEnds removes a subject with a change that sets its next state.
func TestEnds(t *testing.T) {
	t.Parallel()
	d, _ := open(t)
	d.put(t, 5, a)
	err := d.Decide(t.Context(), func(ctx context.Context) (store.Change, error) {
		if _, err := d.numbers.Load(ctx, a); err != nil {
			return store.Change{}, err
		}
		c := store.Change{Delete: []store.Key{store.ScopeKey(a)}}
		d.numbers.Next(&c, a, &number{})
		return c, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	revisions, err := d.db.Revisions(t.Context(), store.ScopeSubject(a))
	if err != nil || !slices.Equal(revisions, []uint64{0}) {
		t.Errorf("Revisions() = %v, %v of a subject that ended", revisions, err)
	}
	if n, err := d.increment(t.Context(), true, a); n != 1 || err != nil {
		t.Errorf("the first change after the end = %d, %v", n, err)
	}
}
