package cache_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/store"
)

// node is one of several processes that share a store. Its subscribers get only its own commits.
type node struct {
	store.Store

	mu        sync.Mutex
	under     map[*store.Expectation]bool // the first expectation of each commit in progress
	listeners []func(*store.Change)
}

// nodes returns several processes that share a store.
func nodes(db store.Store, n int) []store.Store {
	list := make([]store.Store, n)
	for i := range list {
		nd := &node{Store: db, under: map[*store.Expectation]bool{}}
		db.Subscribe(nd.committed)
		list[i] = nd
	}
	return list
}

func (n *node) Shared() bool { return true }

func (n *node) Subscribe(fn func(*store.Change)) { n.listeners = append(n.listeners, fn) }

func (n *node) Commit(ctx context.Context, c store.Change) error {
	if len(c.Expect) > 0 {
		first := &c.Expect[0] // engines sort the list in place
		n.mu.Lock()
		n.under[first] = true
		n.mu.Unlock()
		defer func() {
			n.mu.Lock()
			delete(n.under, first)
			n.mu.Unlock()
		}()
	}
	return n.Store.Commit(ctx, c)
}

func (n *node) committed(c *store.Change) {
	n.mu.Lock()
	own := len(c.Expect) > 0 && n.under[&c.Expect[0]]
	n.mu.Unlock()
	if own {
		for _, fn := range n.listeners {
			fn(c)
		}
	}
}

// TestOtherNode writes on another node, which does not notify the cache.
func TestOtherNode(t *testing.T) {
	t.Parallel()
	both := nodes(openDB(t), 2)
	here, there := over(both[0], 1<<20), over(both[1], 1<<20)
	for want := 1; want < 10; want++ {
		if n := here.load(t, t.Context(), a); n != want-1 {
			t.Errorf("Load() = %d, want %d", n, want-1)
		}
		ctx, v := here.Begin(t.Context())
		here.load(t, ctx, a)
		if n, err := there.increment(t.Context(), want%2 == 0, a); err != nil || n != want {
			t.Errorf("Decide() on the other node = %d, %v, want %d", n, err, want)
		}
		if ok, err := v.Confirm(t.Context()); ok || err != nil {
			t.Errorf("Confirm() = %v, %v after the other node wrote", ok, err)
		}
	}
	if n, err := here.increment(t.Context(), true, a); n != 10 || err != nil {
		t.Errorf("Decide() on an old state = %d, %v, want 10", n, err)
	}
}

// TestDecideInView runs decisions in requests that have read other states before.
func TestDecideInView(t *testing.T) {
	t.Parallel()
	both := nodes(openDB(t), 2)
	counted := &gate{Store: both[0]}
	here, there := over(counted, 1<<20), over(both[1], 1<<20)
	write := func(key command.Scope, want int) {
		t.Helper()
		if n, err := there.increment(t.Context(), true, key); err != nil || n != want {
			t.Errorf("Decide() on the other node = %d, %v, want %d", n, err, want)
		}
	}
	here.load(t, t.Context(), a)
	here.load(t, t.Context(), b)

	ctx, _ := here.Begin(t.Context())
	here.load(t, ctx, a)
	counted.questions.Store(0)
	if n, err := here.increment(ctx, true, scope(7)); n != 1 || err != nil || counted.questions.Load() != 0 {
		t.Errorf("Decide() = %d, %v with %d queries for revisions, want 1 without any", n, err, counted.questions.Load())
	}

	ctx, v := here.Begin(t.Context())
	here.load(t, ctx, a)
	write(b, 1)
	if n, err := here.increment(ctx, true, b); n != 2 || err != nil {
		t.Errorf("Decide() on an old state = %d, %v, want 2", n, err)
	}
	write(a, 1)
	if ok, err := v.Confirm(t.Context()); !ok || err != nil {
		t.Errorf("Confirm() after the decision = %v, %v, want true", ok, err)
	}
	if n := here.load(t, ctx, a); n != 1 {
		t.Errorf("Load() after the decision = %d, want 1", n)
	}

	ctx, v = here.Begin(t.Context())
	here.load(t, ctx, a)
	write(a, 2)
	if _, err := here.increment(ctx, true, b); !errors.Is(err, store.ErrStale) {
		t.Errorf("Decide() of a request on an old state = %v, want %v", err, store.ErrStale)
	}
	if ok, err := v.Confirm(t.Context()); ok || err != nil {
		t.Errorf("Confirm() = %v, %v, want false", ok, err)
	}
	if n := here.load(t, t.Context(), b); n != 2 {
		t.Errorf("Load() = %d after a decision that failed, want 2", n)
	}
}

