package ratelimit

import (
	"context"
	"time"
)

// Memory is the Limiter of a single node. It keeps its windows in memory.
//
// It holds a bounded number of keys. If there are more live keys, a new key replaces one that has used little of its
// limit. Keys that have used up their limit are dropped last.
type Memory struct {
	start   time.Time
	windows windows
}

var _ Limiter = (*Memory)(nil)

// NewMemory returns a limiter for at least the given number of live keys. It uses up to 100 bytes for each key in use.
// Times are measured from start. If start and the times of the calls come from the system's clock, changes of the wall
// clock do not change a window.
func NewMemory(keys int, start time.Time) *Memory {
	return &Memory{start: start, windows: newWindows(keys)}
}

// Take implements Limiter. It does not use the context, because it never waits.
func (m *Memory) Take(_ context.Context, now time.Time, global, route Claim) (forGlobal, forRoute Result) {
	t := int64(now.Sub(m.start))
	switch {
	case global.IsZero():
		return Result{Allowed: true}, m.takeOne(t, route)
	case route.IsZero():
		return m.takeOne(t, global), Result{Allowed: true}
	}
	gp, rp := m.windows.slot(global.Key), m.windows.slot(route.Key)
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
	p := m.windows.slot(c.Key)
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

// count returns the window after the claim, a new one if w has ended, and updates the result of compare.
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

// Record opens a window that ends after the given time and has counted so many requests, instead of the window that the
// key had.
func (m *Memory) Record(now time.Time, c Claim, count int, resetAfter time.Duration) {
	if c.IsZero() || resetAfter <= 0 {
		return
	}
	t := int64(now.Sub(m.start))
	p := m.windows.slot(c.Key)
	s := m.windows.lock(p)
	defer s.mu.Unlock()
	s.put(p.hash, window{ends: t + int64(resetAfter), count: uint32(count), limit: uint32(c.Limit)}, t)
}

// Clear forgets all windows.
func (m *Memory) Clear() { m.windows.clear() }

// Usage returns the number of keys.
func (m *Memory) Usage() Usage { return m.windows.usage() }
