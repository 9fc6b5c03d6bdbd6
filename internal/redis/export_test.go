package redis

// KeepHistory makes a relay that is not running yet keep fewer events.
func (r *Relay) KeepHistory(n int) { r.trimPoint.keep = n }

// OutboxSize is how many events wait in memory while Redis is not available.
const OutboxSize = maxWaitingItems
