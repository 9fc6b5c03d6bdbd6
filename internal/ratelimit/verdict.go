package ratelimit

import (
	"context"
	"time"
)

// Scope says which kind of limit refused a request.
type Scope uint8

// The scopes.
const (
	Allowed Scope = iota // none refused
	User                 // the caller's limit on a route
	Global               // the caller's limit on everything
	Shared               // a limit on the resource; no fault of the caller's
)

// Guard asks a limiter about requests. Both fields are required.
type Guard struct {
	Policy  *Policy
	Limiter Limiter
}

// Check counts a request of a group that c sent at now.
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
		// Where both refuse, the caller hears of the one that ends last: after that, it is let in.
		v.scope, v.result = Global, all
	default:
		v.scope, v.result = refusalScope(group), route
	}
	return v
}

func refusalScope(g Group) Scope {
	if groupTable[g].shared {
		return Shared
	}
	return User
}

// Refuse returns the verdict of a limit that refuses a request of a group at now for the given time, whatever the
// counts are: a fault to order.
func Refuse(g Group, scope Scope, retryAfter time.Duration, now time.Time) Verdict {
	return Verdict{
		scope:  scope,
		bucket: bucketOf(g, false),
		now:    now,
		result: Result{Limit: 1, ResetAfter: retryAfter},
	}
}

// Verdict is what became of a request, and what its caller is told. Its zero value lets the request in and tells
// nothing.
type Verdict struct {
	scope  Scope
	bucket bucket
	result Result // of the limit that the caller is told about
	now    time.Time
}

// Scope returns which kind of limit refused the request, Allowed for none.
func (v *Verdict) Scope() Scope { return v.scope }

// Result returns how the limit stands that the caller is told about: the one that refused or else that of the route;
// of a route without a limit of its own, the limit on everything.
func (v *Verdict) Result() Result { return v.result }

// resetMillis returns the milliseconds until the window ends, rounded up: whoever waits so long comes after the end.
func (v *Verdict) resetMillis() int64 {
	return max(ceil(int64(v.result.ResetAfter), int64(time.Millisecond)), 1)
}

// RetryAfter returns the whole seconds after which a refused request is worth another try.
func (v *Verdict) RetryAfter() int64 { return ceil(v.resetMillis(), 1000) }

// ceil returns n/d, rounded up. d is positive.
func ceil(n, d int64) int64 {
	q := n / d
	if n%d > 0 {
		q++
	}
	return q
}
