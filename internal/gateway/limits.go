package gateway

import (
	"context"
	"net/netip"
	"sync"
	"time"

	"github.com/bellhop/bellhop/internal/gateway/session"
	"github.com/bellhop/bellhop/internal/gateway/socket"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/snowflake"
)

// unlimitedConcurrency is the max_concurrency that clients see if identifies are not limited.
const unlimitedConcurrency = 16

// unlimitedStarts is the session start limit that clients see if starts are not limited.
const unlimitedStarts = 1000

// Starts is the session start limit of a bot.
type Starts struct {
	Total, Remaining int   // per day
	ResetAfter       int64 // milliseconds until Remaining is Total again
	AtOnce           int   // identifies within five seconds
}

// Starts returns the session start limit of an application's bot.
func (g *Gateway) Starts(app snowflake.Application) Starts {
	daily, identify := g.Limits.Policy.Routes[ratelimit.GatewayStarts], g.Limits.Policy.Routes[ratelimit.GatewayIdentify]
	s := Starts{Total: unlimitedStarts, AtOnce: unlimitedConcurrency}
	if !identify.IsZero() {
		s.AtOnce = identify.Limit
	}
	if !daily.IsZero() {
		s.Total = daily.Limit
	}
	s.Remaining = s.Total
	g.starts.mu.Lock()
	defer g.starts.mu.Unlock()
	if last, ok := g.starts.last[app]; ok {
		if left := last.ends.Sub(g.Clock.Now()); left > 0 {
			s.Remaining, s.ResetAfter = last.remaining, left.Milliseconds()
		}
	}
	return s
}

// closeOldest ends the oldest sessions of the session's owner that are above the bound.
func (g *Gateway) closeOldest(s *session.Session) {
	most := g.Limits.Policy.Sessions.User
	if s.Kind == session.Bot {
		most = g.Limits.Policy.Sessions.Application
	}
	for _, old := range g.index.Oldest(s, most) {
		g.end(old, socket.ErrSessions)
	}
}

// maxStart is the longest time that a session that starts keeps others waiting.
const maxStart = 2 * time.Second

// waitToStart waits until fewer than MaxStarting sessions start, because each needs several times the memory of its largest
// guild. The caller calls started. After maxStart the session no longer counts, so that a slow client does not keep others
// from starting.
func (g *Gateway) waitToStart(ctx context.Context) (started func(), err error) {
	select {
	case g.starting <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	leave := sync.OnceFunc(func() { <-g.starting })
	timer := g.Wall.AfterFunc(maxStart, leave)
	return func() {
		timer.Stop()
		leave()
	}, nil
}

// anonymous counts the connections of each address that have not identified.
type anonymous struct {
	mu   sync.Mutex
	from map[netip.Addr]int
}

// add counts a connection and returns a function that ends it. It returns false if the address has too many.
func (a *anonymous) add(addr netip.Addr, most int) (remove func(), ok bool) {
	if most == 0 {
		return func() {}, true
	}
	addr = ratelimit.Network(addr)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.from == nil {
		a.from = map[netip.Addr]int{}
	}
	if a.from[addr] >= most {
		return nil, false
	}
	a.from[addr]++
	return sync.OnceFunc(func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.from[addr]--; a.from[addr] == 0 {
			delete(a.from, addr)
		}
	}), true
}

// startCounts remembers the daily count of each application after its bot's last start.
type startCounts struct {
	mu   sync.Mutex
	last map[snowflake.Application]startCount
}

type startCount struct {
	remaining int
	ends      time.Time
}

func (b *startCounts) record(app snowflake.Application, r ratelimit.Result, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.last == nil {
		b.last = map[snowflake.Application]startCount{}
	}
	b.last[app] = startCount{r.Remaining, now.Add(r.ResetAfter)}
}

// countStart counts a session start of a bot and reports whether it is allowed.
func (g *Gateway) countStart(ctx context.Context, s *session.Session) bool {
	if s.Kind != session.Bot {
		return true
	}
	caller := ratelimit.Caller{Application: s.Application}
	_, identify := g.Limits.Policy.Claims(ratelimit.GatewayIdentify, &caller)
	_, daily := g.Limits.Policy.Claims(ratelimit.GatewayStarts, &caller)
	if daily.IsZero() && identify.IsZero() {
		return true
	}
	now := g.Clock.Now()
	day, burst := g.Limits.Limiter.Take(ctx, now, daily, identify)
	if !daily.IsZero() {
		g.starts.record(s.Application, day, now)
	}
	if !day.Allowed {
		g.Log.WarnContext(ctx, "daily session starts exceeded", "application", s.Application.String())
	}
	return day.Allowed && burst.Allowed
}
