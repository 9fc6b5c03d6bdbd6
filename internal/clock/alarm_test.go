package clock_test

import (
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
)

func TestAlarm(t *testing.T) {
	t.Parallel()
	c := clock.NewMovable(clock.System{})
	start := c.Now()
	var a clock.Alarm
	var rung []time.Duration
	a.Set(c, start) // not started yet
	a.Start(func() {
		rung = append(rung, c.Now().Sub(start).Truncate(time.Minute))
		if len(rung) == 1 {
			a.Set(c, start.Add(30*time.Minute)) // becomes due within the same Advance
		}
	})
	a.Set(c, start.Add(20*time.Minute))
	a.Set(c, start.Add(10*time.Minute)) // earlier: replaces the other time
	a.Set(c, start.Add(40*time.Minute)) // later: ignored
	c.Advance(35 * time.Minute)
	if want := []time.Duration{10 * time.Minute, 30 * time.Minute}; !slices.Equal(rung, want) {
		t.Errorf("rung at %v, want %v", rung, want)
	}
	a.Set(c, start.Add(50*time.Minute))
	a.Stop()
	a.Set(c, start.Add(50*time.Minute))
	c.Advance(time.Hour)
	if len(rung) != 2 {
		t.Errorf("rung at %v after it was stopped", rung)
	}
}

// TestAlarmFiresOneAtATime checks that calls do not overlap.
func TestAlarmFiresOneAtATime(t *testing.T) {
	t.Parallel()
	var c clock.System
	var a clock.Alarm
	var ringing atomic.Int32
	var overlaps, rings int
	enough := make(chan struct{})
	a.Start(func() {
		if ringing.Add(1) > 1 {
			overlaps++
		}
		for range 50 {
			a.Set(c, c.Now()) // due at once
			runtime.Gosched()
		}
		if rings++; rings == 20 {
			close(enough)
		}
		ringing.Add(-1)
	})
	a.Set(c, c.Now())
	<-enough
	a.Stop()
	if overlaps > 0 {
		t.Errorf("the alarm rang %d times while it rang", overlaps)
	}
}
