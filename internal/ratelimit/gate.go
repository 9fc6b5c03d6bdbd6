package ratelimit

import (
	"math"
	"sync/atomic"
)

// Gate bounds how many requests are under way at once, of one caller and of all together. It never waits. It is safe
// for concurrent use.
type Gate struct {
	rule    GateRule
	all     atomic.Int64
	callers shards // those with requests under way
}

// Passage is how a request fares at a Gate.
type Passage uint8

// The passages.
const (
	Entered    Passage = iota // it may go on, and leaves in the end
	CallerFull                // its caller has too many under way
	AllFull                   // the service has too many under way
)

// NewGate returns a gate that holds rule.
func NewGate(rule GateRule) *Gate {
	g := &Gate{rule: rule, callers: newShards(keysPerPart * maxParts)}
	for i := range g.callers.parts {
		g.callers.parts[i].most = 1 << 30 // the requests under way are the bound, not the table
	}
	return g
}

// Enter lets a request of k in or says what is full. Every request that entered leaves once, with the same key.
func (g *Gate) Enter(k Key) Passage {
	if g.rule.Caller == 0 {
		if !g.enterAll() {
			return AllFull
		}
		return Entered
	}
	d, p := g.callers.locate(k)
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.find(d)
	if s != nil && int(s.count) >= g.rule.Caller {
		return CallerFull
	}
	if !g.enterAll() {
		return AllFull
	}
	if s == nil {
		s = p.add(d, 0)
		s.ends = math.MaxInt64
	}
	s.count++
	return Entered
}

// enterAll counts one request more unless there is no room. It does not count one and take it back, for which another
// could be turned away.
func (g *Gate) enterAll() bool {
	for {
		n := g.all.Load()
		if g.rule.All != 0 && n >= int64(g.rule.All) {
			return false
		}
		if g.all.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// Leave takes out a request of k that entered.
func (g *Gate) Leave(k Key) {
	g.all.Add(-1)
	if g.rule.Caller == 0 {
		return
	}
	d, p := g.callers.locate(k)
	p.mu.Lock()
	defer p.mu.Unlock()
	i, ok := p.lookup(d)
	if !ok {
		panic("ratelimit: a request leaves that has not entered")
	}
	s := &p.slots[i]
	s.count--
	if s.count == 0 {
		p.remove(i)
	}
}

// Inside returns how many requests are under way, and of how many callers where those are counted.
func (g *Gate) Inside() (requests, callers int) {
	return int(g.all.Load()), g.callers.usage().Keys
}
