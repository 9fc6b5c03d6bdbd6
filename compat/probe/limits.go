package probe

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

const (
	// burst is more lists than the service allows in two windows of a second each.
	burst = 12
	// freshWindow is how long it takes until what others sent with the same identity no longer counts: the library cannot
	// know of that.
	freshWindow = 1100 * time.Millisecond
	// burstTime is what a burst takes at least when the library keeps to the limit.
	burstTime = time.Second
)

// limitSteps check how the library gets along with rate limits.
func (s *session) limitSteps() []step {
	return []step{{"limits: a burst is served in the end", s.burst}}
}

// burst asks for more than is allowed at once. The library is to wait as the headers tell it: nothing is refused.
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
		return fmt.Errorf("%d lists in %v: no limit was met", burst, took)
	}
	if n := s.answers.refused() - refused; n > 0 {
		return fmt.Errorf("%d of %d lists were refused: the headers told the library what to wait for", n, burst)
	}
	return errors.Join(failed...)
}
