package command

import (
	"fmt"
	"time"
)

// Max returns how many commands of the type one scope may hold.
func (t Type) Max() int {
	switch t {
	case ChatInput:
		return 100
	case User, Message:
		return 15
	case PrimaryEntryPoint:
		return 1
	default:
		return 0
	}
}

// LimitError says that a scope would hold too many commands of a type.
type LimitError struct {
	Type Type
	Max  int
}

// Error tells the limit.
func (e *LimitError) Error() string {
	return fmt.Sprintf("maximum number of application commands reached (%d)", e.Max)
}

// CheckCounts returns a *LimitError when a scope may not hold commands of these types together. Of several limits that
// are passed it tells the one of the lowest type.
func CheckCounts(types ...Type) error {
	var counts [PrimaryEntryPoint + 1]int
	for _, t := range types {
		if t <= PrimaryEntryPoint { // there are no others
			counts[t]++
		}
	}
	for t := ChatInput; t <= PrimaryEntryPoint; t++ {
		if counts[t] > t.Max() {
			return &LimitError{Type: t, Max: t.Max()}
		}
	}
	return nil
}

// How many commands may be created in a scope, and in what time.
const (
	MaxCreates   = 200
	CreateWindow = 24 * time.Hour
)

// Quota counts the commands that were created in a scope. Its zero value has counted none.
type Quota struct {
	Since time.Time // when the first one that counts was created
	Used  int
}

// QuotaError says that no more commands may be created for now.
type QuotaError struct {
	Max        int
	RetryAfter time.Duration
}

// Error tells the limit.
func (e *QuotaError) Error() string {
	return fmt.Sprintf("max number of daily application command creates has been reached (%d)", e.Max)
}

// Take returns the quota after n more creates, or a *QuotaError when that many are not left. The window of a day begins
// with the first create after the last window ended.
func (q Quota) Take(n int, now time.Time) (Quota, error) {
	if n <= 0 {
		return q, nil
	}
	next := q
	if q.Used == 0 || !now.Before(q.Since.Add(CreateWindow)) {
		next = Quota{Since: now}
	}
	if next.Used+n > MaxCreates {
		return q, &QuotaError{Max: MaxCreates, RetryAfter: next.Since.Add(CreateWindow).Sub(now)}
	}
	next.Used += n
	return next, nil
}