// TestDecisionsAreExact runs many concurrent decisions on few subjects.
func TestDecisionsAreExact(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		nodes int
	}{{"single node", 0}, {"several nodes", 3}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			db := openDB(t)
			caches := []fixture{}
			for _, s := range nodes(db, tt.nodes) {
				caches = append(caches, over(s, 1<<20))
			}
			if tt.nodes == 0 {
				caches = append(caches, over(db, 1<<20))
			}
			const callers, each = 40, 3 // few enough for the deadline of a decision, also on a busy machine
			var wg sync.WaitGroup
			for i := range callers {
				wg.Go(func() {
					for range each {
						keys := [][]command.Scope{{a, b}, {b, a}, {a}, {b}}[i%4]
						if _, err := caches[i%len(caches)].increment(t.Context(), i%3 > 0, keys...); err != nil {
							t.Errorf("Decide() = %v", err)
						}
					}
				})
			}
			wg.Wait()
			want := 0
			for i := range callers {
				if i%4 != 3 {
					want += each
				}
			}
			for _, c := range caches {
				if n := c.load(t, t.Context(), a); n != want {
					t.Errorf("number is %d, want %d", n, want)
				}
			}
		})
	}
}

// TestNeverStale checks that reads, with and without the cache, never return an older state than an earlier read, and
// contain every write that was acknowledged before. The two numbers of a view are equal, because every change writes
// both.
func TestNeverStale(t *testing.T) {
	t.Parallel()
	writes := 150
	if testing.Short() {
		writes = 50
	}
	for _, tt := range []struct {
		name   string
		nodes  int
		budget int
	}{
		{"single node", 0, 1 << 20},
		{"single node, small cache", 0, 64 * 300},
		{"several nodes", 2, 1 << 20},
		{"several nodes, small cache", 2, 64 * 300},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			db := openDB(t)
			var caches []fixture
			for _, s := range nodes(db, tt.nodes) {
				caches = append(caches, over(s, tt.budget))
			}
			if tt.nodes == 0 {
				caches = append(caches, over(db, tt.budget))
			}
			w := &history{caches: caches, seen: make([]atomic.Int64, 8)}
			var writers, readers sync.WaitGroup
			stop := make(chan struct{})
			for i := range 4 {
				writers.Go(func() { w.write(t, caches[i%len(caches)], writes) })
			}
			for i := range 6 {
				readers.Go(func() { w.read(t, caches[i%len(caches)], stop) })
			}
			writers.Wait()
			close(stop)
			readers.Wait()
		})
	}
}

// history holds the largest numbers that were acknowledged to writers or seen by readers.
type history struct {
	caches []fixture
	seen   []atomic.Int64 // by pair of scopes
}

// pair returns the two scopes that are written together.
func pair(i int) (x, y command.Scope) { return scope(100 + 2*i), scope(101 + 2*i) }

func (w *history) note(i, value int) {
	for old := w.seen[i].Load(); int64(value) > old; old = w.seen[i].Load() {
		if w.seen[i].CompareAndSwap(old, int64(value)) {
			return
		}
	}
}

func (w *history) write(t *testing.T, c fixture, times int) {
	for range times {
		i := rand.IntN(len(w.seen))
		x, y := pair(i)
		n, err := c.increment(t.Context(), rand.IntN(2) == 0, x, y)
		if err != nil {
			t.Errorf("Decide() = %v", err)
			return
		}
		w.note(i, n)
	}
}

func (w *history) read(t *testing.T, c fixture, stop chan struct{}) {
	for {
		select {
		case <-stop:
			return
		default:
		}
		i := rand.IntN(len(w.seen))
		x, y := pair(i)
		atLeast := int(w.seen[i].Load())
		n := atLeast
		how := rand.IntN(3)
		switch how {
		case 0:
			n = c.load(t, t.Context(), x)
		case 1:
			err := c.Consistent(t.Context(), func(ctx context.Context) error {
				n = c.load(t, ctx, x)
				if other := c.load(t, ctx, y); other != n {
					n = -other
				}
				return nil
			})
			if err != nil {
				t.Errorf("Consistent() = %v", err)
			}
		case 2:
			err := c.db.Read(t.Context(), func(r store.Reader) error {
				q, err := r.Commands.Quota(y)
				n = q.Used
				return err
			})
			if err != nil {
				t.Errorf("Read() = %v", err)
			}
		}
		if n < atLeast {
			t.Errorf("read %d in way %d, after %d was seen or acknowledged", n, how, atLeast)
			return
		}
		w.note(i, n)
	}
}
