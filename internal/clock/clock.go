// Package clock provides the time: the system's, or a clock that can be moved forward. It is the only package that asks
// the system for the time.
package clock

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Clock tells the time and calls functions later.
type Clock interface {
	Now() time.Time
	// AfterFunc calls fn on a goroutine of its own once d has passed.
	AfterFunc(d time.Duration, fn func()) *Timer
}

// Elapsed returns how much time has passed on c since a fixed moment. Unlike the difference of two wall times it does not
// jump when the time of the machine is set, so timeouts are measured with it.
func Elapsed(c Clock) time.Duration {
	if e, ok := c.(interface{ Elapsed() time.Duration }); ok {
		return e.Elapsed()
	}
	return c.Now().Sub(started) // a clock of a test
}

// DeadlineNow returns the time of the machine. It is for the deadlines of contexts and connections, which the standard
// library compares with that time. Everything else asks an injected Clock.
func DeadlineNow() time.Time { return time.Now() }

// started is when the process started. It has a monotonic reading.
var started = time.Now()

// Timer is a scheduled call.
type Timer struct{ stop func() bool }

// NewTimer returns the timer of a clock that another package implements. stop cancels the call, as Timer.Stop does.
func NewTimer(stop func() bool) *Timer { return &Timer{stop} }

// Stop cancels the call and reports whether it had not begun. It does not wait for a call in progress.
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

// Pause returns once d has passed in real time, or when ctx ends. It is for pauses between attempts, which a moved clock
// does not shorten.
func Pause(ctx context.Context, d time.Duration) { Wait(ctx, System{}, d) }

// Deadline returns the time that is d away by the system's clock, for the deadline of a network connection.
func Deadline(d time.Duration) time.Time { return time.Now().Add(d) }

// System is the system's clock.
type System struct{}

// Now returns the system's time.
func (System) Now() time.Time { return time.Now() }

// Elapsed returns the time since the start of the process, by the monotonic clock.
func (System) Elapsed() time.Duration { return time.Since(started) }

// AfterFunc calls fn after d.
func (System) AfterFunc(d time.Duration, fn func()) *Timer {
	return &Timer{stop: time.AfterFunc(d, fn).Stop}
}

// Movable is a clock that follows another clock and can be moved ahead of it. It is safe for concurrent use.
type Movable struct {
	base   Clock
	moving sync.Mutex // held while the clock moves

	mu     sync.Mutex
	ahead  time.Duration
	asked  uint64
	timers map[*movableTimer]struct{} // timers that have not fired
	calls  int                        // calls of base timers in progress
	ended  sync.Cond                  // signals that such a call has ended
}

// movableTimer is a timer of a Movable. Its base timer fires it, unless the clock is moved past its due time first.
type movableTimer struct {
	due   time.Time
	order uint64 // order of creation, for timers with the same due time
	fn    func()
	base  *Timer // guarded by the clock's lock
}

// NewMovable returns a clock that shows the time of base until it is moved.
func NewMovable(base Clock) *Movable {
	m := &Movable{base: base, timers: map[*movableTimer]struct{}{}}
	m.ended.L = &m.mu
	return m
}

// Now returns the time of base plus the time that the clock was moved.
func (m *Movable) Now() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.now()
}

// Elapsed returns the elapsed time of base plus the time that the clock was moved.
func (m *Movable) Elapsed() time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	return Elapsed(m.base) + m.ahead
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
	a := &movableTimer{due: m.now().Add(d), order: m.asked, fn: fn}
	m.asked++
	m.timers[a] = struct{}{}
	m.arm(a)
	return &Timer{stop: func() bool { return m.take(a) }}
}

func (m *Movable) arm(a *movableTimer) {
	a.base = m.base.AfterFunc(a.due.Sub(m.now()), func() { m.fire(a) })
}

// fire makes the call of a timer whose base timer has fired.
func (m *Movable) fire(a *movableTimer) {
	m.mu.Lock()
	_, waiting := m.timers[a]
	if !waiting {
		m.mu.Unlock()
		return
	}
	delete(m.timers, a)
	m.calls++
	m.mu.Unlock()
	defer func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.calls--
		m.ended.Broadcast()
	}()
	a.fn()
}

// take removes a timer. It reports false if the timer has fired or was stopped.
func (m *Movable) take(a *movableTimer) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, waiting := m.timers[a]
	if waiting {
		delete(m.timers, a)
		a.base.Stop()
	}
	return waiting
}

// Advance moves the clock forward by d. It waits for calls in progress, which can set further timers. It makes every call
// that becomes due, in the order of the due times and with the clock at the due time, and waits for each.
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

// Reset undoes every Advance: the clock shows the time of its base again.
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

// dueBy waits until no call is in progress. It removes and returns the first timer that is due by end, and moves the
// clock to its due time.
func (m *Movable) dueBy(end time.Time) *movableTimer {
	m.mu.Lock()
	defer m.mu.Unlock()
	for m.calls > 0 {
		m.ended.Wait()
	}
	var due []*movableTimer
	for a := range m.timers {
		if !a.due.After(end) {
			due = append(due, a)
		}
	}
	if len(due) == 0 {
		return nil
	}
	first := slices.MinFunc(due, func(a, b *movableTimer) int {
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
