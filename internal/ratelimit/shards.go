package ratelimit

import (
	"math/bits"
	"sync"
)

// shards is a table of keys in parts that are locked apart.
type shards struct {
	secret
	parts []part // a power of two
}

// part is a share of the keys under a lock of its own, on cache lines of its own.
type part struct {
	mu sync.Mutex
	table
	_ [56]byte
}

const (
	maxParts    = 64
	keysPerPart = 4096 // below that, one lock more is not worth it
)

// newShards returns shards that hold at least keys live keys. Chance spreads keys unevenly, so every part has room for
// a quarter more than its share.
func newShards(keys int) shards {
	keys = max(keys, 1)
	s := shards{secret: newSecret()}
	s.parts = make([]part, powerOfTwo(min(max(keys/keysPerPart, 1), maxParts)))
	share := (keys + len(s.parts) - 1) / len(s.parts)
	if len(s.parts) > 1 {
		share += share/4 + 64
	}
	most := powerOfTwo(max((share*4+2)/3, 4))
	h := &hall{rooms: len(s.parts), size: most}
	for i := range s.parts {
		s.parts[i].table = table{most: most, hall: h, room: i}
	}
	return s
}

// powerOfTwo returns the smallest power of two that is not below n.
func powerOfTwo(n int) int { return 1 << bits.Len(uint(n-1)) }

// locate returns what stands for a key and the part that holds it, which goes by other bits than the table inside.
func (s *shards) locate(k Key) (digest, *part) {
	d := s.digest(k)
	return d, s.part(d)
}

func (s *shards) part(d digest) *part { return &s.parts[s.index(d)] }

func (s *shards) index(d digest) uint64 { return d.place >> 32 & uint64(len(s.parts)-1) }

// lock takes the locks of the parts of two keys in the order of the parts, so that no two callers wait for each other.
func (s *shards) lock(a, b digest) {
	first, second := s.index(a), s.index(b)
	if first > second {
		first, second = second, first
	}
	s.parts[first].mu.Lock()
	if first != second {
		s.parts[second].mu.Lock()
	}
}

func (s *shards) clear() {
	for i := range s.parts {
		p := &s.parts[i]
		p.mu.Lock()
		p.slots, p.used = nil, 0
		p.mu.Unlock()
	}
}

// Usage is how much memory serves for counting.
type Usage struct {
	Keys    int    // keys held, some of them expired
	Slots   int    // places for keys that memory was taken for
	Evicted uint64 // live keys that were dropped for want of room, ever
}

func (s *shards) usage() (u Usage) {
	for i := range s.parts {
		p := &s.parts[i]
		p.mu.Lock()
		u.Keys += p.used
		u.Slots += len(p.slots)
		u.Evicted += p.lost
		p.mu.Unlock()
	}
	return u
}
