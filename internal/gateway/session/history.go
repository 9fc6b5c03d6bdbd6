package session

import (
	"slices"
	"sort"
	"sync"

	"github.com/bellhop/bellhop/internal/store/events"
)

// history is the part of the shared event history that this node has delivered: the partitions of its sessions.
type history struct {
	// mu is held while an event is delivered. Under the lock, all sessions have received every event up to position and
	// none after it.
	mu          sync.Mutex
	position    events.Position // zero: there is no shared history, or the position is unknown
	count       uint64          // events delivered
	recent      recent          // the last events
	assumptions []assumption
}

// Lock locks the node. It is held while an event is delivered.
func (h *history) Lock() { h.mu.Lock() }

// Unlock unlocks the node.
func (h *history) Unlock() { h.mu.Unlock() }

// Advance records that an event is being delivered. The node is locked.
func (n *Node) Advance(e *events.Event) {
	switch {
	case n.Shared == nil || e.Position.IsZero():
	case e.Position == n.position: // Redis came back with the same position: states may be lost
		n.publisher.publishAll()
	case n.position.IsZero(): // the events before are unknown
		n.position, n.recent = e.Position, recent{before: e.Position}
		n.publisher.signal()
	case e.Name == "" && e.Data == nil && e.Change == nil: // there are no events for this node up to the position
		n.position = e.Position
	default:
		n.position = e.Position
		n.count++
		n.recent.add(e)
	}
}

// Reset records that events were lost, so that the position is unknown. The node is locked.
func (n *Node) Reset() { n.position, n.recent = events.Position{}, recent{} }

// isKnown reports whether the position is known.
func (h *history) isKnown() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return !h.position.IsZero()
}

// Bounds on the events in memory. Older events are read from the shared history.
const (
	maxRecent      = 16 << 10
	maxRecentBytes = 16 << 20
)

// recent holds the last events of the shared history.
type recent struct {
	before  events.Position // position of the last event that was dropped
	list    []events.Event
	dropped int // number of dropped events at the beginning of list
	bytes   int
}

func (r *recent) add(e *events.Event) {
	if r.dropped > 0 && len(r.list) == cap(r.list) && r.dropped >= len(r.list)/2 {
		r.list, r.dropped = slices.Delete(r.list, 0, r.dropped), 0 // reuse the space instead of growing
	}
	r.list = append(r.list, *e)
	r.bytes += memorySize(e)
	for len(r.list)-r.dropped > maxRecent || r.bytes > maxRecentBytes {
		oldest := &r.list[r.dropped]
		r.before = oldest.Position
		r.bytes -= memorySize(oldest)
		*oldest = events.Event{}
		r.dropped++
	}
}

// memorySize estimates the memory of an event.
func memorySize(e *events.Event) int { return 512 + len(e.Data) + len(e.Reduced) }

// after returns up to limit events after a position. It returns false if some of them were dropped.
func (r *recent) after(p events.Position, limit int) ([]events.Event, bool) {
	if p.Before(r.before) {
		return nil, false
	}
	held := r.list[r.dropped:]
	i := sort.Search(len(held), func(i int) bool { return p.Before(held[i].Position) })
	return slices.Clone(held[i:min(i+limit, len(held))]), true
}
