package ratelimit

// Inside returns the number of requests in progress, and of callers if they are bounded.
func (g *Gate) Inside() (requests, callers int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.all, len(g.callers)
}
