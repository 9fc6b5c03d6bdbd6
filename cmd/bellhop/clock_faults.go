//go:build faults

package main

import (
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
)

// wrongClock is a clock that is ahead of the time of the system, or behind if ahead is negative.
type wrongClock struct {
	clock.System
	ahead time.Duration
}

// Now returns the wrong time.
func (c wrongClock) Now() time.Time { return c.System.Now().Add(c.ahead) }

// nodeClock returns a clock that is ahead by the duration in BELLHOP_TEST_CLOCK_AHEAD. It also lets a write beyond a limit on the
// size of files fail instead of ending the process. The tests use such a limit as a full disk.
func nodeClock() clock.Clock {
	signal.Ignore(syscall.SIGXFSZ)
	ahead, err := time.ParseDuration(os.Getenv("BELLHOP_TEST_CLOCK_AHEAD"))
	if err != nil {
		return clock.System{}
	}
	return wrongClock{ahead: ahead}
}
