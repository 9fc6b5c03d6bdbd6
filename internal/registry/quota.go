package registry

import (
	"fmt"
	"time"

	"github.com/bellhop/bellhop/command"
)

// LimitError means that a scope would hold too many commands of a type.
type LimitError struct {
	Type command.Type
	Max  int
}

// Error returns the message with the limit.
func (e *LimitError) Error() string {
	return fmt.Sprintf("maximum number of application commands reached (%d)", e.Max)
}

// CheckCounts returns a *LimitError if a scope cannot hold commands of these types together. If several types exceed
// their limits, it reports the lowest type.
func CheckCounts(types ...command.Type) error {
	var counts [command.PrimaryEntryPoint + 1]int
	for _, t := range types {
		if t <= command.PrimaryEntryPoint {
			counts[t]++
		}
	}
	for t := command.ChatInput; t <= command.PrimaryEntryPoint; t++ {
		if counts[t] > t.Max() {
			return &LimitError{Type: t, Max: t.Max()}
		}
	}
	return nil
}

// A scope may create MaxCreates commands in each CreateWindow, unless Registry.DailyCreates is another number.
const (
	MaxCreates   = 200
	CreateWindow = 24 * time.Hour
)

// Quota counts the commands that were created in a scope. Its zero value has counted none.
type Quota struct {
	Since time.Time // when the window began
	Used  int
}

// QuotaError means that a scope can create no more commands until the window ends.
type QuotaError struct {
	Max        int
	RetryAfter time.Duration
}

// Error returns the message with the limit.
func (e *QuotaError) Error() string {
	return fmt.Sprintf("max number of daily application command creates has been reached (%d)", e.Max)
}

// Take returns the quota after n more creates, or a *QuotaError if fewer are left of most, the number for one window; 0
// means no limit. A new window begins with the first create after the last window ended.
func (q Quota) Take(n, most int, now time.Time) (Quota, error) {
	if n <= 0 {
		return q, nil
	}
	next := q
	if q.Used == 0 || !now.Before(q.Since.Add(CreateWindow)) {
		next = Quota{Since: now}
	}
	if most > 0 && next.Used+n > most {
		return q, &QuotaError{Max: most, RetryAfter: next.Since.Add(CreateWindow).Sub(now)}
	}
	next.Used += n
	return next, nil
}
