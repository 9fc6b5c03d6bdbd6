package permissions

import "testing"

func TestDerived(t *testing.T) {
	t.Parallel()
	var d derived[int, string]
	const quarter = derivedBudget / 4
	for i := range 4 {
		d.put(i, "x", quarter)
	}
	d.get(0)
	d.put(4, "x", quarter)
	if _, held := d.get(1); held {
		t.Error("the least recently used value is held")
	}
	for _, k := range []int{0, 2, 3, 4} {
		if _, held := d.get(k); !held {
			t.Errorf("value %d is not held", k)
		}
	}
	d.put(0, "y", quarter)
	if v, held := d.get(0); v != "y" || !held || d.size != 4*quarter {
		t.Errorf("get() = %q, %v with %d bytes, want the value that was put last", v, held, d.size)
	}
	d.grow(0, 2*quarter)
	d.grow(99, 1)
	if d.size > derivedBudget || len(d.entries) != 2 {
		t.Errorf("%d values of %d bytes are held after one grew", len(d.entries), d.size)
	}
}
