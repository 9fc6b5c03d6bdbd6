package ratelimit

import (
	"context"
	"time"
)

// Memory is the Limiter of a single node. It keeps its windows in memory and forgets them when the process ends.
//
// It holds as many keys as it was made for. When more keys than that are live at once, a new key replaces one that has used
// little of its limit. A key that has used up its limit is dropped last.
type Memory struct {
	start   time.Time
	windows windows
}

var _ Limiter = (*Memory)(nil)

// NewMemory returns a limiter for at least keys live keys. Memory is taken as keys come in, up to 100 bytes for each.
// Times are measured from start; where start and the times of the calls come from the machine's clock, steps of the
// wall clock do not stretch or cut a window.
func NewMemory(keys int, start time.Time) *Memory {
	return &Memory{start: start, windows: newWindows(keys)}
}

// Take implements Limiter. The context is not asked: nothing here waits.
func (m *Memory) Take(_ context.Context, now time.Time, global, route Claim) (forGlobal, forRoute Result) {
	t := int64(now.Sub(m.start))
	switch {
	case global.IsZero():
		return Result{Allowed: true}, m.takeOne(t, route)
	case route.IsZero():
		return m.takeOne(t, global), Result{Allowed: true}
	}
	gp, rp := m.windows.place(global.Key), m.windows.place(route.Key)
	gs, rs := m.windows.lockBoth(gp, rp)
	defer unlockBoth(gs, rs)
	gw, rw := gs.open[gp.hash], rs.open[rp.hash]
	forGlobal, forRoute = global.compare(gw, t), route.compare(rw, t)
	if forGlobal.Allowed && forRoute.Allowed {
		gs.put(gp.hash, global.count(gw, t, &forGlobal), t)
		rs.put(rp.hash, route.count(rw, t, &forRoute), t)
	}
	return forGlobal, forRoute
}

func (m *Memory) takeOne(t int64, c Claim) Result {
	if c.IsZero() {
		return Result{Allowed: true}
	}
	p := m.windows.place(c.Key)
	s := m.windows.lock(p)
	defer s.mu.Unlock()
	w := s.open[p.hash]
	r := c.compare(w, t)
	if r.Allowed {
		s.put(p.hash, c.count(w, t, &r), t)
	}
	return r
}

// compare returns the result of a claim on a window at t, before the claim is counted. The zero window has ended.
func (c *Claim) compare(w window, t int64) Result {
	if w.limit == 0 || w.ends <= t {
		return Result{Allowed: true, Limit: c.Limit, Remaining: c.Limit}
	}
	left := max(c.Limit-int(w.count), 0)
	return Result{Allowed: left > 0, Limit: c.Limit, Remaining: left, ResetAfter: time.Duration(w.ends - t)}
}

// count returns the window after the claim, a new one when w has ended, and updates the result that compare returned.
func (c *Claim) count(w window, t int64, r *Result) window {
	if r.ResetAfter == 0 {
		w.ends, w.count = t+int64(c.Window), 0
		r.ResetAfter = c.Window
	}
	w.count++
	w.limit = uint32(c.Limit)
	r.Remaining--
	return w
}

// Clear forgets every window, as if nothing had been counted.
func (m *Memory) Clear() { m.windows.clear() }

// Usage returns what m holds now.
func (m *Memory) Usage() Usage { return m.windows.usage() }
