package probe

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

const (
	// burst is a number of list requests above the limit of two windows of one second.
	burst = 12
	// freshWindow is the time after which earlier requests of other clients with the same token no longer count. The
	// library does not know about them.
	freshWindow = 1100 * time.Millisecond
	// burstTime is the shortest duration of a burst that respects the limit.
	burstTime = time.Second
)

// limitSteps check that the library respects rate limits.
func (s *session) limitSteps() []step {
	return []step{{"limits: a burst is served in the end", s.burst}}
}

// burst sends more requests than the limit allows at once. The library must wait as the headers say, so that no request
// fails.
func (s *session) burst() error {
	time.Sleep(freshWindow)
	refused := s.answers.refused()
	failed := make([]error, burst)
	began := time.Now()
	var wg sync.WaitGroup
	for i := range failed {
		wg.Go(func() { _, failed[i] = s.client.List("", "") })
	}
	wg.Wait()
	if took := time.Since(began); took < burstTime {
		return fmt.Errorf("%d lists took %v: the limit did not slow them down", burst, took)
	}
	if n := s.answers.refused() - refused; n > 0 {
		return fmt.Errorf("%d of %d lists got 429, want none: the library has the headers", n, burst)
	}
	return errors.Join(failed...)
}
