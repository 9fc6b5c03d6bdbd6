package latest

import (
	"container/list"
	"sync"
	"sync/atomic"
)

// entry is a key's place in the cache.
type entry[K comparable, T any] struct {
	key   K
	cache *Cache[K, T]
	where *list.Element
	pins  int // guarded by the shard
	size  int // guarded by the shard

	// durable is the newest state that is known to be on disk, nil when none is known.
	durable atomic.Pointer[T]
	loading sync.Mutex // held while the state is read from the store
	turn    sync.Mutex // held while the state is changed in a store that is shared

	mu    sync.Mutex // nothing is locked while it is held
	epoch uint64     // rises when durable may be wrong
	tip   *T         // the newest state that a unit of work has written, which may yet fail to reach the disk
	// untold are the writes that have changed the state and not been told of, in no order.
	untold []*write[T]

	telling sync.Mutex // held while writes are told of; taken before mu
}

// entrySize is roughly what an entry costs that holds nothing.
const entrySize = 320

// era names the time during which what was read from the store may be kept.
type era struct{ cache, entry uint64 }

func (e *entry[K, T]) era() era {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.now()
}

// now is era for whoever holds the lock.
func (e *entry[K, T]) now() era { return era{e.cache.epoch.Load(), e.epoch} }

func (e *entry[K, T]) forget() { e.amend(func(*T) *T { return nil }) }

// amend makes the durable state what next makes of it, and returns that. What was read or written before is not kept.
func (e *entry[K, T]) amend(next func(held *T) *T) (s *T) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.epoch++
	e.tip = nil
	if held := e.durable.Load(); held != nil {
		s = next(held)
	}
	e.durable.Store(s)
	return s
}

// advance makes s the durable state unless a later one is known, or the era in which it was read has passed.
func (e *entry[K, T]) advance(s *T, during era) {
	if !e.keep(s, during) {
		return
	}
	size := entrySize + e.cache.config.Size(s)
	sh := e.cache.shard(e.key)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if e.durable.Load() == s { // not followed by another yet
		sh.weigh(e, size)
	}
}

func (e *entry[K, T]) keep(s *T, during era) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if during != e.now() {
		return false
	}
	revision := e.cache.config.Revision
	if old := e.durable.Load(); old != nil && revision(old) >= revision(s) {
		return false
	}
	e.durable.Store(s)
	return true
}

// base returns the state that a unit of work builds on, or nil when none is known.
func (e *entry[K, T]) base() *T {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.tip != nil {
		return e.tip
	}
	return e.durable.Load()
}
