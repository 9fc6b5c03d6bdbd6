package events

// Position is a place in the history of events that nodes share. The zero Position is none.
type Position struct{ Time, Count uint64 }

// IsZero reports whether p is no place at all.
func (p Position) IsZero() bool { return p == Position{} }

// Before reports whether p stands before o.
func (p Position) Before(o Position) bool {
	return p.Time < o.Time || p.Time == o.Time && p.Count < o.Count
}
