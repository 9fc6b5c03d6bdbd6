package store

import (
	"math/rand/v2"
	"sync"
	"time"
)

// A revision is a time, in ticks of 4 microseconds since 2015, followed by tagBits bits that name the process. Revisions
// fit into a signed 64-bit column until 2086.
const (
	revisionEpoch = 1420070400000000 // 2015-01-01
	tick          = 4
	tagBits       = 14
	// maxTicks bounds what the clock contributes to a revision, so that a clock that is wrong by decades leaves room for
	// larger revisions. It is a time in 2081.
	maxTicks = 1<<(63-tagBits) - 1<<45
	// A tag is a node number followed by saltBits random bits, or, without a node number, unnumbered plus random bits.
	saltBits   = 3
	unnumbered = 1 << (tagBits - 1)
)

// Revisions makes the revisions of one process. No revision is made twice, and no other process with another node number
// makes the same one, whatever the clocks show. It is safe for concurrent use.
type Revisions struct {
	mu   sync.Mutex
	tag  uint64
	last uint64 // ticks of the newest revision
}

// NewRevisions returns a generator for a process without a node number. A random tag makes it very unlikely, not
// impossible, that another process without a number makes the same revision. Such a process writes nothing but its node
// number, and reads it back before it relies on it.
func NewRevisions() *Revisions { return &Revisions{tag: unnumbered | rand.Uint64N(unnumbered)} }

// SetNode makes later revisions contain a node number. A few random bits distinguish the process from one that had the
// number before.
func (r *Revisions) SetNode(number uint16) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tag = uint64(number&MaxNode)<<saltBits | rand.Uint64N(1<<saltBits)
}

// next returns a revision that is larger than above and than all revisions before it.
func (r *Revisions) next(now time.Time, above uint64) uint64 {
	ticks := ticksOf(now)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last = max(ticks, r.last+1, above>>tagBits+1)
	return r.last<<tagBits | r.tag
}

func ticksOf(t time.Time) uint64 {
	return uint64(min(max(t.UnixMicro()-revisionEpoch, 0)/tick, maxTicks))
}

// firstRevision returns the smallest revision of a time.
func firstRevision(t time.Time) uint64 { return ticksOf(t) << tagBits }
