package clock_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
)

func TestMovableAdvance(t *testing.T) {
	t.Parallel()

	t.Run("fires what falls due, in order, at its time", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			m := clock.NewMovable(clock.System{})
			start := m.Now()
			var fired []string
			note := func(name string, at time.Duration) func() {
				return func() {
					fired = append(fired, name)
					if got := m.Now().Sub(start); got != at {
						t.Errorf("%s fired at %v, want %v", name, got, at)
					}
				}
			}
			m.AfterFunc(3*time.Hour, note("late", 3*time.Hour))
			m.AfterFunc(time.Hour, note("first", time.Hour))
			m.AfterFunc(2*time.Hour, func() {
				note("second", 2*time.Hour)()
				m.AfterFunc(30*time.Minute, note("asked on the way", 150*time.Minute))
			})
			m.AfterFunc(time.Hour, note("same time, asked later", time.Hour))
			m.Advance(160 * time.Minute)
			want := []string{"first", "same time, asked later", "second", "asked on the way"}
			if !slices.Equal(fired, want) {
				t.Errorf("fired %q, want %q", fired, want)
			}
			if got := m.Now().Sub(start); got != 160*time.Minute {
				t.Errorf("clock moved %v, want 160m", got)
			}
		})
	})

	t.Run("waits for a call in progress, and for what it asks for", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			m := clock.NewMovable(clock.System{})
			done := false
			m.AfterFunc(time.Second, func() {
				time.Sleep(time.Second)
				m.AfterFunc(time.Minute, func() { done = true })
			})
			time.Sleep(time.Second)
			synctest.Wait() // now the call is in progress
			m.Advance(time.Hour)
			if !done {
				t.Error("Advance returned before the call that a call in progress asked for")
			}
		})
	})

	t.Run("what is left fires by itself after the rest of its time", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			m := clock.NewMovable(clock.System{})
			began := time.Now()
			done := make(chan time.Duration, 1)
			m.AfterFunc(10*time.Second, func() { done <- time.Since(began) })
			m.Advance(4 * time.Second)
			if got := <-done; got != 6*time.Second {
				t.Errorf("fired after %v of real time, want 6s", got)
			}
		})
	})

	t.Run("a stopped timer does not fire", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			m := clock.NewMovable(clock.System{})
			timer := m.AfterFunc(time.Second, func() { t.Error("fired") })
			if !timer.Stop() {
				t.Error("Stop() = false before the timer fired")
			}
			m.Advance(time.Minute)
			time.Sleep(time.Minute)
			if timer.Stop() {
				t.Error("Stop() = true twice")
			}
		})
	})

	t.Run("reset shows the base's time again", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			m := clock.NewMovable(clock.System{})
			m.Advance(time.Hour)
			began := time.Now()
			done := make(chan time.Duration, 1)
			m.AfterFunc(time.Second, func() { done <- time.Since(began) })
			m.Reset()
			if !m.Now().Equal(time.Now()) {
				t.Errorf("Now() = %v, want %v", m.Now(), time.Now())
			}
			if got := <-done; got != time.Hour+time.Second {
				t.Errorf("timer fired after %v, want at its due time", got)
			}
		})
	})
}

func TestWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := clock.NewMovable(clock.System{})
		began := time.Now()
		clock.Wait(t.Context(), m, time.Minute)
		if got := time.Since(began); got != time.Minute {
			t.Errorf("Wait() returned after %v, want 1m", got)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began = time.Now()
		clock.Wait(ctx, m, time.Hour)
		if got := time.Since(began); got != time.Second {
			t.Errorf("Wait() returned after %v, want with its context", got)
		}
	})
}
