package cache_test

import (
	"errors"
	"testing"

	"github.com/bellhop/bellhop/internal/cache"
)

// fetched answers with a value and its size.
func fetched(v string, size int) func() (string, int, error) {
	return func() (string, int, error) { return v, size, nil }
}

// holds reports what a cache has of a key without fetching it.
func holds(t *testing.T, c *cache.Sized[int, string], k int, want string) {
	t.Helper()
	if v, ok := c.Get(k); v != want || ok != (want != "") {
		t.Errorf("Get(%d) = %q, %v, want %q", k, v, ok, want)
	}
}

func TestSized(t *testing.T) {
	t.Parallel()

	t.Run("an answer is held and asked for once", func(t *testing.T) {
		t.Parallel()
		c := &cache.Sized[int, string]{Budget: 100}
		if v, err := c.Load(1, fetched("a", 10)); v != "a" || err != nil {
			t.Errorf("Load() = %q, %v", v, err)
		}
		if v, err := c.Load(1, fetched("b", 10)); v != "a" || err != nil {
			t.Errorf("Load() again = %q, %v", v, err)
		}
	})

	t.Run("a failure is not held", func(t *testing.T) {
		t.Parallel()
		c := &cache.Sized[int, string]{Budget: 100}
		fault := errors.New("fault")
		if _, err := c.Load(1, func() (string, int, error) { return "", 0, fault }); !errors.Is(err, fault) {
			t.Errorf("Load() = %v", err)
		}
		holds(t, c, 1, "")
	})

	t.Run("what was used last stays within the budget", func(t *testing.T) {
		t.Parallel()
		c := &cache.Sized[int, string]{Budget: 100}
		c.Put(1, "a", 40)
		c.Put(2, "b", 40)
		holds(t, c, 1, "a")
		c.Put(3, "c", 40)
		holds(t, c, 1, "a")
		holds(t, c, 2, "")
		holds(t, c, 3, "c")
		c.Put(3, "d", 10)
		if c.Size() != 50 {
			t.Errorf("Size() = %d, want 50", c.Size())
		}
	})

	t.Run("a value that grows drives others out, and at last itself", func(t *testing.T) {
		t.Parallel()
		c := &cache.Sized[int, string]{Budget: 100}
		c.Put(1, "a", 40)
		c.Put(2, "b", 40)
		c.Grow(2, 50)
		holds(t, c, 1, "")
		holds(t, c, 2, "b")
		c.Grow(2, 50)
		holds(t, c, 2, "")
		c.Grow(2, 50)
		if c.Size() != 0 {
			t.Errorf("Size() = %d, want 0", c.Size())
		}
	})

	t.Run("what was read before a change is not held after it", func(t *testing.T) {
		t.Parallel()
		for name, change := range map[string]func(*cache.Sized[int, string]){
			"forget":    func(c *cache.Sized[int, string]) { c.Forget(1) },
			"forget if": func(c *cache.Sized[int, string]) { c.ForgetIf(func(k int) bool { return k == 1 }) },
			"reset":     func(c *cache.Sized[int, string]) { c.Reset() },
		} {
			c := &cache.Sized[int, string]{Budget: 100}
			c.Put(2, "x", 1)
			v, err := c.Load(1, func() (string, int, error) {
				change(c)
				return "old", 10, nil
			})
			if v != "old" || err != nil {
				t.Errorf("%s: Load() = %q, %v", name, v, err)
			}
			holds(t, c, 1, "")
			c.Put(1, "a", 10)
			change(c)
			holds(t, c, 1, "")
		}
	})
}

func TestForgetIf(t *testing.T) {
	t.Parallel()
	var c cache.Cache[int, string]
	load := func(k int, v string) {
		if _, _, err := c.Load(k, func() (string, bool, error) { return v, true, nil }); err != nil {
			t.Fatal(err)
		}
	}
	for k := range 100 {
		load(k, "a")
	}
	even := func(k int, _ string) bool { return k%2 == 0 }
	c.ForgetIf(even)
	for k := range 100 {
		if _, held := c.Get(k); held == (k%2 == 0) {
			t.Errorf("key %d is held: %v", k, held)
		}
	}
	_, _, err := c.Load(2, func() (string, bool, error) {
		c.ForgetIf(even)
		return "old", true, nil
	})
	if _, held := c.Get(2); held || err != nil {
		t.Errorf("what was read before a change is held after it, %v", err)
	}
}
