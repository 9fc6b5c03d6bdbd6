package events

// Position is a position in the shared history of events: the time and count that identify an entry, and the index of
// an event in it. The zero Position means none.
type Position struct {
	Time  uint64 `json:"t"`
	Count uint64 `json:"n"`
	Index uint32 `json:"i,omitzero"`
}

// IsZero reports whether p is the zero Position.
func (p Position) IsZero() bool { return p == Position{} }

// Before reports whether p is before o.
func (p Position) Before(o Position) bool {
	switch {
	case p.Time != o.Time:
		return p.Time < o.Time
	case p.Count != o.Count:
		return p.Count < o.Count
	default:
		return p.Index < o.Index
	}
}
