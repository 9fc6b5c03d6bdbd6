package cache_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/store"
)

var errRefused = errors.New("refused")

func TestConfirm(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		reads func(t *testing.T, d fixture, ctx context.Context)
		write func(t *testing.T, d fixture) // between the reads and the confirmation
		want  bool
	}{
		{"nothing read", func(*testing.T, fixture, context.Context) {}, func(t *testing.T, d fixture) { d.put(t, 9, a) }, true},
		{"nothing written", func(t *testing.T, d fixture, ctx context.Context) { d.load(t, ctx, a) }, func(*testing.T, fixture) {}, true},
		{
			"a subject that was not read is written", func(t *testing.T, d fixture, ctx context.Context) { d.load(t, ctx, a) },
			func(t *testing.T, d fixture) { d.put(t, 9, b) }, true,
		},
		{
			"a subject that was read is written", func(t *testing.T, d fixture, ctx context.Context) { d.load(t, ctx, a) },
			func(t *testing.T, d fixture) { d.put(t, 9, a) }, false,
		},
		{
			"with its state", func(t *testing.T, d fixture, ctx context.Context) { d.load(t, ctx, a) },
			func(t *testing.T, d fixture) {
				if _, err := d.increment(t.Context(), true, a); err != nil {
					t.Error(err)
				}
			}, false,
		},
		{
			"a subject that did not exist is written", func(t *testing.T, d fixture, ctx context.Context) { d.load(t, ctx, b) },
			func(t *testing.T, d fixture) { d.put(t, 9, b) }, false,
		},
		{"two revisions are read", func(t *testing.T, d fixture, ctx context.Context) {
			d.load(t, ctx, a)
			d.put(t, 9, a)
			d.load(t, ctx, a)
		}, func(*testing.T, fixture) {}, false},
		{"by several goroutines", func(t *testing.T, d fixture, ctx context.Context) {
			var wg sync.WaitGroup
			for i := range 20 {
				wg.Go(func() { d.load(t, ctx, scope(i%5)) })
			}
			wg.Wait()
		}, func(*testing.T, fixture) {}, true},
		{"an error of a read is read", func(t *testing.T, d fixture, ctx context.Context) {
			d.numbers.Read = func(store.Reader, command.Scope) (*number, error) { return nil, errRefused }
			if _, err := d.numbers.Load(ctx, b); !errors.Is(err, errRefused) {
				t.Errorf("Load() = %v", err)
			}
		}, func(t *testing.T, d fixture) { d.put(t, 9, b) }, false},
	} {
		for _, shared := range []bool{false, true} {
			name := tt.name + ", single node"
			if shared {
				name = tt.name + ", several nodes"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				var d fixture
				if shared {
					d = over(nodes(openDB(t), 1)[0], 1<<20)
				} else {
					d = over(openDB(t), 1<<20)
				}
				d.put(t, 5, a)
				ctx, v := d.Begin(t.Context())
				tt.reads(t, d, ctx)
				tt.write(t, d)
				if ok, err := v.Confirm(t.Context()); ok != tt.want || err != nil {
					t.Errorf("Confirm() = %v, %v, want %v", ok, err, tt.want)
				}
			})
		}
	}
}

func TestConsistent(t *testing.T) {
	t.Parallel()
	d, _ := open(t)
	d.put(t, 5, a, b)
	runs := 0
	err := d.Consistent(t.Context(), func(ctx context.Context) error {
		runs++
		x := d.load(t, ctx, a)
		if runs == 1 {
			d.put(t, 6, a, b)
		}
		if y := d.load(t, ctx, b); x == y {
			return nil
		}
		return errRefused // states of different moments
	})
	if err != nil || runs != 2 {
		t.Errorf("Consistent() = %v after %d runs, want no error after 2", err, runs)
	}
	err = d.Consistent(t.Context(), func(context.Context) error { return errRefused })
	if !errors.Is(err, errRefused) {
		t.Errorf("Consistent() = %v, want the function's error", err)
	}
	ctx, v := d.Begin(t.Context())
	err = d.Consistent(ctx, func(ctx context.Context) error {
		d.load(t, ctx, a)
		d.put(t, 7, a)
		return nil
	})
	if err != nil {
		t.Errorf("Consistent() within a view = %v", err)
	}
	if ok, err := v.Confirm(t.Context()); ok || err != nil {
		t.Errorf("Confirm() of the outer view = %v, %v, want false", ok, err)
	}
}

