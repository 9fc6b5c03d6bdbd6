package store

import (
	"sync"
	"time"

	"github.com/bellhop/bellhop/snowflake"
)

// The parts of an id below its milliseconds: ten bits for the node, twelve for a counter.
const (
	counterBits = 12
	timeShift   = 22
	perMilli    = 1 << counterBits
	// MaxNode is the largest node number.
	MaxNode = 1<<(timeShift-counterBits) - 1
)

// IDs generates increasing snowflakes. Ids are unique across processes if each process has its own node number and
// starts above the limit of the process that had the number before. It is safe for concurrent use.
type IDs struct {
	node uint64
	now  func() time.Time

	mu      sync.Mutex
	last    uint64 // the millisecond and counter of the newest id, without the node
	ceiling uint64 // the last millisecond that ids may use; 0: no limit
}

// NewIDs returns a generator for a node number. It reads the time from now and generates no id before floor.
func NewIDs(node uint16, now func() time.Time, floor time.Time) *IDs {
	g := &IDs{node: uint64(node&MaxNode) << counterBits, now: now}
	g.last = milli(floor) << counterBits
	return g
}

// Limit keeps later ids at or before t, even if the clock jumps. If all ids up to t are used, the ids exceed the
// limit, by one millisecond for every 4096 ids.
func (g *IDs) Limit(t time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ceiling = milli(t)
}

// Next returns a new id. It is larger than all ids before it.
func (g *IDs) Next() uint64 { return g.Run(1) }

// Run returns the first of n consecutive new ids, n at most 4096.
func (g *IDs) Run(n int) uint64 {
	if n < 1 || n > perMilli {
		panic("store: run of ids out of range")
	}
	now := milli(g.now())
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.ceiling != 0 {
		now = min(now, g.ceiling)
	}
	first := max(now<<counterBits, g.last+1)
	if first>>counterBits != (first+uint64(n)-1)>>counterBits {
		first = (first>>counterBits + 1) << counterBits
	}
	g.last = first + uint64(n) - 1
	return g.id(first)
}

// id returns the id for a millisecond and counter.
func (g *IDs) id(at uint64) uint64 {
	return at>>counterBits<<timeShift | g.node | at&(perMilli-1)
}

// Observe makes every later id larger than id, which may come from another node.
func (g *IDs) Observe(id uint64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.id(g.last) < id {
		g.last = id>>timeShift<<counterBits | (perMilli - 1)
	}
}

// Used returns the time of the newest id.
func (g *IDs) Used() time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	return time.UnixMilli(int64(g.last>>counterBits) + snowflake.Epoch).UTC()
}

func milli(t time.Time) uint64 {
	return uint64(max(t.UnixMilli()-snowflake.Epoch, 0))
}
