package permissions

import (
	"cmp"
	"container/list"
	"sync"
)

// defaultBudget is the size of each cache of a Picker in bytes, unless Picker.Budget is set.
const defaultBudget = 128 << 20

// derivedCache holds values computed from states, up to a number of bytes, and drops the least recently used. Its
// callers check that a value was computed from the current states. The zero derivedCache is ready to use. It is safe
// for concurrent use. Values are shared and must not be modified.
//
// Package cache cannot hold these values. It holds one state per subject and drops it when the subject changes, but a
// catalog belongs to a guild and to all its applications. It also splits its bytes into 64 shards, and the indexes of one
// large guild can exceed a shard: each request would then read the guild from the store again. Without this cache, an
// index of 2,500 commands takes 90 to 290 times as long, and 3 times as long without the catalogs alone.
type derivedCache[K comparable, V any] struct {
	mu      sync.Mutex
	entries map[K]*list.Element
	recent  list.List // of *derivedEntry, the most recently used first
	size    int
}

type derivedEntry[K comparable, V any] struct {
	key   K
	value V
	size  int
}

// get returns the value of a key.
func (d *derivedCache[K, V]) get(k K) (v V, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	el, ok := d.entries[k]
	if !ok {
		return v, false
	}
	d.recent.MoveToFront(el)
	return el.Value.(*derivedEntry[K, V]).value, true
}

// put sets the value of a key. size is its size in bytes. It drops values until the rest fits the budget.
func (d *derivedCache[K, V]) put(k K, v V, size, budget int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if el, ok := d.entries[k]; ok {
		d.remove(el)
	}
	if d.entries == nil {
		d.entries = map[K]*list.Element{}
	}
	d.entries[k] = d.recent.PushFront(&derivedEntry[K, V]{k, v, size})
	d.size += size
	d.trim(budget)
}

// grow adds to the size of the value of a key.
func (d *derivedCache[K, V]) grow(k K, bytes, budget int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if el, ok := d.entries[k]; ok {
		el.Value.(*derivedEntry[K, V]).size += bytes
		d.size += bytes
		d.trim(budget)
	}
}

func (d *derivedCache[K, V]) remove(el *list.Element) {
	e := d.recent.Remove(el).(*derivedEntry[K, V])
	delete(d.entries, e.key)
	d.size -= e.size
}

// trim drops the least recently used values until the rest fits the budget.
func (d *derivedCache[K, V]) trim(budget int) {
	for el := d.recent.Back(); el != nil && d.size > budget; el = d.recent.Back() {
		d.remove(el)
	}
}

// budget returns how many bytes each cache holds.
func (p *Picker) budget() int { return cmp.Or(p.Budget, defaultBudget) }
