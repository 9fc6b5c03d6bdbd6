package events

// Position is a place in the history of events that nodes share: the time and count of an entry in it, and the index of an
// event among those of the entry. The zero Position is none.
type Position struct {
	Time  uint64 `json:"t"`
	Count uint64 `json:"n"`
	Index uint32 `json:"i,omitzero"`
}

// IsZero reports whether p is no place at all.
func (p Position) IsZero() bool { return p == Position{} }

// Before reports whether p stands before o.
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
