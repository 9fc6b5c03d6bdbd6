package ratelimit

import "sync"

// Gate bounds the requests in progress, of one caller and in total. It never blocks. It is safe for concurrent use.
type Gate struct {
	rule GateRule

	mu      sync.Mutex
	all     int
	callers map[Key]int // requests in progress; empty if callers are not bounded
}

// Admission is the answer of a Gate.
type Admission uint8

// The answers of a Gate.
const (
	Entered    Admission = iota // the request may proceed and must leave in the end
	CallerFull                  // the caller has too many requests in progress
	AllFull                     // the service has too many requests in progress
)

// NewGate returns a gate.
func NewGate(rule GateRule) *Gate { return &Gate{rule: rule, callers: map[Key]int{}} }

// Enter admits a request of k, or returns what is full. Every admitted request must call Leave once, with the same key.
func (g *Gate) Enter(k Key) Admission {
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

// Leave ends a request of k.
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
