package cache_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/cache"
	"github.com/bellhop/bellhop/internal/store/sqlite"
)

// blocker is the scope whose commit blocks the writer of the store in slowStore.hold.
var blocker = scope(999)

// slowStore counts the changes that the store has queued, and can block the writer of the store.
type slowStore struct {
	*sqlite.DB

	queued atomic.Int32
}

func (s *slowStore) Commit(ctx context.Context, c store.Change) error {
	queued := c.Queued
	c.Queued = func(c *store.Change) {
		if queued != nil {
			queued(c)
		}
		s.queued.Add(1)
	}
	return s.DB.Commit(ctx, c)
}

// openSlow returns a cache whose scope a is in memory, and more scopes, over a store that does not commit before release is called.
func openSlow(t *testing.T, more ...command.Scope) (d fixture, s *slowStore, release func()) {
	t.Helper()
	s = &slowStore{DB: openDB(t)}
	d = over(s, 1<<20)
	held, free, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	s.Subscribe(func(c *store.Change) {
		if c.Expects(store.ScopeSubject(blocker)) != nil {
			close(held)
			<-free
		}
	})
	for _, key := range append(more, a) {
		if n := d.load(t, t.Context(), key); n != 0 {
			t.Fatalf("Load() = %d in a new store", n)
		}
	}
	go func() {
		defer close(done)
		if _, err := d.increment(t.Context(), true, blocker); err != nil {
			t.Errorf("Decide() = %v", err)
		}
	}()
	<-held
	s.queued.Store(0)
	return d, s, sync.OnceFunc(func() {
		close(free)
		<-done
	})
}

// await waits until the store has queued n changes since it is blocked.
func (s *slowStore) await(t *testing.T, n int32) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); s.queued.Load() < n; time.Sleep(100 * time.Microsecond) {
		if time.Now().After(end) {
			t.Fatalf("the store has queued %d changes, want %d", s.queued.Load(), n)
		}
	}
}

// result is the result of a decision.
type result struct {
	value int
	err   error
}

// start runs a decision and returns when the store has queued its change.
func start(t *testing.T, s *slowStore, decide func() (int, error)) chan result {
	t.Helper()
	answer, n := make(chan result, 1), s.queued.Load()
	go func() {
		value, err := decide()
		answer <- result{value, err}
	}()
	s.await(t, n+1)
	return answer
}

// receive returns the result of a decision.
func receive(t *testing.T, answer chan result) result {
	t.Helper()
	select {
	case r := <-answer:
		return r
	case <-time.After(20 * time.Second):
		t.Fatal("a decision did not end within 20s")
		return result{}
	}
}

// errFull is the error of a decision that finds a number too large.
var errFull = errors.New("full")

// incrementBelow is increment for a number that is smaller than limit. Otherwise it returns errFull.
func (b fixture) incrementBelow(ctx context.Context, limit int, key command.Scope) (int, error) {
	return b.incrementWith(ctx, limit, key, func(*store.Change) {})
}

// incrementWith is incrementBelow with additions to the change.
func (b fixture) incrementWith(ctx context.Context, limit int, key command.Scope, add func(*store.Change)) (value int, err error) {
	err = b.Decide(ctx, func(ctx context.Context) (c store.Change, err error) {
		n, err := b.numbers.Load(ctx, key)
		if err != nil {
			return c, err
		}
		if n.value >= limit {
			return c, errFull
		}
		value = n.value + 1
		c.Put, c.Extendable = []store.Record{store.Quota{Scope: key, Used: value}}, []store.Subject{store.ScopeSubject(key)}
		b.numbers.Next(&c, key, &number{value})
		add(&c)
		return c, nil
	})
	return value, err
}

// firstDevice has a code that no other device can have.
var firstDevice = store.Device{Hash: store.TokenHash{1}, UserCode: store.TokenHash{7}}

// conflict is increment in a change that conflicts with firstDevice.
func (b fixture) conflict(ctx context.Context, key command.Scope) (int, error) {
	devices := cache.Kind[store.TokenHash, store.Device]{
		Cache: b.Cache, Subject: store.DeviceSubject, Size: func(*store.Device) int { return 64 },
	}
	second := store.Device{Hash: store.TokenHash{2}, UserCode: firstDevice.UserCode}
	return b.incrementWith(ctx, 1<<30, key, func(c *store.Change) {
		c.Put = append(c.Put, second)
		devices.Next(c, second.Hash, &second)
	})
}

// TestDecisionsShareACommit makes decisions on one subject while the store does not commit. Each builds on the one before.
func TestDecisionsShareACommit(t *testing.T) {
	t.Parallel()
	d, s, release := openSlow(t)
	defer release()
	var answers []chan result
	for range 10 {
		answers = append(answers, start(t, s, func() (int, error) { return d.increment(t.Context(), true, a) }))
	}
	for i, answer := range answers {
		select {
		case r := <-answer:
			t.Errorf("decision %d returned %+v before its commit", i, r)
		default:
		}
	}
	if n := d.load(t, t.Context(), a); n != 0 {
		t.Errorf("Load() = %d before any commit, want 0", n)
	}
	release()
	for i, answer := range answers {
		if r := receive(t, answer); r.value != i+1 || r.err != nil {
			t.Errorf("decision %d returned %+v", i, r)
		}
	}
	if n := d.load(t, t.Context(), a); n != 10 {
		t.Errorf("Load() = %d, want 10", n)
	}
	if s.queued.Load() != 10 {
		t.Errorf("the store got %d changes, want 10", s.queued.Load())
	}
}

