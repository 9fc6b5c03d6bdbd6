package permissions

import "testing"

func TestDerivedCache(t *testing.T) {
	t.Parallel()
	var d derivedCache[int, string]
	const quarter = defaultBudget / 4
	for i := range 4 {
		d.put(i, "x", quarter, defaultBudget)
	}
	d.get(0)
	d.put(4, "x", quarter, defaultBudget)
	if _, ok := d.get(1); ok {
		t.Error("the least recently used value is still cached")
	}
	for _, k := range []int{0, 2, 3, 4} {
		if _, ok := d.get(k); !ok {
			t.Errorf("value %d is not cached", k)
		}
	}
	d.put(0, "y", quarter, defaultBudget)
	if v, ok := d.get(0); v != "y" || !ok || d.size != 4*quarter {
		t.Errorf("get(0) = %q, %v with %d bytes, want the newest value", v, ok, d.size)
	}
	d.grow(0, 2*quarter, defaultBudget)
	d.grow(99, 1, defaultBudget)
	if d.size > defaultBudget || len(d.entries) != 2 {
		t.Errorf("after one value grew, the cache has %d values of %d bytes", len(d.entries), d.size)
	}
}
