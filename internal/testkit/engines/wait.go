package engines

import (
	"fmt"
	"os"
	"testing"
	"time"
)

// Receive returns the next value of a channel, or the zero value if the channel is closed. The test fails if there is none
// after 30 s. what says what the test waits for.
func Receive[T any](t testing.TB, what string, from <-chan T) (v T) {
	t.Helper()
	late := time.NewTimer(processTimeout)
	defer late.Stop()
	select {
	case v = <-from:
	case <-late.C:
		t.Fatalf("waited %v for %s", processTimeout, what)
	}
	return v
}

// Progress writes a line to standard error every 30 s until stop is called, for a program that may run longer than a test may
// wait. last returns the last output of the program.
func Progress(t testing.TB, last func() string) (stop func()) {
	began, every, done := time.Now(), time.NewTicker(processTimeout), make(chan struct{})
	go func() {
		for {
			select {
			case <-done:
				return
			case <-every.C:
				fmt.Fprintf(os.Stderr, "%s: %v, last output: %s\n", t.Name(), time.Since(began).Round(time.Second), last())
			}
		}
	}()
	return func() { every.Stop(); close(done) }
}
