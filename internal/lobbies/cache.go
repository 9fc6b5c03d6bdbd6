package lobbies

import (
	"container/list"
	"sync"
	"sync/atomic"

	"github.com/bellhop/bellhop/snowflake"
)

// cache holds the lobbies in use, the least recently used ones dropped when together they grow beyond a budget. Dropping
// a lobby loses nothing: it is read again from the store.
type cache struct {
	shards [64]shard
	// epoch rises when everything that is held may be wrong.
	epoch atomic.Uint64
}

type shard struct {
	mu      sync.Mutex
	entries map[snowflake.Lobby]*entry
	order   list.List // of *entry, the most recently used first
	size    int
	budget  int
}

// entry is a lobby's place in the cache.
type entry struct {
	id    snowflake.Lobby
	cache *cache
	where *list.Element
	pins  int // guarded by the shard
	size  int // guarded by the shard

	// durable is the newest state that is known to be on disk, nil when none is known.
	durable atomic.Pointer[State]
	loading sync.Mutex // held while the lobby is read from the store

	mu    sync.Mutex
	epoch uint64
	tip   *State // the newest state that a unit of work has written, which may yet fail to reach the disk
}

// What entries cost, roughly: one that holds nothing, and each member, once as it is and once in the rendered lobby.
const (
	entrySize  = 640
	memberSize = 192
)

// era names the time during which what was read from the store may be kept.
type era struct{ cache, entry uint64 }

func newCache(budget int) *cache {
	c := &cache{}
	for i := range c.shards {
		c.shards[i].entries = map[snowflake.Lobby]*entry{}
		c.shards[i].budget = budget / len(c.shards)
	}
	return c
}

// shard spreads lobbies by the bits of their ids that differ most.
func (c *cache) shard(id snowflake.Lobby) *shard {
	return &c.shards[(uint64(id)*0x9e3779b97f4a7c15)>>58]
}

// durable returns the lobby's newest state that is known to be on disk, or nil. It is what the hot path asks.
func (c *cache) durable(id snowflake.Lobby) *State {
	sh := c.shard(id)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	e, ok := sh.entries[id]
	if !ok {
		return nil
	}
	sh.order.MoveToFront(e.where)
	return e.durable.Load()
}

// pin returns the lobby's entry, which stays until unpin. There is never more than one entry for a lobby.
func (c *cache) pin(id snowflake.Lobby) *entry {
	sh := c.shard(id)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	e, ok := sh.entries[id]
	if !ok {
		e = &entry{id: id, cache: c, size: entrySize}
		e.where = sh.order.PushFront(e)
		sh.entries[id] = e
		sh.size += e.size
	}
	e.pins++
	return e
}

func (c *cache) unpin(e *entry) {
	sh := c.shard(e.id)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	e.pins--
	sh.trim()
}

// trim drops entries from the far end until the shard is within its budget.
func (sh *shard) trim() {
	for el := sh.order.Back(); el != nil && sh.size > sh.budget; {
		e, before := el.Value.(*entry), el.Prev()
		if e.pins == 0 {
			sh.order.Remove(el)
			delete(sh.entries, e.id)
			sh.size -= e.size
		}
		el = before
	}
}

// forgetAll makes sure that nothing read from the store before the call is shown after it.
func (c *cache) forgetAll() {
	c.epoch.Add(1)
	for i := range c.shards {
		sh := &c.shards[i]
		sh.mu.Lock()
		for _, e := range sh.entries {
			e.forget()
		}
		sh.mu.Unlock()
	}
}

func (e *entry) forget() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.epoch++
	e.tip = nil
	e.durable.Store(nil)
}

func (e *entry) era() era {
	e.mu.Lock()
	defer e.mu.Unlock()
	return era{e.cache.epoch.Load(), e.epoch}
}

// advance makes st the durable state unless a newer one is known, or the era in which it was read has passed. That there
// is no lobby is newer than everything: ids are never used twice.
func (e *entry) advance(st *State, during era) {
	if e.keep(st, during) {
		sh := e.cache.shard(e.id)
		sh.mu.Lock()
		defer sh.mu.Unlock()
		sh.size -= e.size
		e.size = entrySize + memberSize*len(st.Members) + st.weight()
		sh.size += e.size
	}
}

// wrote makes st, which a unit of work has just made durable, the state that reads see. When the era has passed in the
// meantime, others may be reading what was before st: what they find does not count.
func (e *entry) wrote(st *State, during era) {
	e.advance(st, during)
	if e.era() != during {
		e.forget()
	}
}

func (e *entry) keep(st *State, during era) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if during != (era{e.cache.epoch.Load(), e.epoch}) {
		return false
	}
	old := e.durable.Load()
	if old != nil && (old.Revision == 0 || st.Revision != 0 && old.Revision >= st.Revision) {
		return false
	}
	e.durable.Store(st)
	return true
}

// base returns the state that a unit of work builds on, or nil when none is known.
func (e *entry) base() *State {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.tip != nil {
		return e.tip
	}
	return e.durable.Load()
}

func (e *entry) setTip(st *State) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.tip = st
}

// unsettle notes that a unit of work has failed or was refused on a state. Unless that state is known to be on disk, nobody
// knows here whether it is: it is read again, so that whoever was refused because of it finds the reason.
func (e *entry) unsettle(st *State) {
	if st == nil || st != e.durable.Load() {
		e.forget()
	}
}

// weight is roughly what the texts of a state cost in memory, once as they are and once rendered.
func (st *State) weight() int {
	n := len(st.Metadata) + len(st.WebhooksURL)
	for _, m := range st.Members {
		n += len(m.Metadata) + len(m.AdditionalName)
	}
	return 2 * n
}

// rendering is a text that is made when it is first asked for.
type rendering struct{ text atomic.Pointer[[]byte] }

func (r *rendering) get(render func() []byte) []byte {
	if b := r.text.Load(); b != nil {
		return *b
	}
	b := render()
	r.text.Store(&b) // whoever else makes it at the same time makes the same
	return b
}
