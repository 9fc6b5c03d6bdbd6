// Package clock tells the time: the machine's, or one that can be moved forward. It is the only package that asks the
// machine.
package clock

import (
	"slices"
	"sync"
	"time"
)

// Clock tells the time and calls back when it comes.
type Clock interface {
	Now() time.Time
	// AfterFunc calls fn on a goroutine of its own once d has passed.
	AfterFunc(d time.Duration, fn func()) *Timer
}

// Timer is a call that has been asked for.
type Timer struct{ stop func() bool }

// Stop calls the timer off and reports whether it had not fired yet. It does not wait for a call under way.
func (t *Timer) Stop() bool { return t.stop() }

// System is the machine's clock.
type System struct{}

// Now returns the machine's time.
func (System) Now() time.Time { return time.Now() }

// AfterFunc calls fn after d of the machine's time.
func (System) AfterFunc(d time.Duration, fn func()) *Timer {
	return &Timer{stop: time.AfterFunc(d, fn).Stop}
}

// Movable is a clock that runs with another and can be moved ahead of it. It is safe for concurrent use.
type Movable struct {
	base Clock

	mu     sync.Mutex
	ahead  time.Duration
	next   uint64 // breaks ties of due times in the order of asking
	timers map[*movableTimer]struct{}

	moving sync.Mutex // held by Advance
}

type movableTimer struct {
	due  time.Time
	seq  uint64
	fn   func()
	base *Timer
}

// NewMovable returns a clock that shows what base shows until it is moved.
func NewMovable(base Clock) *Movable {
	return &Movable{base: base, timers: map[*movableTimer]struct{}{}}
}

// Now returns base's time and what the clock was moved ahead of it.
func (m *Movable) Now() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.base.Now().Add(m.ahead)
}

// AfterFunc calls fn once the clock has passed d, by itself or by Advance.
func (m *Movable) AfterFunc(d time.Duration, fn func()) *Timer {
	m.mu.Lock()
	defer m.mu.Unlock()
	t := &movableTimer{due: m.base.Now().Add(m.ahead + d), seq: m.next, fn: fn}
	m.next++
	m.timers[t] = struct{}{}
	t.base = m.base.AfterFunc(d, func() {
		if m.take(t) {
			fn()
		}
	})
	return &Timer{stop: func() bool {
		taken := m.take(t)
		t.base.Stop()
		return taken
	}}
}

// take claims the right to fire t or to call it off.
func (m *Movable) take(t *movableTimer) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, waiting := m.timers[t]
	delete(m.timers, t)
	return waiting
}

// Advance moves the clock d ahead. Every call that falls due on the way is made in the order of the due times, each
// with the clock at its due time, and has returned when Advance returns.
func (m *Movable) Advance(d time.Duration) {
	m.moving.Lock()
	defer m.moving.Unlock()
	m.mu.Lock()
	end := m.base.Now().Add(m.ahead + d)
	m.mu.Unlock()
	for {
		t := m.dueBefore(end)
		if t == nil {
			break
		}
		t.base.Stop()
		t.fn()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ahead = max(m.ahead, end.Sub(m.base.Now()))
}

// dueBefore claims the first timer that is due by end and moves the clock to it.
func (m *Movable) dueBefore(end time.Time) *movableTimer {
	m.mu.Lock()
	defer m.mu.Unlock()
	var due []*movableTimer
	for t := range m.timers {
		if !t.due.After(end) {
			due = append(due, t)
		}
	}
	if len(due) == 0 {
		return nil
	}
	first := slices.MinFunc(due, func(a, b *movableTimer) int {
		if c := a.due.Compare(b.due); c != 0 {
			return c
		}
		return int(a.seq) - int(b.seq)
	})
	delete(m.timers, first)
	m.ahead = max(m.ahead, first.due.Sub(m.base.Now()))
	return first
}
