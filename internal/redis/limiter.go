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
// not available, every node allows its share of each limit.
type Limiter struct {
	Client *Client
	// Nodes returns the number of nodes.
	Nodes func() int
	// Local counts while Redis is not available.
	Local *ratelimit.Memory

	retryAt   atomic.Int64 // when Redis is tried again, in nanoseconds since 1970
	fallbacks atomic.Uint64
}

var _ ratelimit.Limiter = (*Limiter)(nil)

// Take counts a request against both claims if both windows have room, and against neither otherwise.
func (l *Limiter) Take(ctx context.Context, now time.Time, global, route ratelimit.Claim) (forGlobal, forRoute ratelimit.Result) {
	if global.IsZero() && route.IsZero() {
		return ratelimit.Result{Allowed: true}, ratelimit.Result{Allowed: true}
	}
	client, err := l.Client.conn()
	if err == nil && now.UnixNano() >= l.retryAt.Load() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), l.Client.callTime()) // count the request even if its caller disconnects
		defer cancel()
		forGlobal, forRoute, err = l.take(ctx, client, global, route)
		if err == nil {
			return forGlobal, forRoute
		}
		l.retryAt.Store(now.Add(retry).UnixNano())
	}
	l.fallbacks.Add(1)
	return l.Local.Take(ctx, now, l.share(global), l.share(route))
}

// share returns this node's part of a limit.
func (l *Limiter) share(c ratelimit.Claim) ratelimit.Claim {
	if !c.IsZero() {
		c.Limit = max(c.Limit/max(l.Nodes(), 1), 1)
	}
	return c
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
