package dispatch

import (
	"context"
	"time"

	"github.com/bellhop/bellhop/internal/rules/interaction"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/webhook"
	"github.com/bellhop/bellhop/snowflake"
)

const (
	// sweepConcurrency is the number of due interactions that are decided at the same time.
	sweepConcurrency = 64
	// retryAfter is the time that the sweep waits after an error of the store.
	retryAfter = time.Second
)

// expiry enforces the deadlines of interactions and deletes old records.
type expiry struct {
	*service

	due         *store.Sweep[snowflake.Interaction]
	nextCleanup time.Time // used only by the sweep
}

func newExpiry(s *service) *expiry {
	e := &expiry{service: s}
	e.due = &store.Sweep[snowflake.Interaction]{
		Store: s.store, Work: store.InteractionWork, Now: s.now, Log: s.Log, Handle: e.expire, Concurrency: sweepConcurrency,
		List: func(r store.Reader, limit int) ([]store.DueInteraction, error) { return r.Interactions.Due(limit) },
	}
	return e
}

// sweep handles every interaction that is due and sets the alarm for the next.
func (s *expiry) sweep(ctx context.Context) {
	next, err := s.due.Run(ctx)
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		s.Log.ErrorContext(ctx, "sweep of interactions failed", "err", err)
		s.alarm.Set(s.Clock, s.now().Add(retryAfter))
		return
	}
	s.pending.removeBefore(s.now().Add(-interaction.Deadline - interaction.Grace))
	s.alarm.Set(s.Clock, s.cleanUp(ctx, next))
}

// Due returns up to limit interactions that fail without an answer, ordered by Due.
func (s *Dispatch) Due(ctx context.Context, limit int) (list []store.DueInteraction, err error) {
	err = s.expiry.store.Read(ctx, func(r store.Reader) (err error) {
		list, err = r.Interactions.Due(limit)
		return err
	})
	return list, err
}

// expire fails an interaction without an answer, or ends a deferred answer that was not filled. An answer that this or
// another node may be reading gets a grace period. A delivery that runs on this node is canceled and fails the
// interaction itself.
func (s *expiry) expire(ctx context.Context, id snowflake.Interaction) error {
	p := s.pending.get(id)
	busy := p == nil || p.delivering.Load() || p.arriving.Load() > 0 || s.store.Shared()
	if p != nil && p.delivering.Load() && p.arriving.Load() == 0 {
		p.cancel(webhook.ErrDeadline) // deliver fails the interaction and knows more about the failure
	}
	var unanswered, unfilled *store.Interaction
	var why failure
	err := s.Cache.Decide(ctx, func(ctx context.Context) (c store.Change, err error) {
		unanswered, unfilled = nil, nil
		i, err := s.interactions.find(ctx, id)
		if err != nil || i.ID == 0 {
			return c, err
		}
		next := expired(i, s.now(), busy)
		if next.State == i.State && next.Due.Equal(i.Due) {
			return c, nil
		}
		switch {
		case next.State.Status == i.State.Status:
		case next.State.Status == interaction.Failed:
			unanswered = &next
			why = s.unanswered(ctx, &next)
			c.Events = []store.Event{failureEvent(&next, why.reason, s.shown(why))}
		case i.State.Status == interaction.Deferred:
			unfilled = &next
		}
		s.put(&c, next)
		return c, nil
	})
	switch {
	case err != nil:
		return err
	case unanswered != nil:
		s.recordFailure(unanswered, why)
	case unfilled != nil:
		const detail = "the app did not fill in its deferred answer"
		s.metrics.count(unfilled.Origin.Type, outcomeUnfilled)
		s.ended(unfilled, Failed, detail)
		s.watches.awaitAnswer(id)
		s.watches.finish(id, func(o *Outcome) { o.Result, o.Reason, o.Detail = Failed, interaction.ReasonTimeout, detail })
	}
	return nil
}
