package events

// Position is a position in the history of events that nodes share. Events are ordered by the number of the transaction
// that recorded them, then by their own number. The zero Position means none.
type Position struct {
	// History identifies the history. The numbers of two histories cannot be compared.
	History     uint64 `json:"h,omitzero"`
	Transaction uint64 `json:"x,omitzero"`
	Number      uint64 `json:"n,omitzero"`
}

// IsZero reports whether p is the zero Position.
func (p Position) IsZero() bool { return p == Position{} }

// Before reports whether p is before o, which is a position of the same history.
func (p Position) Before(o Position) bool {
	if p.Transaction != o.Transaction {
		return p.Transaction < o.Transaction
	}
	return p.Number < o.Number
}
