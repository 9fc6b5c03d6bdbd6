package engines

import (
	"time"

	"github.com/bellhop/bellhop/internal/clock"
)

// PacedClock is a clock that runs slower or faster than that of the machine. A service with a slow clock does not reach its time
// limits, such as the 3 s that an app has to answer, so a test of it does not depend on the speed of the machine.
type PacedClock struct {
	start time.Time
	speed float64
}

var _ clock.Clock = PacedClock{}

// NewSlowClock returns a clock that runs ten times slower: 3 s become 30 s.
func NewSlowClock() PacedClock { return PacedClock{start: time.Now(), speed: 0.1} }

// NewFastClock returns a clock that runs a hundred times faster: 30 s become 0.3 s. It is for waits that a test expects to end at
// their time limit.
func NewFastClock() PacedClock { return PacedClock{start: time.Now(), speed: 100} }

// Now returns the time of the clock.
func (c PacedClock) Now() time.Time {
	return c.start.Add(time.Duration(float64(time.Since(c.start)) * c.speed))
}

// AfterFunc calls fn once d has passed on the clock.
func (c PacedClock) AfterFunc(d time.Duration, fn func()) *clock.Timer {
	const longest = 1000 * time.Hour // the multiplication must not overflow
	return clock.System{}.AfterFunc(time.Duration(min(float64(d)/c.speed, float64(longest))), fn)
}
