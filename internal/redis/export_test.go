package redis

// KeepHistory makes a relay keep fewer events. It does not run yet.
func (r *Relay) KeepHistory(n int) { r.trail.keep = n }

// OutboxSize is how many events wait in memory while Redis is away.
const OutboxSize = outbox