func TestDecide(t *testing.T) {
	t.Parallel()
	quota := func(key command.Scope, value int) store.Change {
		return store.Change{Put: []store.Record{store.Quota{Scope: key, Used: value}}}
	}
	for _, tt := range []struct {
		name   string
		decide func(t *testing.T, d fixture, ctx context.Context, run int) (store.Change, error)
		runs   int
		want   error
		a, b   int // afterwards
	}{
		{"loads and changes nothing", func(*testing.T, fixture, context.Context, int) (store.Change, error) {
			return store.Change{}, nil
		}, 1, nil, 5, 0},
		{"loads nothing and refuses", func(*testing.T, fixture, context.Context, int) (store.Change, error) {
			return store.Change{}, errRefused
		}, 1, errRefused, 5, 0},
		{"loads nothing and creates", func(*testing.T, fixture, context.Context, int) (store.Change, error) {
			return quota(b, 1), nil
		}, 1, nil, 5, 1},
		{"refuses with a change", func(_ *testing.T, _ fixture, _ context.Context, _ int) (store.Change, error) {
			return quota(b, 1), errRefused
		}, 1, errRefused, 5, 0},
		{"a subject that it writes to changes meanwhile", func(t *testing.T, d fixture, ctx context.Context, run int) (store.Change, error) {
			n := d.load(t, ctx, a)
			if run == 1 {
				d.put(t, 50, a)
			}
			return quota(a, n+1), nil
		}, 2, nil, 51, 0},
		{"a subject that it only reads changes meanwhile", func(t *testing.T, d fixture, ctx context.Context, run int) (store.Change, error) {
			n := d.load(t, ctx, a)
			if run == 1 {
				d.put(t, 50, a)
			}
			return quota(b, n+1), nil
		}, 2, nil, 50, 51},
		{"refuses because of an old state", func(t *testing.T, d fixture, ctx context.Context, run int) (store.Change, error) {
			if n := d.load(t, ctx, a); n == 50 {
				return quota(a, 51), nil
			}
			d.put(t, 50, a)
			return store.Change{}, errRefused
		}, 2, nil, 51, 0},
		{"changes nothing because of an old state", func(t *testing.T, d fixture, ctx context.Context, run int) (store.Change, error) {
			if n := d.load(t, ctx, a); n == 50 {
				return quota(a, 51), nil
			}
			d.put(t, 50, a)
			return store.Change{}, nil
		}, 2, nil, 51, 0},
		{"uses two revisions of a subject", func(t *testing.T, d fixture, ctx context.Context, run int) (store.Change, error) {
			n := d.load(t, ctx, a)
			if run == 1 {
				d.put(t, 50, a)
			}
			return quota(b, n+d.load(t, ctx, a)), nil
		}, 2, nil, 50, 100},
		{"creates a subject that exists, then loads it", func(t *testing.T, d fixture, ctx context.Context, run int) (store.Change, error) {
			if run == 1 {
				return quota(a, 1), nil
			}
			return quota(a, d.load(t, ctx, a)+1), nil
		}, 2, nil, 6, 0},
		{"is based on an error of a read", func(t *testing.T, d fixture, ctx context.Context, run int) (store.Change, error) {
			missing := *d.numbers
			missing.Read = func(r store.Reader, key command.Scope) (*number, error) {
				if q, err := r.Commands.Quota(key); q.Used > 0 {
					return &number{q.Used}, err
				}
				return nil, store.ErrNotFound
			}
			n, err := missing.Load(ctx, b)
			if run == 1 {
				d.put(t, 20, b)
			}
			if n == nil { // b does not exist
				return quota(a, 1), nil
			}
			return quota(b, n.value+1), err
		}, 2, nil, 5, 21},
	} {
		for _, shared := range []bool{false, true} {
			name := tt.name + ", single node"
			if shared {
				name = tt.name + ", several nodes"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				db := openDB(t)
				var s store.Store = db
				if shared {
					s = nodes(db, 1)[0]
				}
				d, runs := over(s, 1<<20), 0
				d.put(t, 5, a)
				err := d.Decide(t.Context(), func(ctx context.Context) (store.Change, error) {
					runs++
					return tt.decide(t, d, ctx, runs)
				})
				if !errors.Is(err, tt.want) || runs != tt.runs {
					t.Errorf("Decide() = %v after %d runs, want %v after %d", err, runs, tt.want, tt.runs)
				}
				if x, y := d.load(t, t.Context(), a), d.load(t, t.Context(), b); x != tt.a || y != tt.b {
					t.Errorf("numbers are %d and %d, want %d and %d", x, y, tt.a, tt.b)
				}
			})
		}
	}
}

