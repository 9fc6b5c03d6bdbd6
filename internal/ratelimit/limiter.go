package ratelimit

import (
	"context"
	"time"
)

// Claim is one request against one limit. The zero Claim is always allowed.
type Claim struct {
	Key    Key
	Limit  int
	Window time.Duration
}

// IsZero reports whether c is the zero Claim.
func (c Claim) IsZero() bool { return c.Limit == 0 }

// Result is the state of a window after a claim.
type Result struct {
	Allowed    bool          // the window had room
	Limit      int           // requests per window; 0 for the zero Claim
	Remaining  int           // requests left after this one
	ResetAfter time.Duration // time until the window ends; 0 if no window is open
}

// Limiter counts requests in fixed windows, exactly, for any number of concurrent callers. It is safe for concurrent
// use.
type Limiter interface {
	// Take counts a request at now against both claims if both windows have room, and against neither otherwise. A
	// window starts with the first request in it. The two keys differ.
	//
	// A limiter that cannot reach its shared state uses its own: a request never fails because of the limiter. The
	// context bounds how long it tries.
	Take(ctx context.Context, now time.Time, global, route Claim) (forGlobal, forRoute Result)
}

// Counter is a single window, for example of a connection. It is not safe for concurrent use. The zero value is ready.
type Counter struct {
	ends  time.Time
	count int
}

// Take counts a request at now against r, which must be the same in every call.
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
