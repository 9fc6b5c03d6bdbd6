package clock

import (
	"sync/atomic"
	"time"
)

// Synced is a clock that follows a clock that several machines share, such as that of a database server. Times that one
// machine stores and another one compares are then of the same clock. Between two measurements, and before the first one, it
// runs like base; a step of the machine's time does not move it. It is safe for concurrent use.
type Synced struct {
	base  Clock
	start time.Time     // time of base when the clock was made
	since time.Duration // elapsed time of base at that moment

	ahead atomic.Int64 // how far the shared clock is ahead, in nanoseconds
}

// NewSynced returns a clock that shows the time of base until the first measurement.
func NewSynced(base Clock) *Synced {
	return &Synced{base: base, start: base.Now(), since: Elapsed(base)}
}

// Now returns the time of the shared clock, as far as it is known. It steps back when the shared clock does.
func (s *Synced) Now() time.Time { return s.own().Add(s.Ahead()) }

// Elapsed returns the elapsed time of base.
func (s *Synced) Elapsed() time.Duration { return Elapsed(s.base) }

// AfterFunc calls fn after d. A measurement does not change when.
func (s *Synced) AfterFunc(d time.Duration, fn func()) *Timer { return s.base.AfterFunc(d, fn) }

// Ahead returns how far the shared clock is ahead of base.
func (s *Synced) Ahead() time.Duration { return time.Duration(s.ahead.Load()) }

// own returns the time of base without the steps that it made since the clock was made.
func (s *Synced) own() time.Time { return s.start.Add(Elapsed(s.base) - s.since) }

// Measure calls read, which returns the time of the shared clock, and sets the clock if it is certainly wrong: the shared
// clock showed its time at some moment during the call. So a slow call does not move a clock that is right, and the error
// after a call is at most half of its duration. Measure returns what read returned. Calls must not overlap.
func (s *Synced) Measure(read func() (time.Time, error)) (time.Time, error) {
	began := s.own()
	shared, err := read()
	ended := s.own()
	if err != nil {
		return shared, err
	}
	least, most := shared.Sub(ended), shared.Sub(began)
	if ahead := s.Ahead(); ahead < least || ahead > most {
		s.ahead.Store(int64(least + (most-least)/2))
	}
	return shared, nil
}
