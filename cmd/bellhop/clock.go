//go:build !faults

package main

import "github.com/bellhop/bellhop/internal/clock"

// nodeClock returns the clock of "bellhop serve". The tests of internal/cluster build with the tag "faults" and set it wrong.
func nodeClock() clock.Clock { return clock.System{} }
