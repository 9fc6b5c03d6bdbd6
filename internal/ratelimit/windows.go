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
	limit uint32 // of the latest claim; 0 if there is no window
}

// usedLess reports whether w has used a smaller share of its limit than o. With equal shares, the window that ends
// first has used less.
func (w window) usedLess(o window) bool {
	a, b := uint64(w.count)*uint64(o.limit), uint64(o.count)*uint64(w.limit)
	return a < b || (a == b && w.ends < o.ends)
}

// windows holds a bounded number of windows by key, in shards with separate locks.
type windows struct {
	factors [4]uint64 // random and odd, so that callers cannot choose the hash of their keys
	shards  []shard
}

// slot is the location of a key: its shard, and its hash in the shard. A map by hash takes half the memory of a map by
// key. The probability that two of a million live keys share a hash is 3 in 100 million.
type slot struct {
	shard int
	hash  uint64
}

// shard is a part of the keys with its own lock.
type shard struct {
	mu      sync.Mutex
	open    map[uint64]window // by hash; some have expired
	sweepAt int               // number of keys at which expired ones are dropped
	max     int               // maximum number of keys
	dropped int               // keys that evict has dropped since the map was created
	evicted uint64            // keys that were dropped before their window ended
}

const (
	maxShards    = 64
	keysPerShard = 4096 // keys for which another shard is added
	minRoom      = 16
	// sampleSize is the number of keys that a full shard examines to find one to drop.
	sampleSize = 16
)

// newWindows returns windows for at least the given number of live keys. The hash spreads keys unevenly, so each of
// several shards has room for a quarter more than its share.
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
		w.shards[i].max = most
	}
	w.clear()
	return w
}

// slot returns the location of a key. The shard depends on the ids only, so that the two windows of a request are
// usually in the same shard and need one lock.
func (w *windows) slot(k Key) slot {
	f := &w.factors
	ids := k.a*f[0] + k.b*f[1] + k.c*f[2]
	shard, _ := bits.Mul64(ids, uint64(len(w.shards)))
	return slot{int(shard), ids + k.what*f[3]}
}

// lock locks the shard of a slot.
func (w *windows) lock(p slot) *shard {
	s := &w.shards[p.shard]
	s.mu.Lock()
	return s
}

// lockBoth locks the shards of two slots in the order of their numbers, so that two callers cannot deadlock.
func (w *windows) lockBoth(a, b slot) (forA, forB *shard) {
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

// put stores the window of a key. If the key is new and the shard is full, it drops another key.
func (s *shard) put(hash uint64, w window, now int64) {
	if len(s.open) >= s.sweepAt {
		if _, known := s.open[hash]; !known {
			s.makeRoom(now)
		}
	}
	s.open[hash] = w
}

// makeRoom makes room for one more key. Below the maximum it drops all expired keys, and does that again when the
// number of keys has doubled. At the maximum it drops keys of a sample, and all expired keys only after as many were
// dropped as fit in.
func (s *shard) makeRoom(now int64) {
	if s.sweepAt < s.max || s.dropped > s.max {
		s.compact(now)
	}
	if len(s.open) >= s.sweepAt {
		s.evict(now)
	}
}

// compact moves the live keys to a new map, because a map with many insertions and deletions keeps growing.
func (s *shard) compact(now int64) {
	live := 0
	for _, w := range s.open {
		if w.ends > now {
			live++
		}
	}
	s.sweepAt, s.dropped = min(max(2*live, minRoom), s.max), 0
	next := make(map[uint64]window, s.sweepAt)
	for hash, w := range s.open {
		if w.ends > now {
			next[hash] = w
		}
	}
	s.open = next
}

// evict drops the expired keys of a sample or, if none has expired, the live key that has used the smallest share of
// its limit. A flood of new keys therefore drops its own keys, not one that has used up its limit.
func (s *shard) evict(now int64) {
	var victim uint64
	var least window
	seen, before := 0, len(s.open)
	for hash, w := range s.open { // iteration starts at a random key
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
		s.open, s.sweepAt, s.dropped = map[uint64]window{}, min(minRoom, s.max), 0
		s.mu.Unlock()
	}
}

// Usage is the number of keys.
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
