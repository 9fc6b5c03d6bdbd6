package clock

import (
	"sync"
	"time"
)

// Alarm is one timer for many due times: it fires at the earliest time that it was set to. The zero Alarm is ready to
// be started. It is safe for concurrent use.
type Alarm struct {
	mu    sync.Mutex
	call  func() // nil before Start and after Stop
	timer *Timer
	at    time.Time      // when timer fires; zero if it is not set
	calls sync.WaitGroup // in progress

	firing sync.Mutex // held while the function runs; locked before mu
}

// Start sets the function that is called when the alarm fires. Before Start and after Stop, Set does nothing.
func (a *Alarm) Start(call func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.call = call
}

// Stop stops the alarm and waits for a call in progress.
func (a *Alarm) Stop() {
	a.mu.Lock()
	a.call = nil
	if a.timer != nil {
		a.timer.Stop()
	}
	a.mu.Unlock()
	a.calls.Wait()
}

// Set makes the alarm fire at a time, unless it fires earlier anyway.
func (a *Alarm) Set(c Clock, at time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.call == nil || !a.at.IsZero() && !at.Before(a.at) {
		return
	}
	if a.timer != nil {
		a.timer.Stop()
	}
	a.at = at
	a.timer = c.AfterFunc(max(at.Sub(c.Now()), 0), func() { a.fire(at) })
}

// fire calls the function. Calls do not overlap: times that become due during a call cause one more call after it. If
// the function sets the alarm again, it does so before fire returns, so that Movable.Advance sees the next time.
func (a *Alarm) fire(at time.Time) {
	a.mu.Lock()
	if a.call == nil {
		a.mu.Unlock()
		return
	}
	a.calls.Add(1)
	a.mu.Unlock()
	defer a.calls.Done()
	a.firing.Lock()
	defer a.firing.Unlock()
	if call := a.take(at); call != nil {
		call()
	}
}

// take returns the function to call, or nil if the alarm was stopped or set to another time.
func (a *Alarm) take(at time.Time) func() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.at.Equal(at) {
		return nil
	}
	a.at = time.Time{}
	return a.call
}
