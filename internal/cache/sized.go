package cache

import (
	"cmp"
	"container/list"
	"sync"
)

// DefaultBudget is how many bytes a Sized holds unless it is told otherwise.
const DefaultBudget = 128 << 20

// Sized holds values whose sizes differ, the least recently used ones dropped when together they are larger than a
// budget. The zero Sized is empty and ready. It is exact under the same condition as a Cache. It is safe for concurrent
// use and is not copied. Values are shared by all who ask: nobody changes them.
type Sized[K comparable, V any] struct {
	// Budget is how many bytes are held; 0: DefaultBudget. It is set before the first use.
	Budget int
	// Fresh reports whether what is held can be shown, as that of a Cache does. It may be nil: always.
	Fresh func() bool

	mu      sync.Mutex
	epoch   uint64 // rises with every Forget and Reset
	entries map[K]*list.Element
	order   list.List // of *sizedEntry, the most recently used first
	size    int
}

type sizedEntry[K comparable, V any] struct {
	key   K
	value V
	size  int
}

// Get returns the value of k when it is held.
func (c *Sized[K, V]) Get(k K) (V, bool) {
	if c.Fresh != nil && !c.Fresh() {
		var none V
		return none, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	el, ok := c.entries[k]
	if !ok {
		var none V
		return none, false
	}
	c.order.MoveToFront(el)
	return el.Value.(*sizedEntry[K, V]).value, true
}

// Load returns the value of k: as it is held, else as fetch answers together with its size. The answer is held from then
// on, unless a key was forgotten while fetch ran: then it may be older than the change.
func (c *Sized[K, V]) Load(k K, fetch func() (V, int, error)) (V, error) {
	if c.Fresh != nil && !c.Fresh() {
		v, _, err := fetch()
		return v, err
	}
	if v, ok := c.Get(k); ok {
		return v, nil
	}
	c.mu.Lock()
	epoch := c.epoch
	c.mu.Unlock()
	v, size, err := fetch()
	if err != nil {
		return v, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.epoch == epoch {
		c.put(k, v, size)
	}
	return v, nil
}

// Put holds a value of so many bytes, in place of the one that was held.
func (c *Sized[K, V]) Put(k K, v V, size int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.put(k, v, size)
}

func (c *Sized[K, V]) put(k K, v V, size int) {
	c.drop(k)
	if c.entries == nil {
		c.entries = map[K]*list.Element{}
	}
	c.entries[k] = c.order.PushFront(&sizedEntry[K, V]{k, v, size})
	c.size += size
	c.trim()
}

// Grow notes that what is held of k, if anything is, has become larger.
func (c *Sized[K, V]) Grow(k K, bytes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if el, ok := c.entries[k]; ok {
		el.Value.(*sizedEntry[K, V]).size += bytes
		c.size += bytes
		c.trim()
	}
}

// Forget drops what is held of the keys. What was read before the call is not held after it.
func (c *Sized[K, V]) Forget(keys ...K) {
	if len(keys) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.epoch++
	for _, k := range keys {
		c.drop(k)
	}
}

// ForgetIf drops what is held of every key that matches. What was read before the call is not held after it.
func (c *Sized[K, V]) ForgetIf(match func(K) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.epoch++
	for k := range c.entries {
		if match(k) {
			c.drop(k)
		}
	}
}

// Reset drops everything. What was read before the call is not held after it.
func (c *Sized[K, V]) Reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.epoch++
	clear(c.entries)
	c.order.Init()
	c.size = 0
}

// Size returns how many bytes are held.
func (c *Sized[K, V]) Size() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.size
}

func (c *Sized[K, V]) drop(k K) {
	el, ok := c.entries[k]
	if !ok {
		return
	}
	c.size -= c.order.Remove(el).(*sizedEntry[K, V]).size
	delete(c.entries, k)
}

// trim drops values from the far end until the rest is within the budget.
func (c *Sized[K, V]) trim() {
	budget := cmp.Or(c.Budget, DefaultBudget)
	for el := c.order.Back(); el != nil && c.size > budget; el = c.order.Back() {
		c.drop(el.Value.(*sizedEntry[K, V]).key)
	}
}
