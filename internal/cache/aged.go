package cache

// aged is a bounded map in two halves. New entries go into the young half; when it is full it becomes the old one and
// what was old is dropped, so an entry that is renewed while it is old stays, and reading a young one changes nothing.
type aged[K comparable, V any] struct {
	young, old map[K]V
}

// place says in which half an entry is.
type place uint8

const (
	nowhere place = iota
	young
	old
)

func (a *aged[K, V]) get(k K) (V, place) {
	if v, ok := a.young[k]; ok {
		return v, young
	}
	if v, ok := a.old[k]; ok {
		return v, old
	}
	var none V
	return none, nowhere
}

// put makes k young. Both halves together never hold more than limit entries.
func (a *aged[K, V]) put(k K, v V, limit int) {
	delete(a.old, k)
	if _, there := a.young[k]; !there && len(a.young) >= limit/2 {
		a.young, a.old = nil, a.young
	}
	if a.young == nil {
		a.young = map[K]V{}
	}
	a.young[k] = v
}

func (a *aged[K, V]) delete(k K) {
	delete(a.young, k)
	delete(a.old, k)
}

func (a *aged[K, V]) len() int { return len(a.young) + len(a.old) }
