package ratelimit

import (
	"hash/maphash"
	"math/bits"
	"sync"
)

// window counts requests until it ends.
type window struct {
	ends  int64 // nanoseconds since the start of the limiter
	count uint32
	limit uint32 // of the latest claim; 0 when there is no window
}

// usedLess reports whether w has used a smaller share of its limit than o. Of equal shares, the window that ends first
// counts as less used.
func (w window) usedLess(o window) bool {
	a, b := uint64(w.count)*uint64(o.limit), uint64(o.count)*uint64(w.limit)
	return a < b || (a == b && w.ends < o.ends)
}

// windows holds a bounded number of windows by key, in shards that are locked separately.
type windows struct {
	factors [4]uint64 // random and odd, so that callers cannot choose what their keys are hashed to
	shards  []shard
}

// place is where the window of a key is: the number of its shard, and the hash that stands for the key there. A map by hash
// takes half the memory of a map by key. The chance that two of a million live keys share a hash is 3 in 100 million.
type place struct {
	shard int
	hash  uint64
}

// shard is a part of the keys under its own lock.
type shard struct {
	mu      sync.Mutex
	open    map[uint64]window // by hash; some have expired
	room    int               // keys until expired ones are dropped
	most    int               // keys at most
	dropped int               // keys that evict has dropped since the map was made
	evicted uint64            // keys that were dropped before their window ended
}

const (
	maxShards    = 64
	keysPerShard = 4096 // another shard is worth it for so many keys
	minRoom      = 16
	// sampleSize is how many keys a full shard looks at to find one that it can drop.
	sampleSize = 16
)

// newWindows returns windows for at least the given number of live keys. The hash spreads keys unevenly, so each of several
// shards has room for a quarter more than its share.
func newWindows(keys int) windows {
	keys = max(keys, 1)
	w := windows{shards: make([]shard, min(max(keys/keysPerShard, 1), maxShards))}
	seed := maphash.MakeSeed()
	for i := range w.factors {
		w.factors[i] = maphash.Comparable(seed, i) | 1
	}
	most := (keys + len(w.shards) - 1) / len(w.shards)
	if len(w.shards) > 1 {
		most += most/4 + 64
	}
	for i := range w.shards {
		w.shards[i].most = most
	}
	w.clear()
	return w
}

// place returns where the window of a key is. The shard depends on the ids alone: the two windows of a request are mostly in
// one shard, so that it takes one lock.
func (w *windows) place(k Key) place {
	f := &w.factors
	ids := k.a*f[0] + k.b*f[1] + k.c*f[2]
	shard, _ := bits.Mul64(ids, uint64(len(w.shards)))
	return place{int(shard), ids + k.what*f[3]}
}

// lock locks the shard of a place.
func (w *windows) lock(p place) *shard {
	s := &w.shards[p.shard]
	s.mu.Lock()
	return s
}

// lockBoth locks the shards of two places in the order of their numbers, so that two callers cannot deadlock.
func (w *windows) lockBoth(a, b place) (forA, forB *shard) {
	w.shards[min(a.shard, b.shard)].mu.Lock()
	if a.shard != b.shard {
		w.shards[max(a.shard, b.shard)].mu.Lock()
	}
	return &w.shards[a.shard], &w.shards[b.shard]
}

// unlockBoth unlocks what lockBoth has locked.
func unlockBoth(a, b *shard) {
	a.mu.Unlock()
	if a != b {
		b.mu.Unlock()
	}
}

// put stores the window of a key. When the key is new and the shard is full, another key is dropped.
func (s *shard) put(hash uint64, w window, now int64) {
	if len(s.open) >= s.room {
		if _, known := s.open[hash]; !known {
			s.makeRoom(now)
		}
	}
	s.open[hash] = w
}

// makeRoom makes room for one key more. Below the bound it drops all expired keys, and does not look again before the number
// of keys has doubled. At the bound it drops keys of a sample, and all expired keys only when as many were dropped as fit in.
func (s *shard) makeRoom(now int64) {
	if s.room < s.most || s.dropped > s.most {
		s.compact(now)
	}
	if len(s.open) >= s.room {
		s.evict(now)
	}
}

// compact moves the live keys to a new map: one that keys come and go in takes more and more memory.
func (s *shard) compact(now int64) {
	live := 0
	for _, w := range s.open {
		if w.ends > now {
			live++
		}
	}
	s.room, s.dropped = min(max(2*live, minRoom), s.most), 0
	next := make(map[uint64]window, s.room)
	for hash, w := range s.open {
		if w.ends > now {
			next[hash] = w
		}
	}
	s.open = next
}

// evict drops the expired keys of a sample or, when none has expired, the live key that has used the smallest share of its
// limit. So a flood of new keys drops its own keys, and not one that has used up its limit.
func (s *shard) evict(now int64) {
	var victim uint64
	var least window
	seen, before := 0, len(s.open)
	for hash, w := range s.open { // begins at a random key
		if w.ends <= now {
			delete(s.open, hash)
		} else if least.limit == 0 || w.usedLess(least) {
			victim, least = hash, w
		}
		if seen++; seen == sampleSize {
			break
		}
	}
	if len(s.open) == before {
		delete(s.open, victim)
		s.evicted++
	}
	s.dropped += before - len(s.open)
}

// clear drops all keys.
func (w *windows) clear() {
	for i := range w.shards {
		s := &w.shards[i]
		s.mu.Lock()
		s.open, s.room, s.dropped = map[uint64]window{}, min(minRoom, s.most), 0
		s.mu.Unlock()
	}
}

// Usage is how many keys are held.
type Usage struct {
	Keys    int    // some of them have expired
	Evicted uint64 // keys that were dropped before their window ended, since the start
}

func (w *windows) usage() (u Usage) {
	for i := range w.shards {
		s := &w.shards[i]
		s.mu.Lock()
		u.Keys += len(s.open)
		u.Evicted += s.evicted
		s.mu.Unlock()
	}
	return u
}
