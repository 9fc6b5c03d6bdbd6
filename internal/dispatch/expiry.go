package dispatch

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/interaction"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/webhook"
	"github.com/bellhop/bellhop/snowflake"
	"golang.org/x/sync/errgroup"
)

const (
	// sweepBatch is how many due interactions a sweep reads at once.
	sweepBatch = 256
	// sweepConcurrency is how many of them are decided at the same time.
	sweepConcurrency = 64
	// retryAfter is how long the sweep waits after an error of the store.
	retryAfter = time.Second
)

// errStuck means that an interaction is still due after it was handled.
var errStuck = errors.New("an interaction stays due")

// expiry enforces the deadlines of interactions and deletes old records.
type expiry struct {
	*service

	nextCleanup time.Time // used only by the sweep
}

// sweep handles every interaction that is due and sets the alarm for the next.
func (s *expiry) sweep(ctx context.Context) {
	var last store.DueInteraction // the first of the previous batch
	for ctx.Err() == nil {
		due, next, err := s.due(ctx)
		switch {
		case err != nil:
		case len(due) == 0:
			s.pending.removeBefore(s.now().Add(-interaction.Deadline - interaction.Grace))
			s.alarm.Set(s.Clock, s.cleanUp(ctx, next))
			return
		case due[0] == last:
			err = errStuck
		default:
			last = due[0]
			err = s.expireAll(ctx, due)
		}
		if err != nil && ctx.Err() == nil {
			s.Log.ErrorContext(ctx, "sweep of interactions failed", "err", err)
			s.alarm.Set(s.Clock, s.now().Add(retryAfter))
			return
		}
	}
}

// Due returns up to limit interactions that fail without an answer, ordered by Due.
func (s *Dispatch) Due(ctx context.Context, limit int) (list []store.DueInteraction, err error) {
	err = s.expiry.store.Read(ctx, func(r store.Reader) (err error) {
		list, err = r.Interactions.Due(limit)
		return err
	})
	return list, err
}

// due returns interactions that are due, and when the next one is due; zero: never.
func (s *expiry) due(ctx context.Context) (due []store.DueInteraction, next time.Time, err error) {
	err = s.store.Read(ctx, func(r store.Reader) (err error) {
		due, err = r.Interactions.Due(sweepBatch)
		return err
	})
	now := s.now()
	if i := slices.IndexFunc(due, func(x store.DueInteraction) bool { return x.Due.After(now) }); i >= 0 {
		due, next = due[:i], due[i].Due
	}
	return due, next, err
}

// expireAll handles interactions that are due, several at once so that they share commits. Nodes that share the store
// use different orders, so that few of their commits conflict.
func (s *expiry) expireAll(ctx context.Context, due []store.DueInteraction) error {
	if s.store.Shared() {
		rand.Shuffle(len(due), func(i, j int) { due[i], due[j] = due[j], due[i] })
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(sweepConcurrency)
	for _, x := range due {
		g.Go(func() error { return s.expire(ctx, x.ID) })
	}
	return g.Wait()
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
