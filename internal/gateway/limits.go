package gateway

import (
	"context"
	"sync"
	"time"

	"github.com/bellhop/bellhop/internal/gateway/session"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/snowflake"
)

// freeConcurrency is how many identifies at once a client is told that may begin as many as it likes.
const freeConcurrency = 16

// freeStarts is how many sessions a day a client is told that may begin as many as it likes.
const freeStarts = 1000

// Starts is how many sessions a bot may begin.
type Starts struct {
	Total, Remaining int   // a day
	ResetAfter       int64 // milliseconds until Remaining is Total again
	AtOnce           int   // within five seconds
}

// Starts returns how many sessions the bot of an application may begin.
func (g *Gateway) Starts(app snowflake.Application) Starts {
	daily, identify := g.Limits.Policy.Routes[ratelimit.GatewayStarts], g.Limits.Policy.Routes[ratelimit.GatewayIdentify]
	s := Starts{Total: freeStarts, AtOnce: freeConcurrency}
	if !identify.IsZero() {
		s.AtOnce = identify.Limit
	}
	if !daily.IsZero() {
		s.Total = daily.Limit
	}
	s.Remaining = s.Total
	g.began.mu.Lock()
	defer g.began.mu.Unlock()
	if last, ok := g.began.last[app]; ok {
		if left := last.ends.Sub(g.Clock.Now()); left > 0 {
			s.Remaining, s.ResetAfter = last.remaining, left.Milliseconds()
		}
	}
	return s
}

// began remembers how the daily count of each application stood when its bot last began a session.
type began struct {
	mu   sync.Mutex
	last map[snowflake.Application]standing
}

type standing struct {
	remaining int
	ends      time.Time
}

func (b *began) note(app snowflake.Application, r ratelimit.Result, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.last == nil {
		b.last = map[snowflake.Application]standing{}
	}
	b.last[app] = standing{r.Remaining, now.Add(r.ResetAfter)}
}

// mayStart counts a session that a bot is about to begin.
func (g *Gateway) mayStart(ctx context.Context, s *session.Session) bool {
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
	day, moment := g.Limits.Limiter.Take(ctx, now, daily, identify)
	if !daily.IsZero() {
		g.began.note(s.Application, day, now)
	}
	if !day.Allowed {
		g.Log.WarnContext(ctx, "too many sessions in a day", "application", s.Application.String())
	}
	return day.Allowed && moment.Allowed
}
