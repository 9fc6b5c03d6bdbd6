package gateway

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/gateway/session"
)

// retention ends sessions that were not resumed in time. It follows the service's clock: when the clock is moved past
// the end of a session, the session has ended and its lobbies know of it before the move returns.
type retention struct {
	gateway *Gateway
	alarm   clock.Alarm

	mu       sync.Mutex
	detached []detachedSession // ordered by until
}

// detachedSession is a session without a connection.
type detachedSession struct {
	session *session.Session
	until   int64 // in nanoseconds since 1970
}

// add ends a session at the given time, unless it is resumed before.
func (r *retention) add(s *session.Session, until int64) {
	r.mu.Lock()
	i, _ := slices.BinarySearchFunc(r.detached, until+1, func(d detachedSession, at int64) int { return cmp.Compare(d.until, at) })
	r.detached = slices.Insert(r.detached, i, detachedSession{s, until})
	r.mu.Unlock()
	r.schedule(until)
}

func (r *retention) schedule(at int64) { r.alarm.Set(r.gateway.Clock, time.Unix(0, at)) }

// run ends sessions until ctx ends.
func (r *retention) run(ctx context.Context) {
	r.alarm.Start(func() { r.expire(ctx) })
	r.expire(ctx) // sets the alarm for sessions that were added before
	<-ctx.Done()
	r.alarm.Stop()
}

// expire ends the sessions whose time has passed and sets the alarm for the next one.
func (r *retention) expire(ctx context.Context) {
	due, next := r.take(r.gateway.Clock.Now().UnixNano())
	for _, d := range due {
		if d.session.IsDetachedUntil(d.until) {
			r.gateway.remove(d.session)
		}
	}
	r.gateway.connections.announcePending(ctx)
	if next != 0 {
		r.schedule(next)
	}
}

// take removes and returns the sessions whose time has passed, and returns when the next one ends; 0: never.
func (r *retention) take(now int64) (due []detachedSession, next int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := slices.IndexFunc(r.detached, func(d detachedSession) bool { return d.until > now })
	if n < 0 {
		due, r.detached = r.detached, nil
		return due, 0
	}
	due = slices.Clone(r.detached[:n])
	r.detached = slices.Delete(r.detached, 0, n)
	return due, r.detached[0].until
}

// endOlderHalf ends the older half of the sessions without a connection. A client that resumes one of them meanwhile has to
// identify again.
func (r *retention) endOlderHalf() {
	for _, d := range r.takeOlderHalf() {
		r.gateway.invalidate(d.session)
	}
}

// takeOlderHalf removes and returns the older half of the sessions without a connection.
func (r *retention) takeOlderHalf() []detachedSession {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.detached = slices.DeleteFunc(r.detached, func(d detachedSession) bool { return !d.session.IsDetachedUntil(d.until) })
	n := (len(r.detached) + 1) / 2
	older := slices.Clone(r.detached[:n])
	r.detached = slices.Delete(r.detached, 0, n)
	return older
}