// TestDecisionsOnAFailure makes decisions that build on a change whose commit fails.
func TestDecisionsOnAFailure(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		fail func(t *testing.T, d fixture, s *slowStore) chan result
		want error
	}{
		{"conflict", func(t *testing.T, d fixture, s *slowStore) chan result {
			return start(t, s, func() (int, error) { return d.conflict(t.Context(), a) })
		}, store.ErrConflict},
		{"withdrawn", func(t *testing.T, d fixture, s *slowStore) chan result {
			ctx, cancel := context.WithCancel(t.Context())
			answer := start(t, s, func() (int, error) { return d.increment(ctx, true, a) })
			cancel()
			return answer
		}, context.Canceled},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d, s, release := openSlow(t)
			defer release()
			stored := start(t, s, func() (int, error) {
				return 0, s.Commit(t.Context(), store.Change{Put: []store.Record{firstDevice}})
			})
			var good []chan result
			one := func() {
				good = append(good, start(t, s, func() (int, error) { return d.increment(t.Context(), true, a) }))
			}
			one()
			one()
			bad := tt.fail(t, d, s)
			one()
			one()
			release()
			if r := receive(t, stored); r.err != nil {
				t.Fatal(r.err)
			}
			if r := receive(t, bad); !errors.Is(r.err, tt.want) {
				t.Errorf("the decision in the middle returned %+v, want %v", r, tt.want)
			}
			var values []int
			for i, answer := range good {
				r := receive(t, answer)
				if r.err != nil {
					t.Errorf("decision %d returned %+v", i, r)
				}
				values = append(values, r.value)
			}
			slices.Sort(values)
			if want := []int{1, 2, 3, 4}; !slices.Equal(values, want) || d.load(t, t.Context(), a) != 4 {
				t.Errorf("decisions returned %v, the number is %d, want %v", values, d.load(t, t.Context(), a), want)
			}
		})
	}
}

// TestCreatedTwice makes two decisions that create a subject without loading it first.
func TestCreatedTwice(t *testing.T) {
	t.Parallel()
	d, s, release := openSlow(t)
	defer release()
	create := func() (value int, err error) {
		err = d.Decide(t.Context(), func(ctx context.Context) (c store.Change, err error) {
			before, err := d.numbers.LoadIfRetried(ctx, b)
			if err != nil {
				return c, err
			}
			if value = 1; before != nil {
				value = before.value + 1
			}
			c.Put, c.Extendable = []store.Record{store.Quota{Scope: b, Used: value}}, []store.Subject{store.ScopeSubject(b)}
			d.numbers.Next(&c, b, &number{value})
			return c, nil
		})
		return value, err
	}
	first, second := start(t, s, create), start(t, s, create)
	release()
	for i, answer := range []chan result{first, second} {
		if r := receive(t, answer); r.value != i+1 || r.err != nil {
			t.Errorf("decision %d returned %+v", i, r)
		}
	}
}

// TestExtendableInPart makes a decision on two subjects. Later decisions may build on the first subject, and wait for the second.
func TestExtendableInPart(t *testing.T) {
	t.Parallel()
	d, s, release := openSlow(t, b)
	defer release()
	first := start(t, s, func() (value int, err error) {
		err = d.Decide(t.Context(), func(ctx context.Context) (c store.Change, err error) {
			for _, key := range []command.Scope{a, b} {
				n, err := d.numbers.Load(ctx, key)
				if err != nil {
					return c, err
				}
				c.Put = append(c.Put, store.Quota{Scope: key, Used: n.value + 1})
				d.numbers.Next(&c, key, &number{n.value + 1})
			}
			c.Extendable = []store.Subject{store.ScopeSubject(a)}
			return c, nil
		})
		return 1, err
	})
	increment := func(key command.Scope) func() (int, error) {
		return func() (int, error) { return d.increment(t.Context(), true, key) }
	}
	second, waiting := start(t, s, increment(a)), make(chan result, 1)
	go func() {
		value, err := increment(b)()
		waiting <- result{value, err}
	}()
	third := start(t, s, increment(a)) // would be queued after the change of b, if that did not wait
	if n := s.queued.Load(); n != 3 {
		t.Errorf("the store has queued %d changes before the first commit, want 3", n)
	}
	release()
	for i, answer := range []chan result{first, second, third, waiting} {
		if r := receive(t, answer); r.value != []int{1, 2, 3, 2}[i] || r.err != nil {
			t.Errorf("decision %d returned %+v", i, r)
		}
	}
	if n, m := d.load(t, t.Context(), a), d.load(t, t.Context(), b); n != 3 || m != 2 {
		t.Errorf("the numbers are %d and %d, want 3 and 2", n, m)
	}
}

