package clock

import (
	"sync"
	"time"
)

// Alarm is one timer for many things that fall due: it rings at the earliest moment it was set to. The zero Alarm is
// ready to be started. It is safe for concurrent use.
type Alarm struct {
	mu    sync.Mutex
	ring  func() // nil while nobody listens
	timer *Timer
	at    time.Time // when timer rings; zero: not set
	under sync.WaitGroup

	ringing sync.Mutex // held while it rings; taken before mu
}

// Start says what happens when the alarm rings. Before, and after Stop, it cannot be set.
func (a *Alarm) Start(ring func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ring = ring
}

// Stop ends the alarm and waits for what it has begun.
func (a *Alarm) Stop() {
	a.mu.Lock()
	a.ring = nil
	if a.timer != nil {
		a.timer.Stop()
	}
	a.mu.Unlock()
	a.under.Wait()
}

// Set makes the alarm ring at a moment unless it rings earlier anyway.
func (a *Alarm) Set(c Clock, at time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ring == nil || !a.at.IsZero() && !at.Before(a.at) {
		return
	}
	if a.timer != nil {
		a.timer.Stop()
	}
	a.at = at
	a.timer = c.AfterFunc(max(at.Sub(c.Now()), 0), func() { a.rings(at) })
}

// rings does what is due, one time after the other: what falls due while it rings waits, and then rings once. Whoever sets
// the alarm again while it rings does so before this returns, so that whoever moves the clock meets the next moment.
func (a *Alarm) rings(at time.Time) {
	a.mu.Lock()
	if a.ring == nil {
		a.mu.Unlock()
		return
	}
	a.under.Add(1)
	a.mu.Unlock()
	defer a.under.Done()
	a.ringing.Lock()
	defer a.ringing.Unlock()
	if ring := a.take(at); ring != nil {
		ring()
	}
}

// take returns what to do when the alarm rings at a moment: nothing when it has been stopped or set to another one.
func (a *Alarm) take(at time.Time) func() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.at.Equal(at) {
		return nil
	}
	a.at = time.Time{}
	return a.ring
}
