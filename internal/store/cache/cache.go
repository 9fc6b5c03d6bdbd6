// Package cache holds the states of subjects in memory and makes decisions on them.
//
// A state is immutable and belongs to one revision of its subject. When the process is the only writer of the store,
// the states in the cache are current, because the store passes every change to the cache before the commit returns.
// When other processes write too, the caller confirms the revision of a state by a query before it relies on the state.
package cache

import (
	"container/list"
	"hash/maphash"
	"math/bits"
	"sync"

	"github.com/bellhop/bellhop/internal/store"
)

const shardCount = 64

// entrySize is roughly the size in bytes of an entry without its state.
const entrySize = 256

// Cache holds states up to a number of bytes and drops the least recently used ones first. It is safe for concurrent
// use.
type Cache struct {
	store  store.Store
	seed   maphash.Seed
	shards [shardCount]shard
	locks  locks
}

type shard struct {
	mu      sync.Mutex
	entries map[store.Subject]*entry
	recent  list.List               // of *entry, the most recently used first
	loads   map[store.Subject]*load // reads in progress whose result may be cached
	size    int
	budget  int
}

// entry is a state in the cache. Its revision and state do not change.
type entry struct {
	subject  store.Subject
	revision uint64
	state    any
	size     int
	element  *list.Element // in shard.recent
}

// New returns a cache of the states in s that takes up to budget bytes. It subscribes to the commits of s.
func New(s store.Store, budget int) *Cache {
	c := &Cache{store: s, seed: maphash.MakeSeed()}
	for i := range c.shards {
		c.shards[i].entries = map[store.Subject]*entry{}
		c.shards[i].loads = map[store.Subject]*load{}
		c.shards[i].budget = budget / shardCount
	}
	s.Subscribe(c.committed)
	return c
}

// Store returns the store whose states are held.
func (c *Cache) Store() store.Store { return c.store }

// Size returns how many bytes are held.
func (c *Cache) Size() int {
	n := 0
	for i := range c.shards {
		sh := &c.shards[i]
		sh.mu.Lock()
		n += sh.size
		sh.mu.Unlock()
	}
	return n
}

func (c *Cache) shard(s store.Subject) *shard { return &c.shards[c.index(s)] }

func (c *Cache) index(s store.Subject) int {
	return int(maphash.Comparable(c.seed, s) % shardCount)
}

// shardSet is a set of shards, one bit for each.
type shardSet uint64

const allShards = ^shardSet(0)

// lock locks shards in ascending order, so that callers cannot deadlock.
func (c *Cache) lock(set shardSet) {
	for ; set != 0; set &= set - 1 {
		c.shards[bits.TrailingZeros64(uint64(set))].mu.Lock()
	}
}

func (c *Cache) unlock(set shardSet) {
	for ; set != 0; set &= set - 1 {
		c.shards[bits.TrailingZeros64(uint64(set))].mu.Unlock()
	}
}

// committed replaces the states of the subjects that a change wrote to, all at the same time.
func (c *Cache) committed(ch *store.Change) {
	var set shardSet
	for _, e := range ch.Expect {
		set |= 1 << c.index(e.Subject)
	}
	if ch.Clear {
		set = allShards
	}
	c.lock(set)
	defer c.unlock(set)
	if ch.Clear {
		for i := range c.shards {
			c.shards[i].reset()
		}
	}
	for _, e := range ch.Expect {
		sh := c.shard(e.Subject)
		sh.drop(e.Subject)
		if s, ok := e.State.(sized); ok {
			sh.put(newEntry(ch, e, s))
		}
	}
}

// newEntry returns the entry of a subject after a change.
func newEntry(ch *store.Change, e store.Expectation, s sized) *entry {
	revision := ch.Revision
	if e.Ends {
		revision = 0 // the state of a subject that does not exist, for example an empty list
	}
	return &entry{subject: e.Subject, revision: revision, state: s.state, size: entrySize + s.size}
}

// sized is a state with its size.
type sized struct {
	state any
	size  int
}

// get returns the entry of a subject, nil when there is none.
func (c *Cache) get(s store.Subject) *entry {
	sh := c.shard(s)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	e := sh.entries[s]
	if e != nil {
		sh.recent.MoveToFront(e.element)
	}
	return e
}

// dropUnless removes the state of a subject unless it belongs to the given revision.
func (c *Cache) dropUnless(s store.Subject, revision uint64) {
	sh := c.shard(s)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if e := sh.entries[s]; e == nil || e.revision != revision {
		sh.drop(s)
	}
}

// drop removes the states of subjects.
func (c *Cache) drop(subjects ...store.Subject) {
	for _, s := range subjects {
		sh := c.shard(s)
		sh.mu.Lock()
		sh.drop(s)
		sh.mu.Unlock()
	}
}

// grow adds to the size of a state, for example because it was rendered.
func (c *Cache) grow(s store.Subject, bytes int) {
	sh := c.shard(s)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if e := sh.entries[s]; e != nil {
		e.size += bytes
		sh.size += bytes
		sh.trim()
	}
}

// drop removes an entry. The result of a read in progress is not cached, and later callers do not wait for that read.
func (sh *shard) drop(s store.Subject) {
	delete(sh.loads, s)
	if e := sh.entries[s]; e != nil {
		sh.remove(e)
	}
}

// reset removes all entries. The results of reads in progress are not cached.
func (sh *shard) reset() {
	clear(sh.loads)
	clear(sh.entries)
	sh.recent.Init()
	sh.size = 0
}

// put adds an entry and replaces the old entry of the subject. It does not add an entry that is larger than the budget.
func (sh *shard) put(e *entry) {
	if old := sh.entries[e.subject]; old != nil {
		sh.remove(old)
	}
	if e.size > sh.budget {
		return
	}
	e.element = sh.recent.PushFront(e)
	sh.entries[e.subject] = e
	sh.size += e.size
	sh.trim()
}

func (sh *shard) remove(e *entry) {
	delete(sh.entries, e.subject)
	sh.recent.Remove(e.element)
	sh.size -= e.size
}

// trim drops the least recently used entries until the shard is within its budget.
func (sh *shard) trim() {
	for sh.size > sh.budget && sh.recent.Len() > 0 {
		sh.remove(sh.recent.Back().Value.(*entry))
	}
}
