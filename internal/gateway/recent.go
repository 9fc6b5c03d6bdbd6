package gateway

import (
	"slices"
	"sort"

	"github.com/bellhop/bellhop/internal/events"
)

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

// note takes down how far the history has come.
func (h *hub) note(e *events.Event) {
	switch {
	case h.Sessions == nil || e.Position.IsZero():
	case e.Position == h.position: // where the history was is there again
		h.keeper.again()
	case h.position.IsZero(): // what was before is not known
		h.position, h.recent = e.Position, recent{before: e.Position}
		h.keeper.rouse()
	default:
		h.position = e.Position
		h.count++
		h.recent.add(e)
	}
}

// knows reports whether it is known how far the history was heard.
func (h *hub) knows() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return !h.position.IsZero()
}