// TestDecideKeepsOtherStates checks that a stale decision does not drop current states.
func TestDecideKeepsOtherStates(t *testing.T) {
	t.Parallel()
	d, g := open(t)
	d.put(t, 5, a, b)
	first := true
	g.reads.Store(0)
	err := d.Decide(t.Context(), func(ctx context.Context) (store.Change, error) {
		n := d.load(t, ctx, a) + d.load(t, ctx, b)
		if first {
			first = false
			if _, err := d.increment(t.Context(), true, a); err != nil {
				t.Error(err)
			}
		}
		return store.Change{Put: []store.Record{store.Quota{Scope: b, Used: n}}}, nil
	})
	if err != nil || g.reads.Load() != 2 {
		t.Errorf("Decide() = %v with %d reads, want one of each subject", err, g.reads.Load())
	}
	if n := d.load(t, t.Context(), b); n != 11 {
		t.Errorf("number is %d, want 11", n)
	}
}

func TestDecideFails(t *testing.T) {
	t.Parallel()
	d, _ := open(t)
	d.put(t, 5, a)
	ctx, cancel := context.WithCancel(t.Context())
	err := d.Decide(ctx, func(ctx context.Context) (store.Change, error) {
		n := d.load(t, ctx, a)
		cancel()
		return store.Change{Put: []store.Record{store.Quota{Scope: a, Used: n + 1}}}, nil
	})
	if !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("Decide() with a context that ended = %v", err)
	}
	if n := d.load(t, t.Context(), a); n != 5 {
		t.Errorf("number is %d, want 5", n)
	}
	runs := 0
	err = d.Decide(t.Context(), func(context.Context) (store.Change, error) {
		runs++
		return store.Change{Put: []store.Record{store.Quota{Scope: a, Used: 1}}}, nil // exists
	})
	if !errors.Is(err, store.ErrUnavailable) || runs < 2 {
		t.Errorf("Decide() that is always stale = %v after %d runs", err, runs)
	}
}

// unsure is a store whose commits succeed and return ErrUnsure.
type unsure struct{ store.Store }

func (u unsure) Commit(ctx context.Context, c store.Change) error {
	return errors.Join(u.Store.Commit(ctx, c), store.ErrUnavailable, store.ErrUnsure)
}

func (unsure) Subscribe(func(*store.Change)) {}

func TestUnsure(t *testing.T) {
	t.Parallel()
	d := over(unsure{openDB(t)}, 1<<20)
	if n := d.load(t, t.Context(), a); n != 0 {
		t.Errorf("Load() = %d", n)
	}
	if _, err := d.increment(t.Context(), true, a); !errors.Is(err, store.ErrUnsure) {
		t.Errorf("Decide() = %v", err)
	}
	if n := d.load(t, t.Context(), a); n != 1 {
		t.Errorf("Load() after a commit of unknown outcome = %d, want what the store has", n)
	}
}

// TestLoadIfRetried creates subjects without a query, and finds the one that exists already when the decision runs again.
func TestLoadIfRetried(t *testing.T) {
	t.Parallel()
	d, _ := open(t)
	d.put(t, 5, b)
	create := func(key command.Scope) (found []int) {
		err := d.Decide(t.Context(), func(ctx context.Context) (c store.Change, err error) {
			n, err := d.numbers.LoadIfRetried(ctx, key)
			switch {
			case err != nil:
				return c, err
			case n == nil:
				found = append(found, -1)
			default:
				found = append(found, n.value)
				return c, nil
			}
			c.Put = []store.Record{store.Quota{Scope: key, Used: 1}}
			return c, nil
		})
		if err != nil {
			t.Error(err)
		}
		return found
	}
	if got := create(a); !slices.Equal(got, []int{-1}) {
		t.Errorf("a new subject: the runs found %v, want one run without a state", got)
	}
	if got := create(b); !slices.Equal(got, []int{-1, 5}) {
		t.Errorf("an existing subject: the runs found %v, want a second run with its state", got)
	}
	if n, err := d.numbers.LoadIfRetried(t.Context(), b); err != nil || n == nil || n.value != 5 {
		t.Errorf("LoadIfRetried() outside of a decision = %v, %v, want 5", n, err)
	}
}
