package redis

import (
	"context"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/rueidis"
)

// takeScript counts a request in one window or two, in both or in none. A window begins with the first request in it,
// by the server's clock. For each window it returns the requests counted before and the remaining milliseconds.
var takeScript = rueidis.NewLuaScript(`
local counts, room = {}, true
for i, key in ipairs(KEYS) do
  counts[i] = tonumber(redis.call('GET', key) or 0)
  room = room and counts[i] < tonumber(ARGV[2*i-1])
end
local answer = {room and 1 or 0}
for i, key in ipairs(KEYS) do
  if room and counts[i] == 0 then
    redis.call('SET', key, 1, 'PX', ARGV[2*i])
  elseif room then
    redis.call('INCR', key)
  end
  answer[2*i] = counts[i]
  answer[2*i+1] = redis.call('PTTL', key)
end
return answer
`)

// giveBackScript removes a request from a window that has counted it.
var giveBackScript = rueidis.NewLuaScript(`
if tonumber(redis.call('GET', KEYS[1]) or 0) > 0 then redis.call('DECR', KEYS[1]) end
return 0
`)

// Limiter is a ratelimit.Limiter that all nodes share: it counts exactly, whichever node gets a request. While Redis is
// not available, every node allows its share of each limit (see share).
type Limiter struct {
	Client *Client
	// Nodes returns the number of nodes and the position of this node among them, from 0.
	Nodes func() (position, count int)
	// Local counts while Redis is not available.
	Local *ratelimit.Memory

	fallbacks atomic.Uint64
}

var _ ratelimit.Limiter = (*Limiter)(nil)

// Take counts a request against both claims if both windows have room, and against neither otherwise.
func (l *Limiter) Take(ctx context.Context, now time.Time, global, route ratelimit.Claim) (forGlobal, forRoute ratelimit.Result) {
	if global.IsZero() && route.IsZero() {
		return ratelimit.Result{Allowed: true}, ratelimit.Result{Allowed: true}
	}
	position, nodes := l.Nodes()
	if client, err := l.Client.conn(); err == nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), l.Client.callTime()) // count the request even if its caller disconnects
		defer cancel()
		forGlobal, forRoute, err = l.take(ctx, client, global, route)
		if err == nil {
			l.record(now, global, forGlobal, nodes)
			l.record(now, route, forRoute, nodes)
			return forGlobal, forRoute
		}
	}
	l.fallbacks.Add(1)
	ownGlobal, globalWait := share(global, position, nodes, now)
	ownRoute, routeWait := share(route, position, nodes, now)
	if globalWait > 0 || routeWait > 0 {
		return refuseUntil(ownGlobal, globalWait), refuseUntil(ownRoute, routeWait)
	}
	return l.Local.Take(ctx, now, ownGlobal, ownRoute)
}

// record remembers what all nodes have counted in a window. If Redis is lost before the window ends, each node allows its
// part of what is left of the limit.
func (l *Limiter) record(now time.Time, c ratelimit.Claim, r ratelimit.Result, nodes int) {
	if c.IsZero() {
		return
	}
	counted := c.Limit - r.Remaining
	c.Limit = max(c.Limit/nodes, 1)
	l.Local.Record(now, c, (counted+nodes-1)/nodes, r.ResetAfter)
}

// share returns this node's part of a limit: limit ÷ nodes, rounded down. If that is less than one request, nodes take
// turns. In each window of the clock as many nodes as the limit allows have a turn, and admit one request each. wait is the
// time until the next turn of this node, 0 during its turn. The parts of all nodes never exceed the limit.
func share(c ratelimit.Claim, position, nodes int, now time.Time) (own ratelimit.Claim, wait time.Duration) {
	if c.IsZero() || c.Limit >= nodes {
		c.Limit /= nodes
		return c, 0
	}
	limit := int64(c.Limit)
	c.Limit = 1
	turn := now.UnixNano() / int64(c.Window)
	for next := turn; ; next++ {
		first := next * limit % int64(nodes) // the position of the first node that has a turn
		if (int64(position)-first+int64(nodes))%int64(nodes) < limit {
			return c, max(time.Duration(next*int64(c.Window)-now.UnixNano()), 0)
		}
	}
}

