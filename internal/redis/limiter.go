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

// take counts a request in one window or two, in both or in none. Windows begin with the first request that they count, by
// the server's clock. For each it returns how many requests it has counted and how many milliseconds it lasts.
var take = rueidis.NewLuaScript(`
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

// giveBack takes a request out of a window that has counted it.
var giveBack = rueidis.NewLuaScript(`
if tonumber(redis.call('GET', KEYS[1]) or 0) > 0 then redis.call('DECR', KEYS[1]) end
return 0
`)

// Limiter is the ratelimit.Limiter that nodes share: it counts exactly, whichever node a request comes to. While Redis is
// away every node gives out its share of each limit.
type Limiter struct {
	Client *Client
	// Nodes returns how many nodes there are, this one included.
	Nodes func() int
	// Alone counts while Redis is away.
	Alone *ratelimit.Memory

	down      atomic.Int64 // when Redis may be asked again
	fallbacks atomic.Uint64
}

var _ ratelimit.Limiter = (*Limiter)(nil)

// Take counts a request against both claims when both windows have room, and against neither otherwise.
func (l *Limiter) Take(ctx context.Context, now time.Time, global, route ratelimit.Claim) (forGlobal, forRoute ratelimit.Result) {
	if global.IsZero() && route.IsZero() {
		return ratelimit.Result{Allowed: true}, ratelimit.Result{Allowed: true}
	}
	client, err := l.Client.reach()
	if err == nil && now.UnixNano() >= l.down.Load() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTime) // counted or not, whoever still waits
		defer cancel()
		forGlobal, forRoute, err = l.take(ctx, client, global, route)
		if err == nil {
			return forGlobal, forRoute
		}
		l.down.Store(now.Add(retry).UnixNano())
	}
	l.fallbacks.Add(1)
	return l.Alone.Take(ctx, now, l.share(global), l.share(route))
}

// share is what a node gives out of a limit when it cannot ask the others.
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
	case client.Mode() == rueidis.ClientModeCluster && global.Key.Place() != route.Key.Place():
		return l.apart(ctx, client, &global, &route)
	default:
		return l.count(ctx, client, &global, &route)
	}
}

// apart counts against two windows that a cluster keeps on different servers: what the first has counted is given back when
// the second is full.
func (l *Limiter) apart(
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
		err = giveBack.Exec(ctx, client, []string{l.key(counted)}, nil).Error()
	}
	return forGlobal, forRoute, err
}

// count counts against one window, or two that the same server keeps.
func (l *Limiter) count(
	ctx context.Context, client rueidis.Client, first, second *ratelimit.Claim,
) (one, two ratelimit.Result, err error) {
	keys := append(make([]string, 0, 2), l.key(first))
	args := append(make([]string, 0, 4), strconv.Itoa(first.Limit), strconv.FormatInt(first.Window.Milliseconds(), 10))
	if second != nil {
		keys = append(keys, l.key(second))
		args = append(args, strconv.Itoa(second.Limit), strconv.FormatInt(second.Window.Milliseconds(), 10))
	}
	answer, err := take.Exec(ctx, client, keys, args).AsIntSlice()
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

// result says how a window stands that had counted so many requests.
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
	return l.Client.prefix + ":limit:{" + c.Key.Place() + "}:" + c.Key.String()
}

// Collectors returns the limiter's numbers for the registry.
func (l *Limiter) Collectors() []prometheus.Collector {
	return []prometheus.Collector{prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "bellhop_ratelimit_fallbacks_total", Help: "Requests that were counted by this node alone because Redis was away.",
	}, func() float64 { return float64(l.fallbacks.Load()) })}
}
