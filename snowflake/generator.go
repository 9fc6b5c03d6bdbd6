package snowflake

import (
	"sync"
	"time"
)

const (
	counterBits = 12
	perMilli    = 1 << counterBits
	// MaxNode is the largest node number an id can carry.
	MaxNode = 1<<(timeShift-counterBits) - 1
)

// Generator makes ids that only grow: within a process always, over processes as long as each has its own node number
// and starts above the ceiling its predecessor was given. It is safe for concurrent use.
type Generator struct {
	node uint64
	now  func() time.Time

	mu      sync.Mutex
	last    uint64 // the counter and millisecond of the newest id, without the node
	ceiling uint64 // newest millisecond that may be used, 0 for none
}

// NewGenerator returns a generator for a node number. It asks now for the time and makes no id before floor.
func NewGenerator(node uint16, now func() time.Time, floor time.Time) *Generator {
	g := &Generator{node: uint64(node&MaxNode) << counterBits, now: now}
	g.last = milli(floor) << counterBits
	return g
}

// Limit keeps the ids that are made from now on at or before t, however far the clock jumps. A generator that is out
// of ids below its limit goes past it rather than stand still, by a millisecond for every 4096 ids.
func (g *Generator) Limit(t time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ceiling = milli(t)
}

// Next returns a new id, larger than every one before it.
func (g *Generator) Next() uint64 { return g.Run(1) }

// Run returns the first of n consecutive new ids, n at most 4096.
func (g *Generator) Run(n int) uint64 {
	if n < 1 || n > perMilli {
		panic("snowflake: run of ids out of range")
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

// id returns the id of a millisecond and counter.
func (g *Generator) id(at uint64) uint64 {
	return at>>counterBits<<timeShift | g.node | at&(perMilli-1)
}

// Observe makes every later id larger than id, which another node or another clock may have made.
func (g *Generator) Observe(id uint64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.id(g.last) < id {
		g.last = id>>timeShift<<counterBits | (perMilli - 1)
	}
}

// Used returns the moment up to which ids have been made.
func (g *Generator) Used() time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	return time.UnixMilli(int64(g.last>>counterBits) + Epoch).UTC()
}

func milli(t time.Time) uint64 {
	return uint64(max(t.UnixMilli()-Epoch, 0))
}
