package cache_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/bellhop/bellhop/internal/cache"
	"pgregory.net/rapid"
)

// answer is a fetch that always says the same.
func answer(v int, found bool) func() (int, bool, error) {
	return func() (int, bool, error) { return v, found, nil }
}

func load(t *testing.T, c *cache.Cache[uint64, int], k uint64, fetch func() (int, bool, error)) (int, bool) {
	t.Helper()
	v, found, err := c.Load(k, fetch)
	if err != nil {
		t.Fatalf("Load(%d) = %v", k, err)
	}
	return v, found
}

func TestLoad(t *testing.T) {
	t.Parallel()

	t.Run("holds a value until it is forgotten", func(t *testing.T) {
		t.Parallel()
		var c cache.Cache[uint64, int]
		load(t, &c, 1, answer(10, true))
		if v, found := load(t, &c, 1, answer(11, true)); v != 10 || !found {
			t.Errorf("Load() = %d, %v, want the 10 that is held", v, found)
		}
		if v, ok := c.Get(1); v != 10 || !ok {
			t.Errorf("Get() = %d, %v, want 10", v, ok)
		}
		c.Forget(1)
		if v, ok := c.Get(1); ok {
			t.Errorf("Get() = %d after Forget", v)
		}
		if v, _ := load(t, &c, 1, answer(11, true)); v != 11 {
			t.Errorf("Load() = %d after Forget, want 11", v)
		}
	})

	t.Run("holds that there is none until it is forgotten", func(t *testing.T) {
		t.Parallel()
		var c cache.Cache[uint64, int]
		load(t, &c, 1, answer(0, false))
		if _, found := load(t, &c, 1, answer(11, true)); found {
			t.Error("Load() found a value, want the absence that is held")
		}
		if _, ok := c.Get(1); ok {
			t.Error("Get() found a value that is absent")
		}
		c.Forget(1)
		if v, found := load(t, &c, 1, answer(11, true)); v != 11 || !found {
			t.Errorf("Load() = %d, %v after Forget, want 11", v, found)
		}
	})

	t.Run("an error is not held", func(t *testing.T) {
		t.Parallel()
		var c cache.Cache[uint64, int]
		broken := errors.New("broken")
		if _, _, err := c.Load(1, func() (int, bool, error) { return 0, false, broken }); !errors.Is(err, broken) {
			t.Errorf("Load() = %v, want %v", err, broken)
		}
		if v, found := load(t, &c, 1, answer(5, true)); v != 5 || !found {
			t.Errorf("Load() = %d, %v, want 5", v, found)
		}
	})

	for name, drop := range map[string]func(*cache.Cache[uint64, int]){
		"what was read before a Forget is not held": func(c *cache.Cache[uint64, int]) { c.Forget(1) },
		"what was read before a Reset is not held":  func(c *cache.Cache[uint64, int]) { c.Reset() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var c cache.Cache[uint64, int]
			load(t, &c, 1, func() (int, bool, error) { drop(&c); return 1, true, nil })
			if v, ok := c.Get(1); ok {
				t.Errorf("Get() = %d, want nothing: it was read before the change", v)
			}
			load(t, &c, 1, func() (int, bool, error) { drop(&c); return 0, false, nil })
			if _, found := load(t, &c, 1, answer(2, true)); !found {
				t.Error("an absence from before the change is held")
			}
		})
	}
}

func TestBounds(t *testing.T) {
	t.Parallel()
	var c cache.Cache[uint64, int]
	for i := range uint64(4 * cache.MaxFound) {
		load(t, &c, i, answer(int(i), true))
		load(t, &c, 0, answer(0, true)) // in use all the time
		if _, ok := c.Get(0); !ok {
			t.Fatalf("a key in use was dropped after %d others", i)
		}
	}
	for i := range uint64(4 * cache.MaxAbsent) {
		load(t, &c, 1<<40+i, answer(0, false))
	}
	found, absent := c.Len()
	if found > cache.MaxFound || absent > cache.MaxAbsent {
		t.Errorf("%d and %d keys held, want at most %d and %d", found, absent, cache.MaxFound, cache.MaxAbsent)
	}
	if found < cache.MaxFound/4 || absent < cache.MaxAbsent/4 {
		t.Errorf("%d and %d keys held, want use of %d and %d", found, absent, cache.MaxFound, cache.MaxAbsent)
	}
	if v, ok := c.Get(0); !ok || v != 0 {
		t.Error("a flood of absent keys drove out a key that is in use")
	}
}

// TestModel holds the cache to what it stands for: a map that is read at once.
func TestModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var c cache.Cache[uint64, int]
		truth := map[uint64]int{}
		key := rapid.Uint64Range(0, 20)
		t.Repeat(map[string]func(*rapid.T){
			"write": func(t *rapid.T) {
				k := key.Draw(t, "k")
				truth[k] = rapid.Int().Draw(t, "v")
				c.Forget(k)
			},
			"delete": func(t *rapid.T) {
				k := key.Draw(t, "k")
				delete(truth, k)
				c.Forget(k)
			},
			"replace all": func(*rapid.T) {
				clear(truth)
				c.Reset()
			},
			"read": func(t *rapid.T) {
				k := key.Draw(t, "k")
				want, there := truth[k]
				got, found, err := c.Load(k, func() (int, bool, error) { return want, there, nil })
				if err != nil || found != there || got != want {
					t.Fatalf("Load(%d) = %d, %v, %v, want %d, %v", k, got, found, err, want, there)
				}
			},
		})
	})
}

// TestNeverStale has readers race one writer: once a write is acknowledged, no later read returns an older value.
func TestNeverStale(t *testing.T) {
	t.Parallel()
	var c cache.Cache[uint64, int64]
	var durable, acknowledged atomic.Int64
	var wg sync.WaitGroup
	stop := make(chan struct{})
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				least := acknowledged.Load()
				v, ok := c.Get(7)
				if !ok {
					v, _, _ = c.Load(7, func() (int64, bool, error) { return durable.Load(), true, nil })
				}
				if v < least {
					t.Errorf("read %d after %d was acknowledged", v, least)
					return
				}
			}
		})
	}
	for i := range int64(20_000) {
		durable.Store(i)
		c.Forget(7)
		acknowledged.Store(i)
	}
	close(stop)
	wg.Wait()
}

func BenchmarkGet(b *testing.B) {
	var c cache.Cache[[32]byte, *int]
	var key [32]byte
	for i := range 1000 {
		key[0], key[1] = byte(i), byte(i>>8)
		if _, _, err := c.Load(key, func() (*int, bool, error) { return new(int), true, nil }); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		k := key
		for pb.Next() {
			k[0]++
			if _, ok := c.Get(k); !ok && k[0] < 232 {
				b.Fatal("dropped")
			}
		}
	})
}
