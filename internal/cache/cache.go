// Package cache keeps answers of the store in memory. It is bounded, and it is exact as long as whoever changes a record
// forgets its key after the change is durable and before it is acknowledged. It starts no goroutine and reads no clock.
package cache

import (
	"hash/maphash"
	"maps"
	"sync"
)

// How much a Cache holds: keys that have a value, and keys that are known to have none. The two are counted apart, so
// that a flood of questions for what does not exist drives out nothing that does.
const (
	MaxFound  = 1 << 16
	MaxAbsent = 1 << 13
)

// Cache holds values by key, and which keys have none. The zero Cache is empty and ready. It is safe for concurrent use
// and is not copied. Values are shared by all who ask: nobody changes them.
type Cache[K comparable, V any] struct {
	// Fresh reports whether what is held can be shown: where other processes change records, they may not be able to have
	// it forgotten. While it cannot be shown everything is fetched. It may be nil: always. It is set before the first use.
	Fresh func() bool

	shards [shardCount]shard[K, V]
}

const shardCount = 32

// seed spreads keys over shards, differently in every process.
var seed = maphash.MakeSeed()

type shard[K comparable, V any] struct {
	mu     sync.RWMutex
	epoch  uint64 // rises with every Forget and Reset
	found  aged[K, V]
	absent aged[K, struct{}]
}

func (c *Cache[K, V]) shard(k K) *shard[K, V] {
	return &c.shards[maphash.Comparable(seed, k)%shardCount]
}

// Get returns the value of k when it is held.
func (c *Cache[K, V]) Get(k K) (V, bool) {
	if c.Fresh != nil && !c.Fresh() {
		var none V
		return none, false
	}
	s := c.shard(k)
	s.mu.RLock()
	v, where := s.found.get(k)
	s.mu.RUnlock()
	if where == old {
		s.renew(k)
	}
	return v, where != nowhere
}

// Load returns the value of k and whether there is one: as it is held, else as fetch answers. The answer is held from
// then on, unless k was forgotten while fetch ran: then it may be older than the change.
func (c *Cache[K, V]) Load(k K, fetch func() (V, bool, error)) (V, bool, error) {
	if c.Fresh != nil && !c.Fresh() {
		return fetch()
	}
	s := c.shard(k)
	s.mu.RLock()
	epoch := s.epoch
	v, where := s.found.get(k)
	_, absent := s.absent.get(k)
	s.mu.RUnlock()
	switch {
	case where != nowhere:
		return v, true, nil
	case absent != nowhere:
		return v, false, nil
	}
	v, found, err := fetch()
	if err != nil {
		return v, false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.epoch != epoch {
		return v, found, nil
	}
	if found {
		s.found.put(k, v, MaxFound/shardCount)
	} else {
		s.absent.put(k, struct{}{}, MaxAbsent/shardCount)
	}
	return v, found, nil
}

// Forget drops what is held of the keys. What was read before the call is not held after it.
func (c *Cache[K, V]) Forget(keys ...K) {
	for _, k := range keys {
		c.shard(k).forget(k)
	}
}

// ForgetIf drops what is held of every key that has a value and matches. What was read before the call is not held after
// it.
func (c *Cache[K, V]) ForgetIf(match func(K, V) bool) {
	for i := range c.shards {
		c.shards[i].forgetIf(match)
	}
}

// Reset drops everything. What was read before the call is not held after it.
func (c *Cache[K, V]) Reset() {
	for i := range c.shards {
		c.shards[i].reset()
	}
}

// Len returns how many keys are held, with and without a value.
func (c *Cache[K, V]) Len() (found, absent int) {
	for i := range c.shards {
		s := &c.shards[i]
		s.mu.RLock()
		found += s.found.len()
		absent += s.absent.len()
		s.mu.RUnlock()
	}
	return found, absent
}

func (s *shard[K, V]) renew(k K) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if v, where := s.found.get(k); where == old { // not forgotten in the meantime
		s.found.put(k, v, MaxFound/shardCount)
	}
}

func (s *shard[K, V]) forget(k K) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.epoch++
	s.found.delete(k)
	s.absent.delete(k)
}

func (s *shard[K, V]) forgetIf(match func(K, V) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.epoch++
	maps.DeleteFunc(s.found.young, match)
	maps.DeleteFunc(s.found.old, match)
}

func (s *shard[K, V]) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.epoch++
	s.found = aged[K, V]{}
	s.absent = aged[K, struct{}]{}
}