// TestRefusalWaits makes a decision that is refused because of a change in the queue. It waits for the commit, and runs again if
// the commit fails.
func TestRefusalWaits(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		fails bool
		want  error
	}{{"of a change that is committed", false, errFull}, {"of a change that fails", true, nil}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d, s, release := openSlow(t)
			defer release()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			first := start(t, s, func() (int, error) { return d.increment(ctx, true, a) })
			refused, answer := make(chan struct{}), make(chan result, 1)
			note := sync.OnceFunc(func() { close(refused) })
			go func() {
				var r result
				r.err = d.Decide(t.Context(), func(ctx context.Context) (c store.Change, err error) {
					n, err := d.numbers.Load(ctx, a)
					if err != nil {
						return c, err
					}
					if n.value > 0 {
						note()
						return c, errFull
					}
					r.value = n.value + 1
					c.Put = []store.Record{store.Quota{Scope: a, Used: r.value}}
					d.numbers.Next(&c, a, &number{r.value})
					return c, nil
				})
				answer <- r
			}()
			select {
			case <-refused:
			case <-time.After(20 * time.Second):
				t.Fatal("the decision did not see the change in the queue")
			}
			select {
			case r := <-answer:
				t.Errorf("the decision returned %+v before the commit", r)
			case <-time.After(20 * time.Millisecond):
			}
			if tt.fails {
				cancel()
				receive(t, first)
			}
			release()
			if r := receive(t, answer); !errors.Is(r.err, tt.want) {
				t.Errorf("the decision returned %+v, want %v", r, tt.want)
			}
			if n := d.load(t, t.Context(), a); n != 1 {
				t.Errorf("the number is %d, want 1", n)
			}
		})
	}
}

// counted is an operation on a counter: "increment", "below" with a limit, "conflict", "withdraw" or "read".
type counted struct {
	kind  string
	key   command.Scope
	limit int
}

// counterModel says which results the operations may have.
var counterModel = porcupine.Model{
	Init: func() any { return 0 },
	Step: func(state, in, out any) (bool, any) {
		n, op, got := state.(int), in.(counted), out.(result)
		switch {
		case op.kind == "read":
			return got.value == n, n
		case op.kind == "below" && n >= op.limit:
			return errors.Is(got.err, errFull), n
		case op.kind == "conflict":
			return errors.Is(got.err, store.ErrConflict), n
		case op.kind == "withdraw" && got.err != nil:
			return errors.Is(got.err, context.Canceled), n
		}
		return got.err == nil && got.value == n+1, n + 1
	},
}

// TestCountersAreLinearizable runs concurrent operations on two counters. Some of the operations fail.
func TestCountersAreLinearizable(t *testing.T) {
	t.Parallel()
	s := &slowStore{DB: openDB(t)}
	d := over(s, 1<<20)
	if err := s.Commit(t.Context(), store.Change{Put: []store.Record{firstDevice}}); err != nil {
		t.Fatal(err)
	}
	const workers, each = 12, 60
	var mu sync.Mutex
	history, began := map[command.Scope][]porcupine.Operation{}, time.Now()
	var wg sync.WaitGroup
	for worker := range workers {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(uint64(worker), 5))
			for range each {
				op := counted{
					kind: []string{"increment", "increment", "below", "conflict", "withdraw", "read"}[random.IntN(6)],
					key:  []command.Scope{a, b}[random.IntN(2)], limit: random.IntN(each * workers / 4),
				}
				called := time.Since(began)
				got := d.count(t, op)
				done := porcupine.Operation{ClientId: worker, Input: op, Call: int64(called), Output: got, Return: int64(time.Since(began))}
				mu.Lock()
				history[op.key] = append(history[op.key], done)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	for key, operations := range history {
		if got := porcupine.CheckOperationsTimeout(counterModel, operations, 20*time.Second); got != porcupine.Ok {
			t.Errorf("%d operations on counter %v: %v", len(operations), key, got)
		}
	}
}

// count runs an operation.
func (b fixture) count(t *testing.T, op counted) (r result) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	switch op.kind {
	case "read":
		r.value = b.load(t, ctx, op.key)
	case "below":
		r.value, r.err = b.incrementBelow(ctx, op.limit, op.key)
	case "conflict":
		r.value, r.err = b.conflict(ctx, op.key)
	case "withdraw":
		go cancel()
		r.value, r.err = b.increment(ctx, true, op.key)
	default:
		r.value, r.err = b.increment(ctx, true, op.key)
	}
	return r
}

// BenchmarkOneSubject measures concurrent decisions on one subject.
func BenchmarkOneSubject(b *testing.B) {
	for _, extendable := range []bool{false, true} {
		b.Run(fmt.Sprint("extendable=", extendable), func(b *testing.B) {
			db := openDurable(b)
			d := over(db, 1<<20)
			d.closed = !extendable
			b.SetParallelism(32)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if _, err := d.increment(b.Context(), true, a); err != nil {
						b.Error(err)
					}
				}
			})
		})
	}
}
