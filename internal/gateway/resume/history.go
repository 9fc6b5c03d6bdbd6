package resume

import (
	"slices"
	"sort"
	"sync"

	"github.com/bellhop/bellhop/internal/events"
)

// history is what this node has heard of the history that all nodes share.
type history struct {
	// mu is held while an event is handed out. Whoever holds it finds every session in the same state: all have heard what
	// stands up to position, and nothing after it.
	mu       sync.Mutex
	position events.Position // zero: no history is shared, or nobody knows how far it was heard
	count    uint64          // of events that were heard
	recent   recent          // the end of the history
	doubts   []doubt
}

// Lock is held while an event is handed out, so that nobody sees some of the sessions before it and some behind it.
func (h *history) Lock() { h.mu.Lock() }

// Unlock lets others see how sessions stand.
func (h *history) Unlock() { h.mu.Unlock() }

// Note takes down that the history has come as far as an event. The node is locked.
func (n *Node) Note(e *events.Event) {
	switch {
	case n.Sessions == nil || e.Position.IsZero():
	case e.Position == n.position: // where the history was is there again
		n.keeper.again()
	case n.position.IsZero(): // what was before is not known
		n.position, n.recent = e.Position, recent{before: e.Position}
		n.keeper.rouse()
	default:
		n.position = e.Position
		n.count++
		n.recent.add(e)
	}
}

// Lost takes down that events were lost: nobody knows how far the history was heard. The node is locked.
func (n *Node) Lost() { n.position, n.recent = events.Position{}, recent{} }

// knows reports whether it is known how far the history was heard.
func (h *history) knows() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return !h.position.IsZero()
}

// Bounds on how much of the history a node keeps in memory, for sessions that come to it. What is older is read from where
// nodes share it.
const (
	maxRecent      = 16 << 10
	maxRecentBytes = 16 << 20
)

// recent is the end of the history that nodes share.
type recent struct {
	before events.Position // of the last event that is not held
	list   []events.Event
	gone   int // of list, at its beginning
	bytes  int
}

func (r *recent) add(e *events.Event) {
	if r.gone > 0 && len(r.list) == cap(r.list) && r.gone >= len(r.list)/2 {
		r.list, r.gone = slices.Delete(r.list, 0, r.gone), 0 // rather than more room
	}
	r.list = append(r.list, *e)
	r.bytes += weight(e)
	for len(r.list)-r.gone > maxRecent || r.bytes > maxRecentBytes {
		oldest := &r.list[r.gone]
		r.before = oldest.Position
		r.bytes -= weight(oldest)
		*oldest = events.Event{}
		r.gone++
	}
}

// weight is roughly what an event takes.
func weight(e *events.Event) int { return 512 + len(e.Data) + len(e.Reduced) }

// after returns the events behind a position, at most so many, and false when some of them are not held.
func (r *recent) after(p events.Position, most int) ([]events.Event, bool) {
	if p.Before(r.before) {
		return nil, false
	}
	held := r.list[r.gone:]
	i := sort.Search(len(held), func(i int) bool { return p.Before(held[i].Position) })
	return slices.Clone(held[i:min(i+most, len(held))]), true
}
