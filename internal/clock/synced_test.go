package clock_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
)

// steppedClock is the system's clock with a time that was set wrong.
type steppedClock struct {
	clock.System

	by *time.Duration
}

func (c steppedClock) Now() time.Time { return c.System.Now().Add(*c.by) }

func TestSynced(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		wrong := -31 * time.Second
		s := clock.NewSynced(steppedClock{by: &wrong})
		// measure reads a shared clock that is right. Each way of the call takes the given time.
		measure := func(to, from time.Duration) {
			t.Helper()
			got, err := s.Measure(func() (time.Time, error) {
				time.Sleep(to)
				now := time.Now()
				time.Sleep(from)
				return now, nil
			})
			if err != nil || got.After(time.Now()) {
				t.Fatalf("Measure() = %v, %v", got, err)
			}
		}
		off := func() time.Duration { return s.Now().Sub(time.Now().Round(0)) }
		if got := off(); got != wrong {
			t.Errorf("before the first measurement the clock is off by %v, want %v", got, wrong)
		}
		measure(10*time.Millisecond, 10*time.Millisecond)
		if got := off(); got != 0 {
			t.Errorf("after a measurement the clock is off by %v", got)
		}
		measure(2*time.Second, 0)
		measure(0, 2*time.Second)
		if got := off(); got != 0 {
			t.Errorf("slow measurements have moved the clock by %v", got)
		}
		wrong = time.Hour // the operator sets the time of the machine
		if got := off(); got != 0 {
			t.Errorf("a step of the machine's time has moved the clock by %v", got)
		}
		failed := errors.New("no answer")
		if _, err := s.Measure(func() (time.Time, error) { return time.Time{}, failed }); !errors.Is(err, failed) || off() != 0 {
			t.Errorf("a failed measurement returns %v and leaves the clock off by %v", err, off())
		}
	})
}

// TestSyncedTimers checks that a step of the shared clock moves the time and no timer.
func TestSyncedTimers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := clock.NewSynced(clock.System{})
		began, elapsed := time.Now(), clock.Elapsed(s)
		fired := make(chan time.Duration, 1)
		s.AfterFunc(time.Minute, func() { fired <- time.Since(began) })
		for _, step := range []time.Duration{time.Hour, -time.Hour} {
			if _, err := s.Measure(func() (time.Time, error) { return time.Now().Add(step), nil }); err != nil {
				t.Fatal(err)
			}
			if got := s.Now().Sub(time.Now().Round(0)); got != step {
				t.Errorf("the clock is %v ahead, want %v", got, step)
			}
			if got := clock.Elapsed(s) - elapsed; got != 0 {
				t.Errorf("Elapsed() has moved by %v", got)
			}
		}
		if got := <-fired; got != time.Minute {
			t.Errorf("the timer of a minute fired after %v", got)
		}
	})
}
