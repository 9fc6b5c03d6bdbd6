package ratelimit

import "sync"

// Gate bounds how many requests are under way at once, of one caller and of all together. It never waits. It is safe
// for concurrent use.
type Gate struct {
	rule GateRule

	mu      sync.Mutex
	all     int
	callers map[Key]int // requests under way; empty when the rule does not bound them
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
func NewGate(rule GateRule) *Gate { return &Gate{rule: rule, callers: map[Key]int{}} }

// Enter lets a request of k in or says what is full. Every request that entered leaves once, with the same key.
func (g *Gate) Enter(k Key) Passage {
	g.mu.Lock()
	defer g.mu.Unlock()
	own := 0
	if g.rule.Caller != 0 {
		own = g.callers[k]
	}
	switch {
	case g.rule.Caller != 0 && own >= g.rule.Caller:
		return CallerFull
	case g.rule.All != 0 && g.all >= g.rule.All:
		return AllFull
	}
	g.all++
	if g.rule.Caller != 0 {
		g.callers[k] = own + 1
	}
	return Entered
}

// Leave takes out a request of k that entered.
func (g *Gate) Leave(k Key) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.all--
	if g.rule.Caller == 0 {
		return
	}
	switch own := g.callers[k]; own {
	case 0:
		panic("ratelimit: a request leaves that has not entered")
	case 1:
		delete(g.callers, k)
	default:
		g.callers[k] = own - 1
	}
}

// Inside returns how many requests are under way, and of how many callers where those are counted.
func (g *Gate) Inside() (requests, callers int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.all, len(g.callers)
}
