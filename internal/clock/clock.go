// Package clock tells the time: the machine's, or one that can be moved forward. It is the only package that asks the
// machine.
package clock

import (
	"context"
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

// Wait returns once d has passed on c, or when ctx ends.
func Wait(ctx context.Context, c Clock, d time.Duration) {
	passed := make(chan struct{})
	t := c.AfterFunc(d, func() { close(passed) })
	select {
	case <-passed:
	case <-ctx.Done():
		t.Stop()
	}
}

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
	base   Clock
	moving sync.Mutex // held while the clock is moved

	mu     sync.Mutex
	ahead  time.Duration
	asked  uint64
	timers map[*alarm]struct{} // those that have not fired
}

// alarm is a timer of a Movable. Its base timer fires it when nobody moves the clock past its due time.
type alarm struct {
	due   time.Time
	order uint64 // of asking: breaks ties
	fn    func()
	base  *Timer // guarded by the clock
}

// NewMovable returns a clock that shows what base shows until it is moved.
func NewMovable(base Clock) *Movable {
	return &Movable{base: base, timers: map[*alarm]struct{}{}}
}

// Now returns base's time and what the clock was moved ahead of it.
func (m *Movable) Now() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.now()
}

// Moved reports whether the clock is ahead of its base.
func (m *Movable) Moved() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.ahead != 0
}

func (m *Movable) now() time.Time { return m.base.Now().Add(m.ahead) }

// AfterFunc calls fn once the clock has passed d, by itself or by Advance.
func (m *Movable) AfterFunc(d time.Duration, fn func()) *Timer {
	m.mu.Lock()
	defer m.mu.Unlock()
	a := &alarm{due: m.now().Add(d), order: m.asked, fn: fn}
	m.asked++
	m.timers[a] = struct{}{}
	m.arm(a)
	return &Timer{stop: func() bool { return m.take(a) }}
}

func (m *Movable) arm(a *alarm) {
	a.base = m.base.AfterFunc(a.due.Sub(m.now()), func() {
		if m.take(a) {
			a.fn()
		}
	})
}

// take claims the right to fire a or to call it off.
func (m *Movable) take(a *alarm) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, waiting := m.timers[a]
	if waiting {
		delete(m.timers, a)
		a.base.Stop()
	}
	return waiting
}

// Advance moves the clock d ahead. Every call that falls due on the way is made in the order of the due times, each
// with the clock at its due time, and has returned when Advance returns.
func (m *Movable) Advance(d time.Duration) {
	m.moving.Lock()
	defer m.moving.Unlock()
	end := m.Now().Add(d)
	for {
		a := m.dueBy(end)
		if a == nil {
			break
		}
		a.fn()
	}
	m.moveTo(func() time.Duration { return max(m.ahead, end.Sub(m.base.Now())) })
}

// Reset takes back every Advance: the clock shows again what its base shows.
func (m *Movable) Reset() {
	m.moving.Lock()
	defer m.moving.Unlock()
	m.moveTo(func() time.Duration { return 0 })
}

func (m *Movable) moveTo(ahead func() time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ahead = ahead()
	for a := range m.timers {
		a.base.Stop()
		m.arm(a)
	}
}

// dueBy claims the first timer that is due by end and moves the clock to it.
func (m *Movable) dueBy(end time.Time) *alarm {
	m.mu.Lock()
	defer m.mu.Unlock()
	var due []*alarm
	for a := range m.timers {
		if !a.due.After(end) {
			due = append(due, a)
		}
	}
	if len(due) == 0 {
		return nil
	}
	first := slices.MinFunc(due, func(a, b *alarm) int {
		if c := a.due.Compare(b.due); c != 0 {
			return c
		}
		return int(a.order) - int(b.order)
	})
	delete(m.timers, first)
	first.base.Stop()
	m.ahead = max(m.ahead, first.due.Sub(m.base.Now()))
	return first
}
