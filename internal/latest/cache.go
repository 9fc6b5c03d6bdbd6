// Package latest keeps in memory the newest states of things that the store keeps, so that reading one costs no query and
// a write is decided on without reading first. It is bounded, exact under concurrency, and starts no goroutine. What a
// state is, and how it is read and written, its users say.
package latest

import (
	"container/list"
	"context"
	"hash/maphash"
	"sync"
	"sync/atomic"

	"github.com/bellhop/bellhop/internal/store"
)

// Config is what a Cache works with. All of it but Fresh is required.
type Config[K comparable, T any] struct {
	Store store.Store
	// Read returns the state under a key as the store has it. Its errors are passed on, and nothing is held.
	Read func(r store.Reader, key K) (*T, error)
	// Revision tells which of two states of one key is the later one: that with the larger revision. No two share one.
	Revision func(*T) uint64
	// Size is roughly how many bytes a state takes in memory.
	Size func(*T) int
	// Budget is how many bytes the states may take together.
	Budget int
	// Fresh reports whether what is held can be shown: where other processes write, they may not be able to have it
	// forgotten. While it cannot be shown everything is read from the store. It may be nil: always.
	Fresh func() bool
}

// Cache holds the states in use, the least recently used ones dropped when together they grow beyond a budget. Dropping
// one loses nothing: it is read again from the store. It is safe for concurrent use. States are immutable and shared by
// all who ask.
type Cache[K comparable, T any] struct {
	config Config[K, T]
	seed   maphash.Seed
	shards [shardCount]shard[K, T]
	// epoch rises when everything that is held may be wrong.
	epoch atomic.Uint64
}

const shardCount = 64

type shard[K comparable, T any] struct {
	mu      sync.Mutex
	entries map[K]*entry[K, T]
	order   list.List // of *entry, the most recently used first
	size    int
	budget  int
}

// New returns an empty cache.
func New[K comparable, T any](config Config[K, T]) *Cache[K, T] {
	c := &Cache[K, T]{config: config, seed: maphash.MakeSeed()}
	for i := range c.shards {
		c.shards[i].entries = map[K]*entry[K, T]{}
		c.shards[i].budget = config.Budget / shardCount
	}
	return c
}

func (c *Cache[K, T]) shard(key K) *shard[K, T] {
	return &c.shards[maphash.Comparable(c.seed, key)%shardCount]
}

// Held returns the newest state that is known to be on disk, or nil when none is known.
func (c *Cache[K, T]) Held(key K) *T {
	if !c.fresh() {
		return nil
	}
	sh := c.shard(key)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	e, ok := sh.entries[key]
	if !ok {
		return nil
	}
	sh.order.MoveToFront(e.where)
	return e.durable.Load()
}

// Get returns the state as it is: everything acknowledged before the call. Many who ask at once for what is not held
// read it once.
func (c *Cache[K, T]) Get(ctx context.Context, key K) (*T, error) {
	if !c.fresh() {
		return c.read(ctx, key)
	}
	if s := c.Held(key); s != nil {
		return s, nil
	}
	e := c.pin(key)
	defer c.unpin(e)
	e.loading.Lock()
	defer e.loading.Unlock()
	if s := e.durable.Load(); s != nil {
		return s, nil // read by whoever held the lock before
	}
	during := e.era()
	s, err := c.read(ctx, key)
	if err != nil {
		return nil, err
	}
	e.advance(s, during)
	return s, nil
}

func (c *Cache[K, T]) fresh() bool { return c.config.Fresh == nil || c.config.Fresh() }

func (c *Cache[K, T]) read(ctx context.Context, key K) (s *T, err error) {
	err = c.config.Store.View(ctx, func(r store.Reader) error {
		s, err = c.config.Read(r, key)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Grow notes that what is held under a key, if anything is, has become larger.
func (c *Cache[K, T]) Grow(key K, bytes int) {
	sh := c.shard(key)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if e, ok := sh.entries[key]; ok {
		sh.weigh(e, e.size+bytes)
		sh.trim()
	}
}

// Forget makes sure that nothing read from the store before the call is shown after it. Whoever changes a record without
// the cache calls it after the change is durable and before it is acknowledged.
func (c *Cache[K, T]) Forget(key K) {
	sh := c.shard(key)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if e, ok := sh.entries[key]; ok { // whoever reads or writes has it pinned
		e.forget()
	}
}

// Amend is Forget for whoever knows how the record has changed: what is held from then on is what next makes of what was, which
// has to be what the store has. It may be nil, when that does not follow, and does not wait.
func (c *Cache[K, T]) Amend(key K, next func(held *T) *T) {
	sh := c.shard(key)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	e, ok := sh.entries[key]
	if !ok {
		return
	}
	if s := e.amend(next); s != nil {
		sh.weigh(e, entrySize+c.config.Size(s))
		sh.trim()
	}
}

// ForgetIf is Forget for every key in the cache that matches. What comes into it later is read later.
func (c *Cache[K, T]) ForgetIf(match func(K) bool) {
	for i := range c.shards {
		sh := &c.shards[i]
		sh.mu.Lock()
		for key, e := range sh.entries {
			if match(key) {
				e.forget()
			}
		}
		sh.mu.Unlock()
	}
}

// ForgetAll is Forget for every key.
func (c *Cache[K, T]) ForgetAll() {
	c.epoch.Add(1)
	c.ForgetIf(func(K) bool { return true })
}

// Size returns how many bytes are held.
func (c *Cache[K, T]) Size() int {
	n := 0
	for i := range c.shards {
		sh := &c.shards[i]
		sh.mu.Lock()
		n += sh.size
		sh.mu.Unlock()
	}
	return n
}

// pin returns the entry of a key, which stays until unpin. There is never more than one for a key.
func (c *Cache[K, T]) pin(key K) *entry[K, T] {
	sh := c.shard(key)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	e, ok := sh.entries[key]
	if !ok {
		e = &entry[K, T]{key: key, cache: c, size: entrySize}
		e.where = sh.order.PushFront(e)
		sh.entries[key] = e
		sh.size += e.size
	}
	e.pins++
	return e
}

func (c *Cache[K, T]) unpin(e *entry[K, T]) {
	sh := c.shard(e.key)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	e.pins--
	sh.trim()
}

// weigh notes how many bytes an entry takes.
func (sh *shard[K, T]) weigh(e *entry[K, T], size int) {
	sh.size += size - e.size
	e.size = size
}

// trim drops entries from the far end until the shard is within its budget.
func (sh *shard[K, T]) trim() {
	for el := sh.order.Back(); el != nil && sh.size > sh.budget; {
		e, before := el.Value.(*entry[K, T]), el.Prev()
		if e.pins == 0 {
			sh.order.Remove(el)
			delete(sh.entries, e.key)
			sh.size -= e.size
		}
		el = before
	}
}
