package ratelimit

import (
	"context"
	"time"
)

// Claim is one request against one limit. The zero Claim asks for nothing and is always met.
type Claim struct {
	Key    Key
	Limit  int
	Window time.Duration
}

// IsZero reports whether the claim asks for nothing.
func (c Claim) IsZero() bool { return c.Limit == 0 }

// Result is how a window stands after a claim.
type Result struct {
	Allowed    bool          // the window had room
	Limit      int           // requests that the window takes; 0 for the zero Claim
	Remaining  int           // requests that it still takes after this one
	ResetAfter time.Duration // from the time of the request to the end of the window; 0 when none is open
}

// Limiter counts requests in fixed windows, exactly: never one more than the limit in a window and never one fewer,
// however many callers ask at once. It is safe for concurrent use.
type Limiter interface {
	// Take counts a request that arrives at now against both claims when both windows have room, and against neither
	// otherwise. A window starts with the first request that it counts. The two keys differ.
	//
	// A limiter that has lost sight of the windows it shares with others answers by what it knows alone: a request
	// never fails because of it. The context bounds how long it tries.
	Take(ctx context.Context, now time.Time, global, route Claim) (forGlobal, forRoute Result)
}

// Counter is a single window for one who is counted, such as a connection. It is not safe for concurrent use. Its zero
// value has counted nothing.
type Counter struct {
	ends  time.Time
	count int
}

// Take counts a request at now against r, which is the same in every call.
func (c *Counter) Take(r Rule, now time.Time) Result {
	if r.IsZero() {
		return Result{Allowed: true}
	}
	if !now.Before(c.ends) {
		c.ends, c.count = now.Add(r.Window), 0
	}
	allowed := c.count < r.Limit
	if allowed {
		c.count++
	}
	return Result{Allowed: allowed, Limit: r.Limit, Remaining: r.Limit - c.count, ResetAfter: c.ends.Sub(now)}
}