// refuseUntil returns the result of a claim on a limit in which this node has no turn. It returns a result that allows the
// request if there is nothing to wait for.
func refuseUntil(c ratelimit.Claim, wait time.Duration) ratelimit.Result {
	if wait == 0 {
		return ratelimit.Result{Allowed: true, Limit: c.Limit, Remaining: c.Limit}
	}
	return ratelimit.Result{Limit: c.Limit, ResetAfter: wait}
}

func (l *Limiter) take(
	ctx context.Context, client rueidis.Client, global, route ratelimit.Claim,
) (forGlobal, forRoute ratelimit.Result, err error) {
	none := ratelimit.Result{Allowed: true}
	switch {
	case global.IsZero():
		forRoute, _, err = l.count(ctx, client, &route, nil)
		return none, forRoute, err
	case route.IsZero():
		forGlobal, _, err = l.count(ctx, client, &global, nil)
		return forGlobal, none, err
	case client.Mode() == rueidis.ClientModeCluster && global.Key.HashTag() != route.Key.HashTag():
		return l.countSeparately(ctx, client, &global, &route)
	default:
		return l.count(ctx, client, &global, &route)
	}
}

// countSeparately counts in two windows that a cluster keeps on different servers. If one is full, it removes the
// request from the other.
func (l *Limiter) countSeparately(
	ctx context.Context, client rueidis.Client, global, route *ratelimit.Claim,
) (forGlobal, forRoute ratelimit.Result, err error) {
	if forRoute, _, err = l.count(ctx, client, route, nil); err != nil {
		return forGlobal, forRoute, err
	}
	if forGlobal, _, err = l.count(ctx, client, global, nil); err == nil && forGlobal.Allowed == forRoute.Allowed {
		return forGlobal, forRoute, nil
	}
	counted := route
	result := &forRoute
	if forGlobal.Allowed {
		counted, result = global, &forGlobal
	}
	if result.Allowed {
		result.Remaining++
		err = giveBackScript.Exec(ctx, client, []string{l.key(counted)}, nil).Error()
	}
	return forGlobal, forRoute, err
}

// count counts in one window, or in two that the same server keeps.
func (l *Limiter) count(
	ctx context.Context, client rueidis.Client, first, second *ratelimit.Claim,
) (one, two ratelimit.Result, err error) {
	keys := append(make([]string, 0, 2), l.key(first))
	args := append(make([]string, 0, 4), strconv.Itoa(first.Limit), strconv.FormatInt(first.Window.Milliseconds(), 10))
	if second != nil {
		keys = append(keys, l.key(second))
		args = append(args, strconv.Itoa(second.Limit), strconv.FormatInt(second.Window.Milliseconds(), 10))
	}
	answer, err := takeScript.Exec(ctx, client, keys, args).AsIntSlice()
	if err != nil {
		return one, two, err
	}
	taken := answer[0] == 1
	one = result(first, taken, answer[1], answer[2])
	if second != nil {
		two = result(second, taken, answer[3], answer[4])
	}
	return one, two, nil
}

// result returns the state of a window that had counted so many requests before.
func result(c *ratelimit.Claim, taken bool, counted, left int64) ratelimit.Result {
	r := ratelimit.Result{
		Allowed: counted < int64(c.Limit), Limit: c.Limit, Remaining: max(c.Limit-int(counted), 0),
		ResetAfter: time.Duration(max(left, 0)) * time.Millisecond,
	}
	if taken {
		r.Remaining--
	}
	return r
}

func (l *Limiter) key(c *ratelimit.Claim) string {
	return l.Client.prefix + ":limit:{" + c.Key.HashTag() + "}:" + c.Key.String()
}

// Collectors returns the limiter's metrics.
func (l *Limiter) Collectors() []prometheus.Collector {
	return []prometheus.Collector{prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "bellhop_ratelimit_fallbacks_total", Help: "Requests that this node counted alone because Redis was not available.",
	}, func() float64 { return float64(l.fallbacks.Load()) })}
}
