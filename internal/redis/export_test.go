package redis

// KeepHistory makes a relay keep fewer events. It does not run yet.
func (r *Relay) KeepHistory(n int) { r.trail.keep = n }

// Outbox is how many events wait while Redis is away.
const Outbox = outbox
