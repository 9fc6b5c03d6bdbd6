package ratelimit

import (
	"context"
	"time"
)

// Scope is the kind of limit that refused a request.
type Scope uint8

// The scopes.
const (
	Allowed Scope = iota // not refused
	User                 // the caller's limit on a route
	Global               // the global limit of the caller
	Shared               // the limit of a shared resource
)

// Guard checks requests against a policy. Both fields are required.
type Guard struct {
	Policy  *Policy
	Limiter Limiter
}

// Check counts a request of a group by c at now.
func (g *Guard) Check(ctx context.Context, group Group, c *Caller, now time.Time) Verdict {
	v := Verdict{now: now, bucket: g.Policy.bucket(group, c)}
	onAll, onRoute := g.Policy.Claims(group, c)
	if onAll.IsZero() && onRoute.IsZero() {
		return v
	}
	all, route := g.Limiter.Take(ctx, now, onAll, onRoute)
	switch {
	case all.Allowed && route.Allowed:
		v.result = route
		if onRoute.IsZero() {
			v.result = all
		}
	case route.Allowed || (!all.Allowed && all.ResetAfter > route.ResetAfter):
		// If both refuse, report the one that ends last: after that, the request is allowed.
		v.scope, v.result = Global, all
	default:
		v.scope, v.result = refusalScope(group), route
	}
	return v
}

// CheckRoute counts a request of a group by c at now against the limit of the group only.
func (g *Guard) CheckRoute(ctx context.Context, group Group, c *Caller, now time.Time) Verdict {
	v := Verdict{now: now, bucket: g.Policy.bucket(group, c), result: Result{Allowed: true}}
	if _, claim := g.Policy.Claims(group, c); !claim.IsZero() {
		_, v.result = g.Limiter.Take(ctx, now, Claim{}, claim)
	}
	if !v.result.Allowed {
		v.scope = refusalScope(group)
	}
	return v
}

func refusalScope(g Group) Scope {
	if groupTable[g].shared {
		return Shared
	}
	return User
}

// Refuse returns the verdict of a simulated limit that refuses a request of a group at now for the given time, whatever
// the counts are.
func Refuse(g Group, scope Scope, retryAfter time.Duration, now time.Time) Verdict {
	return Verdict{
		scope:  scope,
		bucket: bucketOf(g, false),
		now:    now,
		result: Result{Limit: 1, ResetAfter: retryAfter},
	}
}

// Verdict is the result of a check and what the caller learns about it. The zero value allows the request and sets no
// headers.
type Verdict struct {
	scope  Scope
	bucket bucket
	result Result // of the limit in the headers
	now    time.Time
}

// Scope returns the kind of limit that refused the request, or Allowed.
func (v *Verdict) Scope() Scope { return v.scope }

// Result returns the state of the limit in the headers: the one that refused, otherwise that of the route, or the
// global one if the route has none.
func (v *Verdict) Result() Result { return v.result }

// resetMillis returns the milliseconds until the window ends, rounded up.
func (v *Verdict) resetMillis() int64 {
	return max(ceil(int64(v.result.ResetAfter), int64(time.Millisecond)), 1)
}

// RetryAfter returns the seconds after which a refused request can be repeated, rounded up.
func (v *Verdict) RetryAfter() int64 { return ceil(v.resetMillis(), 1000) }

// ceil returns n/d, rounded up. d is positive.
func ceil(n, d int64) int64 {
	q := n / d
	if n%d > 0 {
		q++
	}
	return q
}
