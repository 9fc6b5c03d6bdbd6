package registry

import (
	"container/list"
	"hash/maphash"
	"sync"
	"sync/atomic"

	"github.com/bellhop/bellhop/command"
)

// cache holds the scopes in use, the least recently used ones dropped when together they grow beyond a budget. Dropping
// a scope loses nothing: it is read again from the store.
type cache struct {
	seed   maphash.Seed
	shards [64]shard
	// epoch rises when everything that is held may be wrong.
	epoch atomic.Uint64
}

type shard struct {
	mu      sync.Mutex
	entries map[command.Scope]*entry
	order   list.List // of *entry, the most recently used first
	size    int
	budget  int
}

// entry is a scope's place in the cache.
type entry struct {
	scope command.Scope
	cache *cache
	where *list.Element
	pins  int // guarded by the shard
	size  int // guarded by the shard

	// durable is the newest state that is known to be on disk, nil when none is known.
	durable atomic.Pointer[snapshot]
	loading sync.Mutex // held while the scope is read from the store

	mu    sync.Mutex
	epoch uint64    // rises when durable may be wrong
	tip   *snapshot // the newest state that a unit of work has written, which may yet fail to reach the disk
}

// entrySize is roughly what an entry costs that holds nothing.
const entrySize = 320

// era names the time during which what was read from the store may be kept.
type era struct{ cache, entry uint64 }

func newCache(budget int) *cache {
	c := &cache{seed: maphash.MakeSeed()}
	for i := range c.shards {
		c.shards[i].entries = map[command.Scope]*entry{}
		c.shards[i].budget = budget / len(c.shards)
	}
	return c
}

func (c *cache) shard(s command.Scope) *shard {
	return &c.shards[maphash.Comparable(c.seed, s)%uint64(len(c.shards))]
}

// durable returns the scope's newest state that is known to be on disk, or nil. It is what the hot path asks.
func (c *cache) durable(s command.Scope) *snapshot {
	sh := c.shard(s)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	e, ok := sh.entries[s]
	if !ok {
		return nil
	}
	sh.order.MoveToFront(e.where)
	return e.durable.Load()
}

// pin returns the scope's entry, which stays until unpin. There is never more than one entry for a scope.
func (c *cache) pin(s command.Scope) *entry {
	sh := c.shard(s)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	e, ok := sh.entries[s]
	if !ok {
		e = &entry{scope: s, cache: c, size: entrySize}
		e.where = sh.order.PushFront(e)
		sh.entries[s] = e
		sh.size += e.size
	}
	e.pins++
	return e
}

func (c *cache) unpin(e *entry) {
	sh := c.shard(e.scope)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	e.pins--
	sh.trim()
}

// grow notes that what is held for a scope has become larger.
func (c *cache) grow(s command.Scope, bytes int) {
	sh := c.shard(s)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if e, ok := sh.entries[s]; ok {
		e.size += bytes
		sh.size += bytes
		sh.trim()
	}
}

// trim drops entries from the far end until the shard is within its budget.
func (sh *shard) trim() {
	for el := sh.order.Back(); el != nil && sh.size > sh.budget; {
		e, before := el.Value.(*entry), el.Prev()
		if e.pins == 0 {
			sh.order.Remove(el)
			delete(sh.entries, e.scope)
			sh.size -= e.size
		}
		el = before
	}
}

// forget makes sure that nothing read from the store before the call is shown after it. The scope's change is durable.
func (c *cache) forget(s command.Scope) {
	e := c.pin(s)
	defer c.unpin(e)
	e.forget()
}

func (e *entry) forget() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.epoch++
	e.tip = nil
	e.durable.Store(nil)
}

// forgetAll is forget for every scope.
func (c *cache) forgetAll() {
	c.epoch.Add(1)
	c.forgetIf(func(command.Scope) bool { return true })
}

// forgetIf is forget for every scope in the cache that matches. What comes into it later is read later.
func (c *cache) forgetIf(match func(command.Scope) bool) {
	for i := range c.shards {
		sh := &c.shards[i]
		sh.mu.Lock()
		var scopes []command.Scope
		for s := range sh.entries {
			if match(s) {
				scopes = append(scopes, s)
			}
		}
		sh.mu.Unlock()
		for _, s := range scopes {
			c.forget(s)
		}
	}
}

func (e *entry) era() era {
	e.mu.Lock()
	defer e.mu.Unlock()
	return era{e.cache.epoch.Load(), e.epoch}
}

// advance makes s the durable state unless a newer one is known, or the era in which it was read has passed.
func (e *entry) advance(s *snapshot, during era) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if during != (era{e.cache.epoch.Load(), e.epoch}) {
		return
	}
	old := e.durable.Load()
	if old != nil && old.revision >= s.revision {
		return
	}
	e.durable.Store(s)
	sh := e.cache.shard(e.scope)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.size -= e.size
	e.size = entrySize + s.size()
	sh.size += e.size
}

// base returns the state that a unit of work builds on, or nil when none is known.
func (e *entry) base() *snapshot {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.tip != nil {
		return e.tip
	}
	return e.durable.Load()
}

func (e *entry) setTip(s *snapshot) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.tip = s
}
