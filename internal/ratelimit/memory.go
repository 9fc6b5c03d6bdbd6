package ratelimit

import (
	"context"
	"time"
)

// Memory is the Limiter of a single node. It keeps its windows in memory and forgets them when the process ends.
//
// It holds as many keys as it was made for. When more than that are live at once, a new one takes the place of one
// that has used little of its window; a key that has used up its limit goes last.
type Memory struct {
	start time.Time
	keys  shards
}

var _ Limiter = (*Memory)(nil)

// NewMemory returns a limiter for at least keys live keys. Memory is taken as keys come in, up to 110 bytes for each.
// Times are measured from start; where start and the times of the calls come from the machine's clock, steps of the
// wall clock do not stretch or cut a window.
func NewMemory(keys int, start time.Time) *Memory {
	return &Memory{start: start, keys: newShards(keys)}
}

// Take implements Limiter. The context is not asked: nothing here waits.
func (m *Memory) Take(_ context.Context, now time.Time, global, route Claim) (forGlobal, forRoute Result) {
	return m.take(now, &global, &route)
}

func (m *Memory) take(now time.Time, global, route *Claim) (forGlobal, forRoute Result) {
	t := int64(now.Sub(m.start))
	switch {
	case global.IsZero() && route.IsZero():
		return Result{Allowed: true}, Result{Allowed: true}
	case global.IsZero():
		return Result{Allowed: true}, m.takeOne(t, route)
	case route.IsZero():
		return m.takeOne(t, global), Result{Allowed: true}
	default:
		return m.takeBoth(t, global, route)
	}
}

func (m *Memory) takeOne(t int64, c *Claim) Result {
	k, p := m.keys.locate(c.Key)
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.find(k)
	r := c.stand(s, t)
	if r.Allowed {
		c.count(p, s, k, t, &r)
	}
	return r
}

func (m *Memory) takeBoth(t int64, global, route *Claim) (forGlobal, forRoute Result) {
	gk, gp := m.keys.locate(global.Key)
	rk, rp := gk, gp
	if global.Key.besides(&route.Key) {
		rk.mark = m.keys.mark(route.Key)
	} else {
		rk, rp = m.keys.locate(route.Key)
	}
	m.keys.lock(gk, rk)
	gs, rs := gp.find(gk), rp.find(rk)
	forGlobal, forRoute = global.stand(gs, t), route.stand(rs, t)
	switch {
	case !forGlobal.Allowed || !forRoute.Allowed:
	case gs != nil: // a key that is new moves others of its part, so one that is not comes first
		global.count(gp, gs, gk, t, &forGlobal)
		route.count(rp, rs, rk, t, &forRoute)
	default:
		route.count(rp, rs, rk, t, &forRoute)
		global.count(gp, gs, gk, t, &forGlobal)
	}
	gp.mu.Unlock()
	if rp != gp {
		rp.mu.Unlock()
	}
	return forGlobal, forRoute
}

// stand returns how the window of a claim stands before the claim is counted. s is nil when there is none.
func (c *Claim) stand(s *slot, t int64) Result {
	if s == nil || s.ends <= t {
		return Result{Allowed: true, Limit: c.Limit, Remaining: c.Limit}
	}
	left := max(c.Limit-int(s.count), 0)
	return Result{Allowed: left > 0, Limit: c.Limit, Remaining: left, ResetAfter: time.Duration(s.ends - t)}
}

// count counts the claim in p and brings r, which stand returned, up to date.
func (c *Claim) count(p *part, s *slot, k digest, t int64, r *Result) {
	if s == nil {
		s = p.add(k, t)
	}
	if r.ResetAfter == 0 {
		s.ends, s.count = t+int64(c.Window), 0
		r.ResetAfter = c.Window
	}
	s.count++
	s.limit = uint32(c.Limit)
	r.Remaining--
}

// Clear forgets every window, as if nothing had been counted.
func (m *Memory) Clear() { m.keys.clear() }

// Usage returns what m holds now.
func (m *Memory) Usage() Usage { return m.keys.usage() }
